//! Addresses as text: `0x` and 40 hex digits. Invariant: mixed letter case is accepted only with a valid EIP-55
//! checksum, so that a mistyped address is never taken for another account.

use alloy::primitives::Address;

/// Error in the text of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AddressError {
    #[error("is not 0x and 40 hex digits")]
    Form,
    #[error("does not carry its EIP-55 checksum; write it in lower case, or check for a typing error")]
    Checksum,
}

/// Parses an address in lower case, in upper case or with its checksum.
pub(crate) fn parse(text: &str) -> Result<Address, AddressError> {
    let digits = text.strip_prefix("0x").filter(|digits| digits.len() == 40).ok_or(AddressError::Form)?;
    let address: Address = digits.parse().map_err(|_| AddressError::Form)?;
    let has_lower = digits.bytes().any(|byte| byte.is_ascii_lowercase());
    let has_upper = digits.bytes().any(|byte| byte.is_ascii_uppercase());
    if has_lower && has_upper && address.to_checksum(None) != text {
        return Err(AddressError::Checksum);
    }
    Ok(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first example of EIP-55.
    const CHECKSUMMED: &str = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed";

    #[test]
    fn lower_upper_and_checksummed_case_are_the_same_address() {
        let lower = parse("0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed");
        assert!(lower.is_ok());
        assert_eq!(lower, parse("0x5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED"));
        assert_eq!(lower, parse(CHECKSUMMED));
    }

    #[test]
    fn mixed_case_without_a_valid_checksum_is_refused() {
        let one_letter_off = CHECKSUMMED.replacen("aA", "AA", 1);
        assert_eq!(parse(&one_letter_off), Err(AddressError::Checksum));
    }

    #[test]
    fn anything_but_0x_and_40_hex_digits_is_refused() {
        let no_prefix = &CHECKSUMMED[2..];
        let cases = [
            "",
            "0x",
            "0x123",
            no_prefix,
            "0X5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
            "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beae",
            "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaedd",
            "0x0x5aaeb6053f3e94c9b9a09f33669435e7ef1bea",
            "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaeg",
            " 0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed",
            "0xéaaeb6053f3e94c9b9a09f33669435e7ef1beae",
        ];
        for case in cases {
            assert_eq!(parse(case), Err(AddressError::Form), "{case}");
        }
    }
}
