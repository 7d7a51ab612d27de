//! Any bytes as a message between the gateway and a worker.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan::fuzzing::worker_message(bytes));
