//! Costs and net values, checked against numbers computed by hand.

use super::*;

fn decimal(text: &str) -> BigDecimal {
    text.parse().unwrap()
}

fn left(values: &[&str], cost: &str) -> Vec<BigDecimal> {
    let values: Vec<BigDecimal> = values.iter().map(|value| decimal(value)).collect();
    net(&values, &decimal(cost)).iter().map(BigDecimal::normalized).collect()
}

#[test]
fn a_cost_is_gas_data_and_value_together() {
    let gas_price = GasPrice { base_fee: Some(30_000_000_000), tip: 2_000_000_000 };
    let cost = ClaimCost { gas: 100_000, gas_price, data_fee: U256::from(5), value: U256::from(7) };
    // 100,000 * 32 gwei is 0.0032.
    assert_eq!(cost.native(), U256::from(3_200_000_000_000_012_u64));
    assert_eq!(cost.dollars(&decimal("2500")), decimal("8.00000000000003"));
    let most = ClaimCost { gas: u64::MAX, value: U256::MAX, ..cost };
    assert_eq!(most.native(), U256::MAX, "an absurd price does not wrap");
}

#[test]
fn payments_bear_the_cost_in_proportion_or_in_equal_parts() {
    assert_eq!(left(&["30", "10"], "8"), [decimal("24"), decimal("8")]);
    assert_eq!(left(&["1", "0"], "4"), [decimal("-3"), decimal("0")]);
    assert_eq!(left(&["0", "0"], "4"), [decimal("-2"), decimal("-2")]);
    assert_eq!(left(&["5"], "0"), [decimal("5")]);
}
