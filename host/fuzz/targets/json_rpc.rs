//! Any body as a JSON-RPC reply.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| portolan_reader::fuzzing::json_rpc(bytes));
