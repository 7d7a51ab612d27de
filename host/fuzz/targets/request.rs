//! Any bytes as what a client sends.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan::fuzzing::request(bytes));
