//! Any bytes as the reply of Multicall3.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan_reader::fuzzing::multicall(bytes));
