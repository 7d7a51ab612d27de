//! Any bytes as the reply of `call.yul`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan_reader::fuzzing::packed(bytes));
