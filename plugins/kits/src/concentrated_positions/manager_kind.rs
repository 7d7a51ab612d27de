//! Kinds of position managers: what their `positions` returns, how their factories know pools, and how pools name
//! their price.
//!
//! Sources: <https://github.com/Uniswap/v3-periphery/blob/main/contracts/NonfungiblePositionManager.sol>,
//! <https://github.com/velodrome-finance/slipstream/blob/main/contracts/periphery/NonfungiblePositionManager.sol>,
//! <https://github.com/cryptoalgebra/AlgebraV1/tree/main/src/periphery/contracts>,
//! <https://github.com/cryptoalgebra/Algebra/tree/integral-v1.2/src/periphery/contracts>

use portolan_plugin_api::{Address, Error, JobContext, Keys, SettingsError, U256};

use crate::concentrated_liquidity::{Liquidity, slot0Call, slot0Return};

portolan_plugin_api::sol! {
    function factory() external view returns (address);

    // All managers return more words after these.
    interface UniswapV3 {
        function positions(uint256 tokenId) external view returns (
            uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower,
            int24 tickUpper, uint128 liquidity
        );
        function getPool(address token0, address token1, uint24 fee) external view returns (address);
    }

    interface Slipstream {
        function positions(uint256 tokenId) external view returns (
            uint96 nonce, address operator, address token0, address token1, int24 tickSpacing, int24 tickLower,
            int24 tickUpper, uint128 liquidity
        );
        function getPool(address token0, address token1, int24 tickSpacing) external view returns (address);
    }

    // Also with fees by direction.
    interface Algebra {
        function positions(uint256 tokenId) external view returns (
            uint96 nonce, address operator, address token0, address token1, int24 tickLower, int24 tickUpper,
            uint128 liquidity
        );
        function poolByPair(address token0, address token1) external view returns (address);
    }

    interface AlgebraIntegral {
        function positions(uint256 tokenId) external view returns (
            uint88 nonce, address operator, address token0, address token1, address deployer, int24 tickLower,
            int24 tickUpper, uint128 liquidity
        );
        function customPoolByPair(address deployer, address token0, address token1) external view returns (address);
    }
}

/// The manager that a manager is a copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManagerKind {
    /// Uniswap v3, with a pool per fee.
    UniswapV3,
    /// Velodrome's and Aerodrome's, with a pool per distance of ticks.
    Slipstream,
    /// Algebra before Integral, with one pool per pair.
    Algebra,
    /// Algebra Integral from 1.1 on, whose pools may have a deployer of their own.
    AlgebraIntegral,
}

/// Names of the kinds in settings.
const KINDS: [(&str, ManagerKind); 4] = [
    ("uniswap-v3", ManagerKind::UniswapV3),
    ("slipstream", ManagerKind::Slipstream),
    ("algebra", ManagerKind::Algebra),
    ("algebra-integral", ManagerKind::AlgebraIntegral),
];

/// A position, and what its factory knows the pool by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ManagedPosition {
    pub(super) liquidity: Liquidity,
    key: PoolKey,
}

/// What tells the pools of a pair apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PoolKey {
    Fee(u32),
    TickSpacing(i32),
    /// Zero for the pair's main pool.
    Deployer(Address),
}

impl ManagerKind {
    /// Reads `manager_kind`.
    pub(super) fn read(keys: &Keys<'_>) -> Result<Self, SettingsError> {
        let Some(name) = keys.text("manager_kind")? else {
            return Ok(Self::UniswapV3);
        };
        let kind = KINDS.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        let names = KINDS.map(|(known, _)| format!("`{known}`")).join(", ");
        kind.ok_or_else(|| SettingsError::new(format!("{name:?} is unknown; give {names}")).at("manager_kind"))
    }

    /// Reads a position.
    pub(super) async fn held(self, cx: &JobContext, at: Address, id: U256) -> Result<ManagedPosition, Error> {
        let of = |tokens, ticks, amount, key| ManagedPosition {
            liquidity: Liquidity { at, id, tokens, ticks, amount },
            key,
        };
        Ok(match self {
            Self::UniswapV3 => {
                let held = cx.call(at, UniswapV3::positionsCall { tokenId: id }).await?;
                let ticks = [held.tickLower.as_i32(), held.tickUpper.as_i32()];
                of([held.token0, held.token1], ticks, held.liquidity, PoolKey::Fee(held.fee.to()))
            }
            Self::Slipstream => {
                let held = cx.call(at, Slipstream::positionsCall { tokenId: id }).await?;
                let ticks = [held.tickLower.as_i32(), held.tickUpper.as_i32()];
                let key = PoolKey::TickSpacing(held.tickSpacing.as_i32());
                of([held.token0, held.token1], ticks, held.liquidity, key)
            }
            Self::Algebra => {
                let held = cx.call(at, Algebra::positionsCall { tokenId: id }).await?;
                let ticks = [held.tickLower.as_i32(), held.tickUpper.as_i32()];
                of([held.token0, held.token1], ticks, held.liquidity, PoolKey::Deployer(Address::ZERO))
            }
            Self::AlgebraIntegral => {
                let held = cx.call(at, AlgebraIntegral::positionsCall { tokenId: id }).await?;
                let ticks = [held.tickLower.as_i32(), held.tickUpper.as_i32()];
                of([held.token0, held.token1], ticks, held.liquidity, PoolKey::Deployer(held.deployer))
            }
        })
    }

    /// Reads the price of a position's pool. The pool never changes.
    pub(super) async fn price(
        self,
        cx: &JobContext,
        manager: Address,
        held: &ManagedPosition,
    ) -> Result<slot0Return, Error> {
        let factory = cx.call(manager, factoryCall {}).immutable().await?;
        let [token0, token1] = held.liquidity.tokens;
        let pool = match held.key {
            PoolKey::Fee(fee) => {
                let fee = fee.try_into().map_err(|_| Error::new("a fee is out of range"))?;
                cx.call(factory, UniswapV3::getPoolCall { token0, token1, fee }).immutable().await?
            }
            PoolKey::TickSpacing(spacing) => {
                let spacing = spacing.try_into().map_err(|_| Error::new("a tick spacing is out of range"))?;
                cx.call(factory, Slipstream::getPoolCall { token0, token1, tickSpacing: spacing }).immutable().await?
            }
            PoolKey::Deployer(Address::ZERO) => {
                cx.call(factory, Algebra::poolByPairCall { token0, token1 }).immutable().await?
            }
            PoolKey::Deployer(deployer) => {
                let call = AlgebraIntegral::customPoolByPairCall { deployer, token0, token1 };
                cx.call(factory, call).immutable().await?
            }
        };
        match self {
            Self::UniswapV3 | Self::Slipstream => cx.call(pool, slot0Call {}).await,
            Self::Algebra | Self::AlgebraIntegral => cx.call_as(pool, "globalState", &slot0Call {}).await,
        }
    }
}
