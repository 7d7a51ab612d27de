//! Any logs, and what contracts and plugins say of them, as the events of a transaction.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan::fuzzing::event_view(bytes));
