//! Ticks of Uniswap v3 and its forks: the amounts of liquidity between two ticks, and the prices there.
//!
//! The arithmetic is that of pools, and rounds as they do when they pay. Square roots of prices are fixed-point numbers
//! with 96 fractional bits, as in `slot0`.
//!
//! ```
//! # use portolan_plugin_api::ticks::TickRange;
//! # use portolan_plugin_api::U256;
//! let range = TickRange::new(-600, 600).ok_or("no range")?;
//! let price_one = U256::ONE << 96;
//! let (amount0, amount1) = range.amounts(1_000_000, price_one, 0).ok_or("a price out of range")?;
//! assert_eq!((amount0, amount1), (U256::from(29_553), U256::from(29_553))); // 1,000,000 × (1 - 1.0001^-300)
//! # Ok::<(), &str>(())
//! ```
//!
//! Source: <https://github.com/Uniswap/v3-core/tree/main/contracts/libraries>

use alloy::primitives::{Address, U256};
use portolan_abi::map::{Price, PriceRange};

/// Highest tick; the lowest is its negative.
const TICK_MAX: u32 = 887_272;

/// 2^128 / 1.0001^(2^n / 2), rounded to nearest: the factor of each bit of a tick.
const ROOTS_X128: [u128; 20] = [
    0xfffc_b933_bd6f_ad37_aa2d_162d_1a59_4001,
    0xfff9_7272_373d_4132_59a4_6990_580e_213a,
    0xfff2_e50f_5f65_6932_ef12_357c_f3c7_fdcc,
    0xffe5_caca_7e10_e4e6_1c36_24ea_a094_1cd0,
    0xffcb_9843_d60f_6159_c9db_5883_5c92_6644,
    0xff97_3b41_fa98_c081_472e_6896_dfb2_54c0,
    0xff2e_a164_66c9_6a38_43ec_78b3_26b5_2861,
    0xfe5d_ee04_6a99_a2a8_11c4_61f1_969c_3053,
    0xfcbe_86c7_900a_88ae_dcff_c83b_479a_a3a4,
    0xf987_a725_3ac4_1317_6f2b_074c_f781_5e54,
    0xf339_2b08_22b7_0005_940c_7a39_8e4b_70f3,
    0xe715_9475_a2c2_9b74_43b2_9c7f_a6e8_89d9,
    0xd097_f3bd_fd20_22b8_845a_d8f7_92aa_5825,
    0xa9f7_4646_2d87_0fdf_8a65_dc1f_90e0_61e5,
    0x70d8_69a1_56d2_a1b8_90bb_3df6_2baf_32f7,
    0x31be_135f_97d0_8fd9_8123_1505_542f_cfa6,
    0x09aa_508b_5b7a_84e1_c677_de54_f3e9_9bc9,
    0x005d_6af8_dedb_8119_6699_c329_225e_e604,
    0x0000_2216_e584_f5fa_1ea9_2604_1bed_fe98,
    0x0000_0000_048a_1703_91f7_dc42_444e_8fa2,
];

/// Two ticks between which liquidity is provided: [`TickRange::new`] checks them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickRange {
    lower: i32,
    upper: i32,
    lower_x96: U256,
    upper_x96: U256,
}

impl TickRange {
    /// Creates the range from `lower` to `upper`; `None` if it is empty, or if a tick is beyond ±887,272.
    pub fn new(lower: i32, upper: i32) -> Option<Self> {
        let (lower_x96, upper_x96) = (root_x96(lower)?, root_x96(upper)?);
        (lower < upper).then_some(Self { lower, upper, lower_x96, upper_x96 })
    }

    /// Returns true if a pool at this tick uses the liquidity.
    pub fn contains(self, tick: i32) -> bool {
        (self.lower..self.upper).contains(&tick)
    }

    /// Returns the amounts of both tokens that a pool pays for the liquidity, in smallest units. `sqrt_price_x96` and
    /// `tick` are those of the pool's `slot0`; `None` if they contradict each other.
    pub fn amounts(self, liquidity: u128, sqrt_price_x96: U256, tick: i32) -> Option<(U256, U256)> {
        let (lower, upper) = (self.lower_x96, self.upper_x96);
        if tick < self.lower {
            Some((amount0(liquidity, lower, upper)?, U256::ZERO))
        } else if tick < self.upper {
            Some((amount0(liquidity, sqrt_price_x96, upper)?, amount1(liquidity, lower, sqrt_price_x96)?))
        } else {
            Some((U256::ZERO, amount1(liquidity, lower, upper)?))
        }
    }

    /// Returns the prices of the pool's first token in its second at both ends, with all digits that pools have. `tick`
    /// is that of the pool's `slot0`.
    pub fn prices(self, token0: Address, token1: Address, tick: i32) -> PriceRange {
        let price = |root_x96| {
            let (x128, rest) = square(root_x96);
            Price { base: token0, quote: Some(token1), x128, rest_x192: Some(rest).filter(|rest| *rest > 0) }
        };
        let is_in_range = Some(self.contains(tick));
        PriceRange { lower: price(self.lower_x96), upper: price(self.upper_x96), is_in_range }
    }
}

/// Returns the square of a root below 2^160 as a price: times 2^128, and the rest, times 2^192.
fn square(root_x96: U256) -> (U256, u64) {
    let [rest, low, middle, high, highest, ..] = *root_x96.widening_mul::<256, 4, 512, 8>(root_x96).as_limbs();
    (U256::from_limbs([low, middle, high, highest]), rest)
}

/// Returns the first token's amount between two prices.
fn amount0(liquidity: u128, lower_x96: U256, upper_x96: U256) -> Option<U256> {
    let span = upper_x96.checked_sub(lower_x96)?;
    mul_div(U256::from(liquidity) << 96, span, upper_x96)?.checked_div(lower_x96)
}

/// Returns the second token's amount between two prices.
fn amount1(liquidity: u128, lower_x96: U256, upper_x96: U256) -> Option<U256> {
    mul_div(U256::from(liquidity), upper_x96.checked_sub(lower_x96)?, U256::ONE << 96)
}

/// Returns the square root of a tick's price: the product of its bits' factors, rounded up at the end.
fn root_x96(tick: i32) -> Option<U256> {
    let distance = tick.unsigned_abs();
    if distance > TICK_MAX {
        return None;
    }
    let bits = ROOTS_X128.iter().enumerate().filter(|(bit, _)| distance >> bit & 1 == 1);
    let below = bits.fold(U256::ONE << 128, |ratio: U256, (_, root)| (ratio * U256::from(*root)) >> 128);
    let ratio = if tick > 0 { U256::MAX / below } else { below };
    let is_whole = ratio.trailing_zeros() >= 32;
    Some((ratio >> 32) + U256::from(!is_whole))
}

/// Multiplies and divides, rounding down; `None` if the result overflows or the divisor is zero.
fn mul_div(one: U256, other: U256, divisor: U256) -> Option<U256> {
    let product = one.widening_mul::<256, 4, 512, 8>(other);
    let quotient = product.checked_div(divisor.widening_mul::<256, 4, 512, 8>(U256::ONE))?;
    U256::checked_from_limbs_slice(quotient.as_limbs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE_X96: U256 = U256::from_limbs([0, 1 << 32, 0, 0]);

    #[test]
    fn roots_are_those_that_pools_have() {
        assert_eq!(root_x96(0), Some(ONE_X96));
        // The bounds of every pool, `MIN_SQRT_RATIO` and `MAX_SQRT_RATIO`.
        let upper = "1461446703485210103287273052203988822378723970342".parse().unwrap();
        assert_eq!((root_x96(-887_272), root_x96(887_272)), (Some(U256::from(4_295_128_739_u64)), Some(upper)));
        assert_eq!((root_x96(887_273), root_x96(-887_273), root_x96(i32::MIN)), (None, None, None));
    }

    #[test]
    fn each_root_is_the_square_of_the_one_before() {
        for pair in ROOTS_X128.windows(2) {
            let square: U256 = (U256::from(pair[0]) * U256::from(pair[0])) >> 128;
            let difference = square.abs_diff(U256::from(pair[1]));
            assert!(difference <= U256::from(2), "{pair:x?}");
        }
        // The first root squared, times 1.0001, is one up to half of its last digit.
        let square: U256 = (U256::from(ROOTS_X128[0]) * U256::from(ROOTS_X128[0])) >> 20;
        let one: U256 = (U256::ONE << 236) * U256::from(10_000);
        assert!((square * U256::from(10_001)).abs_diff(one) < U256::ONE << 123);
    }

    #[test]
    fn roots_grow_from_tick_to_tick_by_half_of_a_ten_thousandth() {
        for tick in [-887_272, -500_001, -1, 0, 1, 12_345, 887_271] {
            let (one, next) = (root_x96(tick).unwrap(), root_x96(tick + 1).unwrap());
            // The square root of 1.0001 is 1.00004999875…
            let (low, high) = (one * U256::from(100_004_u32), one * U256::from(100_006_u32));
            assert!((low..high).contains(&(next * U256::from(100_000_u32))), "{tick}");
        }
    }

    #[test]
    fn liquidity_is_the_first_token_below_its_range_and_the_second_above_it() {
        // From price 1 (root 2^96) to price 16 (root 2^98); no two ticks have exactly these.
        let range = TickRange { lower: 0, upper: 27_727, lower_x96: ONE_X96, upper_x96: ONE_X96 << 2 };
        let at = |root: U256, tick| range.amounts(1_000_001, root, tick).unwrap();
        let pair = |one: u32, other: u32| (U256::from(one), U256::from(other));
        assert_eq!(at(ONE_X96 >> 1, -13_864), pair(750_000, 0), "1,000,001 times (1 - 1/4), rounded down");
        assert_eq!(at(ONE_X96, 0), pair(750_000, 0));
        assert_eq!(at(ONE_X96 << 1, 13_863), pair(250_000, 1_000_001), "(1/2 - 1/4) of it, and once (2 - 1)");
        assert_eq!(at(ONE_X96 << 2, 27_727), pair(0, 3_000_003), "(4 - 1) of it");
        assert_eq!(
            (range.contains(-1), range.contains(0), range.contains(27_726), range.contains(27_727)),
            (false, true, true, false)
        );
    }

    #[test]
    fn amounts_round_down_and_what_is_no_price_has_none() {
        let range = TickRange { lower: 0, upper: 27_727, lower_x96: ONE_X96, upper_x96: ONE_X96 << 2 };
        assert_eq!(range.amounts(1, ONE_X96 << 1, 13_863), Some((U256::ZERO, U256::ONE)));
        assert_eq!(range.amounts(5, ONE_X96 << 1, 13_863), Some((U256::ONE, U256::from(5))));
        assert_eq!(range.amounts(5, ONE_X96 >> 1, 13_863), None, "a price below the tick that the pool has");
        assert_eq!((TickRange::new(5, 5), TickRange::new(7, 5), TickRange::new(0, 887_273)), (None, None, None));
        let most = TickRange::new(-887_272, 887_272).unwrap().amounts(u128::MAX, ONE_X96, 0);
        assert!(most.is_some(), "the largest liquidity there is");
    }

    #[test]
    fn a_price_is_the_square_of_its_root() {
        assert_eq!(square(ONE_X96 << 1), (U256::ONE << 130, 0));
        // The lowest one: 4,295,128,739² is 18,448,130,884,583,730,121, which is 2^64 and 1,386,810,874,178,505.
        assert_eq!(square(U256::from(4_295_128_739_u64)), (U256::ONE, 1_386_810_874_178_505));
        // The highest one is less than a tick below 2^128.
        let (highest, _) = square(root_x96(TICK_MAX.cast_signed()).unwrap());
        assert!(U256::MAX - highest < U256::MAX / U256::from(10_000));
    }
}
