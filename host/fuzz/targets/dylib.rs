//! Any bytes as a dropped dylib.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan::fuzzing::dylib(bytes));
