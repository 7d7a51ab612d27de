//! Any text as the settings file of a plugin.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan::fuzzing::settings(bytes));
