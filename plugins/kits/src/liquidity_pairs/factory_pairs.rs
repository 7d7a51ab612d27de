//! Pairs that a factory has made of the tokens of a row, found once and shared by all jobs.
//!
//! Invariant: the tokens, in their order, are in the name of the list, so that other tokens have a list of their own.

use std::collections::BTreeSet;
use std::ops::Range;

use portolan_plugin_api::alloy::primitives::{hex, keccak256};
use portolan_plugin_api::{Address, Error, JobContext, Keys, SettingsError, SolValue, U256};

portolan_plugin_api::sol! {
    // The zero address stands for no pair.
    function getPair(address tokenA, address tokenB) external view returns (address pair);
}

/// Pairs that one row may look for: each that exists costs every account a read.
const PAIRS_MAX: usize = 1_024;

/// A factory, and the tokens whose pairs count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FactoryPairs {
    pub(super) factory: Address,
    /// Two tokens of each pair.
    tokens: Vec<(Address, Address)>,
}

impl FactoryPairs {
    /// Reads the keys of a factory; `None` if the row has none. Without tokens it only knows the row's named pairs.
    pub(super) fn read(keys: &Keys<'_>, has_named: bool) -> Result<Option<Self>, SettingsError> {
        let factory = keys.address_opt("pair_factory")?;
        let (bases, others) = (keys.addresses("base_tokens")?, keys.addresses("paired_tokens")?);
        let has_tokens = !bases.is_empty() || !others.is_empty();
        let factory = match factory {
            Some(factory) => factory,
            None if has_tokens => return Err(SettingsError::new("missing beside tokens").at("pair_factory")),
            None => return Ok(None),
        };
        let tokens = combined(&bases, &others);
        if tokens.is_empty() && (has_tokens || !has_named) {
            return Err(SettingsError::new("missing; two tokens make a pair").at("base_tokens"));
        }
        if tokens.len() > PAIRS_MAX {
            let why = format!("{} pairs of these tokens are more than {PAIRS_MAX}", tokens.len());
            return Err(SettingsError::new(why).at("base_tokens"));
        }
        Ok(Some(Self { factory, tokens }))
    }

    /// Returns the pairs of the tokens that exist. One that is made later shows once the host checks the list, which
    /// takes hours.
    pub(super) async fn pairs(&self, cx: &JobContext, market: &str) -> Result<Vec<Address>, Error> {
        if self.tokens.is_empty() {
            return Ok(Vec::new());
        }
        let walk = |places: Range<u64>| cx.join(places.map(move |place| self.pair(cx, place)));
        let count = async { Ok(U256::from(self.tokens.len())) };
        let pairs: Vec<Address> = cx.facts(market, &self.list(), count, walk).await?;
        Ok(pairs.into_iter().filter(|pair| !pair.is_zero()).collect())
    }

    async fn pair(&self, cx: &JobContext, place: u64) -> Result<Address, Error> {
        let tokens = usize::try_from(place).ok().and_then(|place| self.tokens.get(place));
        let (token_a, token_b) = *tokens.ok_or_else(|| Error::new(format!("{}: no pair {place}", self.factory)))?;
        cx.call(self.factory, getPairCall { tokenA: token_a, tokenB: token_b }).await
    }

    /// Returns the key of the list among a deployment's fact lists.
    fn list(&self) -> String {
        let tokens = keccak256((self.factory, self.tokens.clone()).abi_encode());
        format!("pairs-{}", hex::encode(&tokens[..8]))
    }
}

/// Checks that a factory knows a pair by its tokens.
///
/// # Errors
/// If it does not.
pub(super) async fn check(cx: &JobContext, factory: Address, pair: Address, of: [Address; 2]) -> Result<(), Error> {
    let [token_a, token_b] = of;
    let known = cx.call(factory, getPairCall { tokenA: token_a, tokenB: token_b }).immutable().await?;
    if known == pair {
        return Ok(());
    }
    Err(Error::new(format!("{pair}: is not the pair of {token_a} and {token_b} in {factory}")))
}

/// Returns each pair of two base tokens, and of a base token with another one, once.
fn combined(bases: &[Address], others: &[Address]) -> Vec<(Address, Address)> {
    let mut seen = BTreeSet::new();
    let mut tokens = Vec::new();
    for (place, base) in bases.iter().enumerate() {
        for other in bases[place + 1..].iter().chain(others) {
            let pair = (*base.min(other), *base.max(other));
            if pair.0 != pair.1 && seen.insert(pair) {
                tokens.push(pair);
            }
        }
    }
    tokens
}
