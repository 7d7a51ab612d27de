//! Any bytes as a token list.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan::fuzzing::token_list(bytes));
