//! Any bytes as the replies about a transaction.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan_reader::fuzzing::transaction(bytes));
