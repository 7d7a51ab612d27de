//! Arithmetic against its definition, and a pair under swaps.

use proptest::prelude::*;

use super::*;

fn value(text: &str) -> BigDecimal {
    text.parse().unwrap()
}

fn part(usd: &str, decimals: u8) -> Part {
    Part { usd: value(usd), decimals }
}

fn e18(whole: u64) -> U256 {
    U256::from(whole) * U256::from(10).pow(U256::from(18))
}

/// The reserves of a constant-product pair after `paid` came in, with a fee of 0.3 %, by the formula of Uniswap v2.
/// <https://github.com/Uniswap/v2-periphery/blob/v1.0.1/contracts/libraries/UniswapV2Library.sol>
fn swapped(reserves: [U256; 2], paid: U256) -> [U256; 2] {
    let with_fee = paid * U256::from(997);
    let out = with_fee * reserves[1] / (reserves[0] * U256::from(1000) + with_fee);
    [reserves[0] + paid, reserves[1] - out]
}

/// The relative change.
fn moved(before: &BigDecimal, after: &BigDecimal) -> BigDecimal {
    ((after - before) / before).abs()
}

#[test]
fn a_pair_in_balance_is_worth_both_of_its_reserves() {
    // 100 ETH at 2000 and 200,000 USDC at 1 dollar are 400,000 dollars; a quarter of 1000 shares is 100,000.
    let (eth, usdc) = (part("2000", 18), part("1", 6));
    let reserves = [e18(100), U256::from(200_000_000_000_u64)];
    assert_eq!(pair_share(reserves, e18(1000), 18, [&eth, &usdc]), Some(value("400")));
    assert_eq!(pair_share(reserves, e18(1000), 15, [&eth, &usdc]), Some(value("0.4")));
}

#[test]
fn a_large_swap_moves_the_spot_value_of_a_pair_but_not_its_price() {
    let (eth, usdc) = (part("2000", 18), part("1", 6));
    let before = [e18(100), U256::from(200_000_000_000_u64)];
    let fair = |reserves| pair_share(reserves, e18(1000), 18, [&eth, &usdc]).unwrap();
    let spot = |reserves: [U256; 2]| decimal(reserves[0], 18) * &eth.usd + decimal(reserves[1], 6) * &usdc.usd;
    for paid in [1, 10, 100, 1_000, 10_000] {
        let after = swapped(before, e18(paid));
        assert!(moved(&fair(before), &fair(after)) < value("0.01"), "{paid} ETH");
    }
    let after = swapped(before, e18(1_000));
    assert!(moved(&spot(before), &spot(after)) > value("1"), "the same swap more than doubles the spot value");
}

#[test]
fn an_empty_pair_has_no_price() {
    let (a, b) = (part("1", 18), part("1", 18));
    assert_eq!(pair_share([e18(1), e18(1)], U256::ZERO, 18, [&a, &b]), None);
    assert_eq!(pair_share([U256::ZERO, e18(1)], e18(1), 18, [&a, &b]), None);
}

#[test]
fn shares_and_receipts_follow_the_decimals_of_both_sides() {
    // A vault share of 18 decimals that converts to 1.05 of a 6-decimals token at 2 dollars.
    assert_eq!(share(U256::from(1_050_000), &part("2", 6)), Some(value("2.1")));
    assert_eq!(share(U256::ZERO, &part("2", 6)), None);
    // One cToken of 8 decimals at a rate of 0.02 of an 18-decimals token: rate = 0.02 · 10^(18 + 18 - 8).
    let rate = U256::from(2) * U256::from(10).pow(U256::from(26));
    assert_eq!(receipt(rate, 8, &part("5", 18)), Some(value("0.1")));
    // One to one in smallest units: 10^8 of them are 10^-10 of an 18-decimals token.
    assert_eq!(receipt(e18(1), 8, &part("3", 18)), Some(value("0.0000000003")));
}

fn any_raw() -> impl Strategy<Value = U256> {
    (any::<[u64; 4]>(), 0_usize..256).prop_map(|(limbs, shift)| U256::from_limbs(limbs) >> shift)
}

proptest! {
    #[test]
    fn a_root_is_the_largest_whose_square_is_not_above(raw in any_raw(), other in any_raw(), scale in -300_i64..600) {
        let radicand = decimal(raw, scale) * decimal(other, 0);
        let found = root(&radicand).unwrap();
        let step = BigDecimal::new(1.into(), found.fractional_digit_count());
        let next = &found + step;
        prop_assert!(&found * &found <= radicand);
        prop_assert!(&next * &next > radicand);
    }

    #[test]
    fn a_share_times_its_amount_is_the_value_to_all_digits_that_answers_show(
        amount in any_raw(), decimals: u8, cents in 1_u64..1_000_000_000,
    ) {
        let part = Part { usd: BigDecimal::new(cents.into(), 2), decimals };
        let exact = BigDecimal::new(amount.to_string().parse().unwrap(), i64::from(decimals)) * &part.usd;
        match share(amount, &part) {
            None => prop_assert!(amount.is_zero()),
            Some(computed) => prop_assert!((computed - &exact).abs() * value("1e38") <= exact),
        }
    }

    #[test]
    fn no_swap_moves_a_pair_share_by_a_hundredth(
        first in 1_000_000_000_u128..1 << 100, second in 1_000_000_000_u128..1 << 100, paid_parts in 1_u64..100_000,
    ) {
        // The payment is a hundred-thousandth to all of the reserve.
        let before = [U256::from(first), U256::from(second)];
        let paid = before[0] * U256::from(paid_parts) / U256::from(100_000);
        let parts = [part("1234.5", 18), part("0.07", 6)];
        let fair = |reserves| pair_share(reserves, e18(1), 18, [&parts[0], &parts[1]]).unwrap();
        prop_assert!(moved(&fair(before), &fair(swapped(before, paid))) < value("0.01"));
    }
}
