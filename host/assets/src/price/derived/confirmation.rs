//! Confirmation by the issuer of a token's parts; a price is derived only if the issuer itself confirms.
//!
//! Invariant: an issuer is a contract that a plugin serves, that the operator names or that is in
//! [`FACTORIES`](super::factories); it is never taken from the token alone. A token confirmed by a known factory,
//! pool or comptroller runs the protocol's own code, so its amounts count.

use alloy::primitives::{Address, U256};
use alloy::sol;
use alloy::sol_types::SolCall;
use portolan_reader::{Freshness, Read, Reply};

use super::{DerivedPrices, bytes, word};
use crate::issuers::Issuers;
use crate::metadata::{Derivation, TokenMetadata};

sol! {
    /// <https://github.com/Uniswap/v2-core/blob/v1.0.1/contracts/interfaces/IUniswapV2Factory.sol>
    interface PairFactory {
        function getPair(address tokenA, address tokenB) external view returns (address);
    }

    /// <https://github.com/velodrome-finance/contracts/blob/main/contracts/interfaces/factories/IPoolFactory.sol>;
    /// factories of the first generation call it `getPair`.
    interface SolidlyFactory {
        function getPool(address tokenA, address tokenB, bool stable) external view returns (address);
        function getPair(address tokenA, address tokenB, bool stable) external view returns (address);
    }

    /// <https://github.com/aave/aave-v3-core/blob/v1.19.3/contracts/interfaces/IPool.sol>
    interface LendingPool {
        function getReserveData(address asset) external view;
    }

    /// <https://github.com/compound-finance/compound-protocol/blob/v2.8.1/contracts/ComptrollerStorage.sol>
    interface Comptroller {
        function markets(address cToken) external view returns (bool isListed);
    }
}

/// Seconds that a confirmation is served from the cache, as long as the token's own metadata: a pool rarely drops a
/// reserve.
const CONFIRMATION_MAX_AGE_S: u32 = 86_400;

/// Indices of a reserve's receipt among the words of `getReserveData`, in Aave v2 and v3:
/// <https://github.com/aave/protocol-v2/blob/1.0.1/contracts/protocol/libraries/types/DataTypes.sol>,
/// <https://github.com/aave/aave-v3-core/blob/v1.19.3/contracts/protocol/libraries/types/DataTypes.sol>.
const RECEIPT_PLACES: [usize; 2] = [7, 8];

impl DerivedPrices {
    /// The reads whose replies [`is_confirmed`] takes; empty if nothing needs confirmation, `None` if no known issuer
    /// could confirm it.
    pub(super) fn confirmation_reads(
        &self,
        issuers: &Issuers<'_>,
        token: Address,
        metadata: &TokenMetadata,
    ) -> Option<Vec<Read>> {
        let named = |contract| issuers.catalogues(contract) || self.issuers.contains(&(issuers.chain_id(), contract));
        let issuer = metadata.issuer.filter(|issuer| named(*issuer));
        let calls = match (metadata.derivation?, issuer) {
            // The network itself defines it.
            (Derivation::Native(_), _) => Vec::new(),
            // Vaults have no common issuer: they are known one by one.
            (Derivation::Vault(_), _) if issuers.lists(token) || named(token) => Vec::new(),
            (Derivation::Pair([a, b]), Some(_)) => {
                vec![PairFactory::getPairCall { tokenA: a, tokenB: b }.abi_encode()]
            }
            (Derivation::Volatile([a, b]), Some(_)) => vec![
                SolidlyFactory::getPoolCall { tokenA: a, tokenB: b, stable: false }.abi_encode(),
                SolidlyFactory::getPairCall { tokenA: a, tokenB: b, stable: false }.abi_encode(),
            ],
            (Derivation::Receipt(asset), Some(_)) => vec![LendingPool::getReserveDataCall { asset }.abi_encode()],
            (Derivation::RatedReceipt(_), Some(_)) => vec![Comptroller::marketsCall { cToken: token }.abi_encode()],
            _ => return None,
        };
        let read = |(issuer, call)| Read::call(issuer, call).fresh(Freshness::Within(CONFIRMATION_MAX_AGE_S));
        Some(calls.into_iter().filter_map(|call| Some((issuer?, call))).map(read).collect())
    }
}

/// Returns true if the replies to [`DerivedPrices::confirmation_reads`] confirm that the issuer made the token of
/// these parts.
pub(super) fn is_confirmed(derivation: Derivation, token: Address, replies: &[Reply]) -> bool {
    let own: U256 = token.into_word().into();
    let names = |reply: &Reply, place: usize| {
        let found = bytes(reply).and_then(|bytes| bytes.get(32 * place..32 * (place + 1)));
        found.map(U256::from_be_slice) == Some(own)
    };
    match derivation {
        Derivation::Native(_) | Derivation::Vault(_) => true,
        Derivation::Pair(_) | Derivation::Volatile(_) => replies.iter().any(|reply| word(reply) == Some(own)),
        Derivation::Stable(_) => false,
        Derivation::Receipt(_) => {
            replies.iter().any(|reply| RECEIPT_PLACES.into_iter().any(|place| names(reply, place)))
        }
        // The first word says whether it is listed; others follow.
        Derivation::RatedReceipt(_) => {
            let first = |reply| bytes(reply).and_then(|bytes| bytes.get(..32)).map(U256::from_be_slice);
            replies.iter().any(|reply| first(reply) == Some(U256::ONE))
        }
    }
}
