//! Any text as the configuration file.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan::fuzzing::configuration(bytes));
