//! Markets of Pendle v2: principal tokens (PT), yield tokens (YT), wrapped assets (SY) and liquidity of both.
//!
//! A deployment is a list of markets; settings key `pendle_markets`. Answers claimables, farming and pooling positions,
//! and compositions. Invariant: a principal token counts as the asset that it pays at its expiry, and has that as the
//! end of its lock; what the market would give for it before is not read. A yield token has no amount but its own, and
//! after its expiry none. A market that cannot be read loses only its own rows, and the answer reports it.
//!
//! Source: <https://github.com/pendle-finance/pendle-core-v2-public/tree/main/contracts/core>.

mod assets;
mod claims;
mod contracts;
mod markets;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Composition, Error, JobContext, Keys, Leg, LegRole, Lineage, Lock, Part,
    Position, PositionKind, Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::fixed_point::{mul_div, whole};
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;
use assets::Wrapped;
use contracts::{
    _storageCall, balanceOfCall, claimRewardsCall, decimalsCall, expiryCall, readTokensCall,
    redeemDueInterestAndRewardsCall, redeemRewardsCall, totalSupplyCall,
};
use markets::{HeldToken, MarketTokens};

/// Words of `readTokens`.
const SY_WORD: u32 = 0;
const PT_WORD: u32 = 1;
const YT_WORD: u32 = 2;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PendleKit {
    /// Mechanism of principal tokens.
    pub principal: &'static str,
    /// Mechanism of yield tokens, and `type` of what they earn.
    pub yield_token: &'static str,
    /// Mechanism of wrapped assets, and `type` of their rewards.
    pub wrapped: &'static str,
    /// Mechanism of liquidity, and `type` of its rewards.
    pub liquidity: &'static str,
    /// Token `type` of shares of liquidity, of wrapped assets and of principal tokens.
    pub share: &'static str,
}

/// Markets of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendleMarkets {
    markets: Vec<Address>,
    types: PendleKit,
}

impl PendleKit {
    /// Keys of a row for markets of Pendle:
    /// - `pendle_markets` (array of addresses): the markets, which name their tokens
    pub const KEYS: &'static [&'static str] = &["pendle_markets"];
}

impl Kit for PendleKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let markets = keys.addresses("pendle_markets")?;
        Ok((!markets.is_empty()).then(|| PendleMarkets { markets, types: *self }.shared()))
    }

    /// Whoever sends the calls, they pay the account that they name.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let flags = [Role::ACCOUNT, Role::constant(&true), Role::constant(&true)];
        vec![
            ClaimTemplate::new::<redeemDueInterestAndRewardsCall>(flags).by_anyone(),
            ClaimTemplate::new::<redeemRewardsCall>([Role::ACCOUNT]).by_anyone(),
            ClaimTemplate::new::<claimRewardsCall>([Role::ACCOUNT]).by_anyone(),
        ]
    }

    /// Claims call a market's wrapped asset and yield token; compositions are about the others too.
    fn lineages(&self) -> Vec<Lineage> {
        let targets = [SY_WORD, YT_WORD].map(|word| Lineage::targets::<readTokensCall>().at(word));
        let shares = [SY_WORD, PT_WORD].map(|word| Lineage::markets::<readTokensCall>().at(word));
        targets.into_iter().chain(shares).collect()
    }
}

impl DeploymentReader for PendleMarkets {
    fn contracts(&self) -> Vec<Address> {
        self.markets.clone()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::POOLING, Question::COMPOSITION]
    }

    /// Returns a claim per yield token, market and wrapped asset that owes the account.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let markets = markets::tokens(cx, labels.market, &self.markets).await?;
            claims::claimables(cx, labels, self.types, &markets, account).await
        })
    }

    /// Returns a position per token that the account holds: liquidity if pools are asked for, else all others.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let markets = markets::tokens(cx, labels.market, &self.markets).await?;
            if question == Question::POOLING {
                let balance = |tokens: &MarketTokens| (tokens.market, balanceOfCall { account });
                let held = read_nonzero(cx, labels.market, markets, balance).await?;
                let rows = held.into_iter().map(|(of, shares)| self.liquidity(cx, labels, of, shares));
                return Ok(join_partial(cx, rows).await.or_report(cx, labels.market));
            }
            let held = markets::held(cx, labels, &markets, account).await?;
            let rows = held.into_iter().map(|(token, amount)| self.holding(cx, labels, token, amount));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    /// Returns the compositions of shares of liquidity, of wrapped assets, and of principal tokens that are due.
    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let market = "tokens of markets";
            let known = markets::tokens(cx, market, &self.markets).await?;
            let each = tokens.iter().map(|token| self.composition(cx, &known, *token));
            Ok(join_partial(cx, each).await.or_report(cx, market).into_iter().flatten().collect())
        })
    }
}

impl PendleMarkets {
    /// Returns a token that the account holds; `None` for a yield token that has expired, which pays nothing more.
    async fn holding(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        token: HeldToken,
        amount: U256,
    ) -> Result<Option<Position>, Error> {
        let at = token.address();
        let row = |mechanism, leg| {
            let row = Position::new(PositionKind::STAKED, labels.market, at).mechanism(mechanism);
            row.named(symbol(at)).leg(leg)
        };
        Ok(match token {
            HeldToken::Principal { yt, sy, .. } => {
                let (paid, expiry) = cx.join((principal(cx, sy, yt, amount), expiry(cx, yt))).await?;
                let leg = Leg::new(LegRole::STAKED, paid.token, amount).redeeming(paid.amount).receipt(at);
                Some(Position { lock: Some(lock(expiry)), ..row(self.types.principal, leg) })
            }
            HeldToken::Yield { yt, sy } => {
                let is_over = is_over(cx, expiry(cx, yt).await?);
                let leg = Leg::new(LegRole::STAKED, yt, amount);
                (!is_over).then(|| row(self.types.yield_token, leg).reward(Reward::new(sy, None)))
            }
            HeldToken::Wrapped(sy) => {
                let paid = Wrapped::read(cx, sy).await?.pays(cx, amount).await?;
                let leg = Leg::new(LegRole::STAKED, paid.token, amount).redeeming(paid.amount).receipt(sy);
                Some(row(self.types.wrapped, leg).reward(Reward::new(paid.token, None)))
            }
        })
    }

    /// Returns a share of both reserves, rounded down as the market pays it.
    async fn liquidity(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        MarketTokens { market, sy, pt, yt }: MarketTokens,
        shares: U256,
    ) -> Result<Position, Error> {
        let supply = cx.call(market, totalSupplyCall {});
        let (wrapped, reserves, supply) = cx.join((Wrapped::read(cx, sy), reserves(cx, market), supply)).await?;
        if shares > supply {
            return Err(Error::new(format!("{market}: {shares} shares of {supply}")));
        }
        let part = |reserve| mul_div(reserve, shares, supply);
        let (wrapped_amount, principal_amount) = (part(reserves.wrapped)?, part(reserves.principal)?);
        let paid = wrapped.principal(cx, yt, principal_amount);
        let (redeemed, paid) = cx.join((wrapped.pays(cx, wrapped_amount), paid)).await?;
        let leg =
            |token, amount, pays| Leg { redeems_to: Some(vec![pays]), ..Leg::new(LegRole::POOLED, token, amount) };
        let row = Position::new(PositionKind::POOLED, labels.market, market).mechanism(self.types.liquidity);
        let row = row.named(format!("{}/{} liquidity", symbol(sy), symbol(pt)));
        Ok(row.leg(leg(sy, wrapped_amount, redeemed)).leg(leg(pt, principal_amount, paid)))
    }

    async fn composition(
        &self,
        cx: &JobContext,
        known: &[MarketTokens],
        token: Address,
    ) -> Result<Option<Composition>, Error> {
        let find = |is: fn(&MarketTokens) -> Address| known.iter().find(|of| is(of) == token).copied();
        let of = |supply, parts| Composition { token, kind: self.types.share.to_owned(), supply, parts };
        if let Some(MarketTokens { sy, pt, .. }) = find(|of| of.market) {
            let (reserves, supply) = cx.join((reserves(cx, token), cx.call(token, totalSupplyCall {}))).await?;
            let parts = [(sy, reserves.wrapped), (pt, reserves.principal)];
            let parts = parts.map(|(token, amount)| Part { token, amount }).to_vec();
            return Ok((!supply.is_zero()).then(|| of(supply, parts)));
        }
        if find(|of| of.sy).is_some() {
            let (wrapped, one) = cx.join((Wrapped::read(cx, token), one(cx, token))).await?;
            return Ok(Some(of(one, vec![wrapped.pays(cx, one).await?])));
        }
        let Some(MarketTokens { sy, yt, .. }) = find(|of| of.pt) else { return Ok(None) };
        let (expiry, one) = cx.join((expiry(cx, yt), one(cx, token))).await?;
        if !is_over(cx, expiry) {
            return Ok(None);
        }
        Ok(Some(of(one, vec![principal(cx, sy, yt, one).await?])))
    }
}

/// What a market has for those who leave it.
#[derive(Clone, Copy, Debug)]
struct MarketReserves {
    wrapped: U256,
    principal: U256,
}

async fn reserves(cx: &JobContext, market: Address) -> Result<MarketReserves, Error> {
    let stored = cx.call(market, _storageCall {}).await?;
    let amount =
        |total| U256::try_from(total).map_err(|_| Error::new(format!("{market}: a reserve has less than nothing")));
    Ok(MarketReserves { wrapped: amount(stored.totalSy)?, principal: amount(stored.totalPt)? })
}

/// Returns what an amount of a principal token pays at its expiry.
async fn principal(cx: &JobContext, sy: Address, yt: Address, amount: U256) -> Result<Part, Error> {
    Wrapped::read(cx, sy).await?.principal(cx, yt, amount).await
}

/// Returns one whole token in smallest units.
async fn one(cx: &JobContext, token: Address) -> Result<U256, Error> {
    whole(token, U256::from(cx.call(token, decimalsCall {}).await?))
}

/// Returns the expiry of a yield token, in Unix seconds.
async fn expiry(cx: &JobContext, yt: Address) -> Result<u64, Error> {
    let expiry = cx.call(yt, expiryCall {}).immutable().await?;
    Ok(u64::try_from(expiry).unwrap_or(u64::MAX))
}

/// Returns true from the second of the expiry on.
fn is_over(cx: &JobContext, expiry: u64) -> bool {
    expiry <= cx.block().timestamp
}

const fn lock(expiry: u64) -> Lock {
    Lock { unlocks_at: Some(expiry), is_permanent: Some(false) }
}
