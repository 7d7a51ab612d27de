//! The program as bytes. Its source is beside it in Yul; a test of the workspace compiles it and compares.

use alloy::primitives::hex;

const HEX: &[u8] = include_bytes!("call.hex");

/// Runtime code of `call.yul`.
pub(crate) const PROGRAM: &[u8] = &bytes::<{ HEX.len() / 2 }>(HEX);

/// Maximum reads in one request, because the program counts runs of zeros in two bytes.
pub(crate) const READS_MAX: usize = 65_535;

/// Returns the bytes of a program that is stored in hex.
#[expect(clippy::panic, reason = "runs in the compiler")]
pub(crate) const fn bytes<const N: usize>(digits: &[u8]) -> [u8; N] {
    match hex::const_decode_to_array(digits) {
        Ok(bytes) => bytes,
        Err(_) => panic!("no hex digits"),
    }
}
