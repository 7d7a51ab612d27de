//! Any bytes as what a plugin found.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan::fuzzing::findings(bytes));
