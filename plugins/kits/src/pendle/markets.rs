//! The three tokens of each market, and which of them an account holds.

use std::collections::BTreeSet;

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::contracts::{balanceOfCall, readTokensCall};
use crate::kit::Labels;
use crate::partial::with_each;
use crate::read_nonzero::read_nonzero;

/// A market and its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct MarketTokens {
    /// The market, whose own token is the share of its liquidity.
    pub(super) market: Address,
    /// The wrapped asset.
    pub(super) sy: Address,
    /// The principal token.
    pub(super) pt: Address,
    /// The yield token.
    pub(super) yt: Address,
}

/// A token that an account may hold outside of a market.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum HeldToken {
    /// A principal token.
    Principal { pt: Address, yt: Address, sy: Address },
    /// A yield token.
    Yield { yt: Address, sy: Address },
    /// A wrapped asset.
    Wrapped(Address),
}

impl HeldToken {
    pub(super) const fn address(self) -> Address {
        match self {
            Self::Principal { pt: at, .. } | Self::Yield { yt: at, .. } | Self::Wrapped(at) => at,
        }
    }
}

/// Returns the tokens of markets. One that cannot be read is reported and loses only itself.
///
/// # Errors
/// The first error, if every market failed.
pub(super) async fn tokens(cx: &JobContext, market: &str, markets: &[Address]) -> Result<Vec<MarketTokens>, Error> {
    let read = cx.call_each(markets.iter().map(|at| (*at, readTokensCall {}))).immutable();
    let read = with_each(markets.to_vec(), read).await.or_none_where_gone(cx, market)?;
    Ok(read.into_iter().map(|(market, of)| MarketTokens { market, sy: of.sy, pt: of.pt, yt: of.yt }).collect())
}

/// Returns the tokens of markets that the account holds, with their amounts: all but the markets' own.
pub(super) async fn held(
    cx: &JobContext,
    labels: Labels<'_>,
    markets: &[MarketTokens],
    account: Address,
) -> Result<Vec<(HeldToken, U256)>, Error> {
    let of = |MarketTokens { sy, pt, yt, .. }: &MarketTokens| {
        let (sy, pt, yt) = (*sy, *pt, *yt);
        [HeldToken::Principal { pt, yt, sy }, HeldToken::Yield { yt, sy }, HeldToken::Wrapped(sy)]
    };
    // Markets may share tokens.
    let each: BTreeSet<HeldToken> = markets.iter().flat_map(of).collect();
    let balance = |token: &HeldToken| (token.address(), balanceOfCall { account });
    read_nonzero(cx, labels.market, each.into_iter().collect(), balance).await
}
