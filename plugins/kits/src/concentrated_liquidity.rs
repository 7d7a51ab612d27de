//! Liquidity between two ticks of a concentrated pool, for all kits that show it: both tokens' amounts at the pool's
//! price, the prices of its range, and the fees that its claim collects.
//!
//! Invariant: amounts are what the pool would pay, rounded down as it does. Fees are what the claim itself returns; the
//! views of managers only count them when a position is touched.
//!
//! Sources: <https://github.com/Uniswap/v3-core/blob/main/contracts/UniswapV3Pool.sol>,
//! <https://github.com/Uniswap/v3-periphery/blob/main/contracts/NonfungiblePositionManager.sol>

use portolan_plugin_api::ticks::TickRange;
use portolan_plugin_api::{
    Address, ClaimTemplate, Error, JobContext, Leg, LegRole, Nft, Position, Read, Role, U256, symbol,
};

portolan_plugin_api::sol! {
    // Forks return other words after these two, and some name it otherwise.
    function slot0() external view returns (uint160 sqrtPriceX96, int24 tick);

    struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }
    function collect(CollectParams params) external returns (uint256 amount0, uint256 amount1);
}

/// A position's liquidity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Liquidity {
    /// Contract that knows the position, for errors.
    pub(crate) at: Address,
    pub(crate) id: U256,
    pub(crate) tokens: [Address; 2],
    pub(crate) ticks: [i32; 2],
    pub(crate) amount: u128,
}

impl Liquidity {
    /// Returns the names of both tokens.
    pub(crate) fn pair(&self) -> String {
        let [token0, token1] = self.tokens;
        format!("{}/{}", symbol(token0), symbol(token1))
    }

    /// Returns the range of ticks.
    ///
    /// # Errors
    /// If the range is empty or beyond all prices.
    pub(crate) fn range(&self) -> Result<TickRange, Error> {
        let [lower, upper] = self.ticks;
        TickRange::new(lower, upper)
            .ok_or_else(|| Error::new(format!("{}: position {} has no range", self.at, self.id)))
    }

    /// Adds the NFT, the range and both tokens' amounts at the pool's price to a position.
    ///
    /// # Errors
    /// If the range or the price is impossible.
    pub(crate) fn shown_in(
        &self,
        position: Position,
        role: LegRole,
        price: &slot0Return,
        collection: Address,
    ) -> Result<Position, Error> {
        let ([token0, token1], range, tick) = (self.tokens, self.range()?, price.tick.as_i32());
        let amounts = range.amounts(self.amount, U256::from(price.sqrtPriceX96), tick);
        let (amount0, amount1) = amounts.ok_or_else(|| Error::new("a pool's price is out of range"))?;
        let legs = [Leg::new(role, token0, amount0), Leg::new(role, token1, amount1)];
        Ok(Position {
            nft: Some(Nft { collection, token_id: self.id }),
            range: Some(range.prices(token0, token1, tick)),
            ..position.legs(legs)
        })
    }
}

/// Returns the claim of all that a position owes, paid to the account.
pub(crate) fn collect_all(id: U256, account: Address) -> collectCall {
    let all = u128::MAX;
    collectCall { params: CollectParams { tokenId: id, recipient: account, amount0Max: all, amount1Max: all } }
}

/// Returns the template of [`collect_all`].
pub(crate) fn template() -> ClaimTemplate {
    let all = || Role::constant(&u128::MAX);
    ClaimTemplate::new::<collectCall>([Role::tuple([Role::NUMBER, Role::ACCOUNT, all(), all()])])
}

/// Reads what collecting from a position would pay now.
pub(crate) fn owed(cx: &JobContext, at: Address, id: U256, account: Address) -> Read<'_, collectReturn> {
    cx.call(at, collect_all(id, account)).from(account).isolated()
}

impl collectReturn {
    /// Returns true if nothing is owed.
    pub(crate) fn is_nothing(&self) -> bool {
        self.amount0.is_zero() && self.amount1.is_zero()
    }

    /// Returns a leg per token.
    pub(crate) fn legs(&self, [token0, token1]: [Address; 2]) -> [Leg; 2] {
        [Leg::new(LegRole::FEE_OWED, token0, self.amount0), Leg::new(LegRole::FEE_OWED, token1, self.amount1)]
    }
}
