//! Exact decimal text of amounts, dollars and rates, as JSON numbers.
//!
//! Invariant: no binary float is touched; the text of an amount has exactly the value of the integer.

use std::num::NonZeroU64;

use alloy::primitives::U256;
use bigdecimal::num_bigint::Sign;
use bigdecimal::{BigDecimal, RoundingMode};
use portolan_assets::amount::decimal;

/// Maximum characters of plain digits, by the API's contract. Longer texts have an exponent.
const PLAIN_CHARS_MAX: i64 = 40;

/// Significant digits of dollars and rates, by the API's contract.
const SIGNIFICANT_DIGITS: NonZeroU64 = NonZeroU64::MIN.saturating_add(17);

/// Formats `raw` smallest units in whole units: all digits, no trailing zeros.
pub(in crate::http) fn amount(raw: U256, decimals: u8) -> String {
    text(false, &raw.to_string(), i64::from(decimals))
}

/// Formats an integer of smallest units.
pub(in crate::http) fn integer(raw: U256) -> String {
    amount(raw, 0)
}

/// Formats dollars, a rate or a ratio, rounded half-even to 18 significant digits.
pub(in crate::http) fn rounded(value: &BigDecimal) -> String {
    let rounded = value.with_precision_round(SIGNIFICANT_DIGITS, RoundingMode::HalfEven);
    let (digits, scale) = rounded.into_bigint_and_scale();
    text(digits.sign() == Sign::Minus, &digits.magnitude().to_string(), scale)
}

/// Formats the value of `raw` smallest units; 0 without a known price, because the wire has no null there.
pub(in crate::http) fn dollars(raw: U256, decimals: u8, price_usd: Option<&BigDecimal>) -> String {
    let Some(price_usd) = price_usd else { return "0".into() };
    rounded(&(decimal(raw, i64::from(decimals)) * price_usd))
}

/// Formats `digits` / 10^`scale`.
fn text(is_negative: bool, digits: &str, scale: i64) -> String {
    let digits = digits.trim_start_matches('0');
    let kept = digits.trim_end_matches('0');
    if kept.is_empty() {
        return "0".into();
    }
    let scale = scale - length(digits) + length(kept);
    // Digits before the decimal point; negative if zeros follow the point.
    let whole = length(kept) - scale;
    let unsigned =
        if plain_chars(length(kept), scale) <= PLAIN_CHARS_MAX { plain(kept, whole) } else { scientific(kept, whole) };
    if is_negative { format!("-{unsigned}") } else { unsigned }
}

fn plain_chars(digits: i64, scale: i64) -> i64 {
    if scale <= 0 {
        digits - scale
    } else if scale < digits {
        digits + 1
    } else {
        scale + 2
    }
}

/// Formats without an exponent, for texts of at most [`PLAIN_CHARS_MAX`] characters.
fn plain(digits: &str, whole: i64) -> String {
    let zeros = |count: i64| "0".repeat(usize::try_from(count).unwrap_or_default());
    match usize::try_from(whole) {
        Ok(0) | Err(_) => format!("0.{}{digits}", zeros(-whole)),
        Ok(whole) if whole < digits.len() => format!("{}.{}", &digits[..whole], &digits[whole..]),
        Ok(_) => format!("{digits}{}", zeros(whole - length(digits))),
    }
}

fn scientific(digits: &str, whole: i64) -> String {
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    format!("{first}{point}{rest}E{:+}", whole - 1)
}

fn length(digits: &str) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use bigdecimal::num_traits::Zero;
    use proptest::prelude::*;

    use super::*;

    fn value(text: &str) -> BigDecimal {
        text.parse().unwrap()
    }

    fn raw_value(raw: U256, decimals: u8) -> BigDecimal {
        BigDecimal::new(raw.to_string().parse().unwrap(), i64::from(decimals))
    }

    fn any_raw() -> impl Strategy<Value = U256> {
        (any::<[u64; 4]>(), 0_usize..256).prop_map(|(limbs, shift)| U256::from_limbs(limbs) >> shift)
    }

    #[test]
    fn amounts_are_plain_digits_without_trailing_zeros() {
        let cases = [
            ("0", 18, "0"),
            ("1", 18, "0.000000000000000001"),
            ("1000000000000000000", 18, "1"),
            ("1500000", 6, "1.5"),
            ("254214875421980600000", 18, "254.2148754219806"),
            ("120", 0, "120"),
            ("5", 1, "0.5"),
            ("50", 1, "5"),
            ("296514877005303546555804032", 0, "296514877005303546555804032"),
        ];
        for (raw, decimals, expected) in cases {
            assert_eq!(amount(raw.parse().unwrap(), decimals), expected, "{raw} / 10^{decimals}");
        }
    }

    #[test]
    fn an_unlimited_approval_has_an_exponent_and_all_digits() {
        let expected = "1.15792089237316195423570985008687907853269984665640564039457584007913129639935E+59";
        assert_eq!(amount(U256::MAX, 18), expected);
    }

    #[test]
    fn the_exponent_starts_past_forty_characters() {
        // Thirty-nine digits and a point are forty characters; forty digits and a point are one more.
        let ones = |count: usize| "1".repeat(count).parse::<U256>().unwrap();
        assert_eq!(amount(ones(39), 2), format!("{}.11", "1".repeat(37)));
        assert_eq!(amount(ones(40), 2), format!("1.{}E+37", "1".repeat(39)));
        assert_eq!(amount(ones(40), 0), "1".repeat(40));
        assert_eq!(amount(U256::from(10).pow(U256::from(41)), 0), "1E+41");
        assert_eq!(amount(U256::from(1), 38), format!("0.{}1", "0".repeat(37)));
        assert_eq!(amount(U256::from(1), 39), "1E-39");
        assert_eq!(amount(U256::from(15), 255), "1.5E-254");
    }

    #[test]
    fn dollars_are_rounded_half_even_to_eighteen_digits() {
        let cases = [
            ("1.00000000000000000500", "1"),
            ("1.000000000000000015", "1.00000000000000002"),
            ("1.000000000000000025", "1.00000000000000002"),
            ("1.0000000000000000250000001", "1.00000000000000003"),
            ("999999999999999999.5", "1000000000000000000"),
            ("-0.5", "-0.5"),
            ("0.00", "0"),
            ("0.05", "0.05"),
        ];
        for (given, expected) in cases {
            assert_eq!(rounded(&value(given)), expected, "{given}");
        }
    }

    #[test]
    fn dollars_are_amount_times_price_and_nothing_without_a_price() {
        let price = value("1840.25");
        assert_eq!(dollars(U256::from(1_500_000_000_000_000_000_u64), 18, Some(&price)), "2760.375");
        assert_eq!(dollars(U256::from(1_500_000_000_000_000_000_u64), 18, None), "0");
    }

    proptest! {
        #[test]
        fn an_amount_parses_back_to_the_exact_value_and_is_json(raw in any_raw(), decimals: u8) {
            let text = amount(raw, decimals);
            prop_assert_eq!(value(&text), raw_value(raw, decimals));
            prop_assert!(serde_json::from_str::<Box<serde_json::value::RawValue>>(&text).is_ok());
            let digits = text.split('E').next().unwrap();
            prop_assert!(!digits.contains('.') || !digits.ends_with('0'), "{}", text);
            prop_assert_eq!(text.contains('E'), raw_value(raw, decimals).normalized().to_plain_string().len() > 40);
        }

        #[test]
        fn a_rounded_value_is_the_nearest_of_eighteen_digits(raw in any_raw(), decimals: u8) {
            let exact = raw_value(raw, decimals);
            let text = rounded(&exact);
            let digits = text.split('E').next().unwrap().replace('.', "");
            let digits = digits.trim_start_matches('0').trim_end_matches('0');
            prop_assert!(digits.len() <= 18, "{}", text);
            prop_assert!(serde_json::from_str::<Box<serde_json::value::RawValue>>(&text).is_ok());
            let off = (value(&text) - &exact).abs();
            if raw.is_zero() {
                prop_assert!(off.is_zero());
            } else {
                // The last of eighteen digits is worth 10^(digits before the point - 18).
                let whole = i64::try_from(raw.to_string().len()).unwrap() - i64::from(decimals);
                prop_assert!(off * 2 <= BigDecimal::new(1.into(), 18 - whole), "{}", text);
            }
        }
    }
}
