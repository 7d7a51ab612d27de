//! The programs as bytes. Their source stands beside them in Yul; a test of the workspace compiles it and compares.

use alloy::primitives::hex;

const CALL_HEX: &[u8] = include_bytes!("call.hex");
const SCAN_HEX: &[u8] = include_bytes!("scan.hex");

/// Runtime code of `call.yul`: reads of all kinds.
pub(crate) const CALL: &[u8] = &bytes::<{ CALL_HEX.len() / 2 }>(CALL_HEX);
/// Runtime code of `scan.yul`: balances of one account.
pub(crate) const SCAN: &[u8] = &bytes::<{ SCAN_HEX.len() / 2 }>(SCAN_HEX);

/// Of one request: the programs count runs of zeros in two bytes.
pub(crate) const READS_MAX: usize = 65_535;

#[expect(clippy::panic, reason = "runs in the compiler")]
const fn bytes<const N: usize>(digits: &[u8]) -> [u8; N] {
    match hex::const_decode_to_array(digits) {
        Ok(bytes) => bytes,
        Err(_) => panic!("no hex digits"),
    }
}
