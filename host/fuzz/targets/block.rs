//! Any bytes as a header, or as all receipts of a block.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan_reader::fuzzing::block(bytes));
