//! Raw amounts as exact decimals.

use alloy::primitives::U256;
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::{BigInt, Sign};

/// Returns `raw` / 10^`decimals`, exact.
pub fn decimal(raw: U256, decimals: i64) -> BigDecimal {
    BigDecimal::new(BigInt::from_bytes_be(Sign::Plus, &raw.to_be_bytes::<32>()), decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_is_exact_for_every_number_of_decimals() {
        assert_eq!(decimal(U256::from(1), 77).to_string(), BigDecimal::new(1.into(), 77).to_string());
        assert_eq!(decimal(U256::MAX, 0).to_string(), U256::MAX.to_string());
    }
}
