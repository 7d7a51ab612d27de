//! Hex digits in texts: addresses with their checksums (EIP-55), and words.

use sha3::{Digest, Keccak256};

/// Shortest text with digits that is taken for an address or a word: `0x` itself is the name of a protocol.
const DIGITS_MIN: usize = 8;

/// Checks a text of a row. Texts that begin with `0x` and digits are addresses or words of 32 bytes.
///
/// # Errors
/// Says what is wrong.
pub(crate) fn check(text: &str) -> Result<(), String> {
    let Some(digits) = text.strip_prefix("0x") else { return Ok(()) };
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    match digits.len() {
        40 if is_hex => checked(digits),
        64 if is_hex => Ok(()),
        few if few < DIGITS_MIN => Ok(()),
        _ => Err(format!("{text:?} is not 0x and 40 or 64 hex digits")),
    }
}

/// Returns the address in a text, in lower case; `None` if it is none.
pub(crate) fn address(text: &str) -> Option<String> {
    let digits = text.strip_prefix("0x")?;
    (digits.len() == 40).then(|| digits.to_ascii_lowercase())
}

fn checked(digits: &str) -> Result<(), String> {
    let has = |is: fn(&u8) -> bool| digits.as_bytes().iter().any(is);
    if !(has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)) {
        return Ok(());
    }
    let checked = checksummed(&digits.to_ascii_lowercase());
    match checked == digits {
        true => Ok(()),
        false => Err(format!("0x{digits} has a wrong checksum, should be 0x{checked}")),
    }
}

/// Returns an address in mixed case; the digits are in lower case.
fn checksummed(digits: &str) -> String {
    let hash = Keccak256::digest(digits.as_bytes());
    let nibble = |place: usize| hash[place / 2] >> (4 * (1 - place % 2)) & 0xf;
    let upper = |(place, digit): (usize, char)| if nibble(place) > 7 { digit.to_ascii_uppercase() } else { digit };
    digits.chars().enumerate().map(upper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mixed_address_has_its_checksum() {
        // The examples of <https://eips.ethereum.org/EIPS/eip-55>.
        for address in ["0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed", "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB"] {
            assert_eq!(check(address), Ok(()));
            assert_eq!(check(&address.to_ascii_lowercase()), Ok(()));
        }
        let wrong = check("0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed").unwrap_err();
        assert!(wrong.ends_with("should be 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"), "{wrong}");
    }

    #[test]
    fn hex_is_an_address_or_a_word() {
        for text in ["0x1111111111", "0xzz11111111111111111111111111111111111111"] {
            assert!(check(text).is_err(), "{text}");
        }
        assert_eq!((check(&format!("0x{}", "1".repeat(64))), check("0x")), (Ok(()), Ok(())));
    }
}
