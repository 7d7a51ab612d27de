//! Nitro pools: staked NFTs earn one or two tokens there, and still earn in their own pool.
//!
//! Anyone may create a nitro pool over fake pools. It only counts if its NFTs are of a pool that the other factory
//! lists.

use std::ops::Range;

use portolan_plugin_api::{
    Address, Claimable, Error, JobContext, Leg, LegRole, Position, PositionKind, Question, Reward, U256,
};

use super::PositionPoolsKit;
use super::contracts::nitro::{
    balanceOfCall, canHarvestCall, customReqContractCall, getPublishedNitroPoolCall, harvestCall,
    harvestPositionToCall, nftPoolCall, pendingRewardsCall, poolsCall, poolsLengthCall, publishedNitroPoolsLengthCall,
    rewardsToken1Call, rewardsToken1PerSecondCall, rewardsToken2Call, rewardsToken2PerSecondCall, settingsCall,
    totalDepositAmountCall, userTokenIdCall, userTokenIdsLengthCall,
};
use super::pool::{NftPool, NftStake};
use super::rows::{self, StakeTerms};
use crate::boxed::Boxed;
use crate::display_name::display_name;
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Labels, ZERO_STANDS_S};
use crate::owned_nfts;
use crate::partial::{join_partial, with_each};
use crate::read_nonzero::read_nonzero;

/// Keys of the two lists among a deployment's fact lists.
const NITRO_POOLS: &str = "nitro-pools";
const NFT_POOLS: &str = "nft-pools";

/// Nitro pools of one factory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NitroFactory {
    pub(super) factory: Address,
    /// Factory of the pools whose NFTs they take.
    pub(super) nft_pool_factory: Address,
    pub(super) types: PositionPoolsKit,
}

/// Pools listed by the two factories.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Lists {
    nitro_pools: Vec<Address>,
    nft_pools: Vec<Address>,
}

/// A nitro pool, with its index in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ListedNitroPool {
    place: usize,
    address: Address,
}

/// Stakes of the account in one nitro pool.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Deposit {
    nitro_pool: Address,
    nft_pool: NftPool,
    token_ids: Vec<U256>,
}

impl DeploymentReader for NitroFactory {
    fn contracts(&self) -> Vec<Address> {
        vec![self.factory, self.nft_pool_factory]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns the claims of nitro pools, and those of their NFTs in their own pools.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let lists = self.lists(cx, labels).await?;
            let gains = self.gains(cx, labels, &lists, account);
            let (gains, deposits) = cx.join((gains, self.deposits(cx, labels, &lists, account))).await?;
            let rows = deposits.iter().flat_map(Deposit::stakes).map(|stake| {
                let claim = harvestPositionToCall { tokenId: stake.token_id, to: account };
                rows::claimable(cx, self.types.nitro, labels, stake, cx.claim(stake.pool.address, &claim))
            });
            let rows = join_partial(cx, rows).await.or_report(cx, labels.market);
            Ok(gains.into_iter().chain(rows.into_iter().flatten()).collect())
        })
    }

    /// Returns a position per staked NFT.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let lists = self.lists(cx, labels).await?;
            let deposits = self.deposits(cx, labels, &lists, account).await?;
            let rows = deposits.iter().map(|deposit| self.rows(cx, labels, deposit));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }
}

impl NitroFactory {
    /// Returns the known pools of both factories.
    async fn lists(&self, cx: &JobContext, labels: Labels<'_>) -> Result<Lists, Error> {
        let (nitro_at, nft_at) = (self.factory, self.nft_pool_factory);
        let nitro_pool = move |place| cx.call(nitro_at, getPublishedNitroPoolCall { index: U256::from(place) });
        let nft_pool = move |place| cx.call(nft_at, poolsCall { index: U256::from(place) });
        let nitro_walk = |places: Range<u64>| cx.join(places.map(nitro_pool));
        let nft_walk = |places: Range<u64>| cx.join(places.map(nft_pool));
        let nitro_count = cx.call(nitro_at, publishedNitroPoolsLengthCall {}).within(COUNT_STANDS_S);
        let nft_count = cx.call(nft_at, poolsLengthCall {}).within(COUNT_STANDS_S);
        let nitro_pools = cx.facts(labels.market, NITRO_POOLS, nitro_count, nitro_walk);
        let nft_pools = cx.facts(labels.market, NFT_POOLS, nft_count, nft_walk);
        let (nitro_pools, nft_pools) = cx.join((nitro_pools, nft_pools)).await?;
        Ok(Lists { nitro_pools, nft_pools })
    }

    /// Returns the pool whose NFTs a nitro pool takes; `None` if the other factory does not list it.
    async fn nft_pool(&self, cx: &JobContext, lists: &Lists, of: ListedNitroPool) -> Result<Option<NftPool>, Error> {
        let listed = cx.call(self.factory, getPublishedNitroPoolCall { index: U256::from(of.place) });
        let (listed, pool) = cx.join((listed, cx.call(of.address, nftPoolCall {}).immutable())).await?;
        if listed != of.address {
            return Err(Error::new(format!("{}: no longer a pool of {}", of.address, self.factory)));
        }
        let Some(place) = lists.nft_pools.iter().position(|known| *known == pool) else { return Ok(None) };
        let listed = cx.call(self.nft_pool_factory, poolsCall { index: U256::from(place) });
        let (listed, read) = cx.join((listed, NftPool::read(cx, pool))).await?;
        if listed != pool {
            return Err(Error::new(format!("{pool}: no longer a pool of {}", self.nft_pool_factory)));
        }
        Ok(Some(read))
    }

    /// Returns the account's stakes.
    async fn deposits(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        lists: &Lists,
        account: Address,
    ) -> Result<Vec<Deposit>, Error> {
        let count = |of: &ListedNitroPool| (of.address, userTokenIdsLengthCall { account });
        let held = read_nonzero(cx, labels.market, lists.listed().collect(), count).await?;
        let deposits = held.into_iter().map(|(of, count)| async move {
            let places = owned_nfts::places(cx, labels.market, of.address, count);
            let token_ids = places.map(|index| cx.call(of.address, userTokenIdCall { account, index }));
            let (pool, token_ids) = cx.join((self.nft_pool(cx, lists, of), cx.join(token_ids))).await?;
            Ok(pool.map(|nft_pool| Deposit { nitro_pool: of.address, nft_pool, token_ids }))
        });
        Ok(join_partial(cx, deposits).await.or_report(cx, labels.market).into_iter().flatten().collect())
    }

    /// Returns the claims of nitro pools. Rewards may remain after all NFTs are withdrawn.
    async fn gains(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        lists: &Lists,
        account: Address,
    ) -> Result<Vec<Claimable>, Error> {
        let listed: Vec<ListedNitroPool> = lists.listed().collect();
        let pending = cx.call_each(listed.iter().map(|of| (of.address, pendingRewardsCall { account })));
        let pending = with_each(listed, pending.zero_within(ZERO_STANDS_S)).await.fail_if_none(cx, labels.market)?;
        let pending = pending.into_iter().map(|(of, pending)| (of, [pending.pending1, pending.pending2]));
        let owing = pending.filter(|(_, amounts)| amounts.iter().any(|amount| !amount.is_zero()));
        let rows = owing.map(|(of, pending)| self.gain(cx, labels, lists, of, pending, account));
        Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
    }

    /// Returns the claim of one nitro pool; `None` if it pays nothing, as before the first harvest, or if the contract
    /// that it asks forbids it.
    async fn gain(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        lists: &Lists,
        of: ListedNitroPool,
        pending: [U256; 2],
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let at = of.address;
        let asked = cx.call(at, customReqContractCall {});
        let first = cx.call(at, rewardsToken1Call {}).immutable();
        let second = cx.call(at, rewardsToken2Call {}).immutable();
        let read = cx.join((self.nft_pool(cx, lists, of), cx.call(at, settingsCall {}), asked, first, second));
        let (pool, settings, asked, first, second) = read.await?;
        let Some(pool) = pool.filter(|_| settings.harvestStartTime <= now(cx)) else { return Ok(None) };
        let is_allowed =
            async { if asked.is_zero() { Ok(true) } else { cx.call(asked, canHarvestCall { user: account }).await } };
        let owed = [first, second].into_iter().zip(pending).filter(|(_, amount)| !amount.is_zero());
        // It pays at most its balance.
        let paid = owed.map(|(token, amount)| async move {
            Ok((token, cx.call(token, balanceOfCall { account: at }).await?.min(amount)))
        });
        let (is_allowed, paid, name) = cx.join((is_allowed, cx.join(paid), display_name(cx, pool.staked))).await?;
        let paid: Vec<_> = paid.into_iter().filter(|(_, amount)| is_allowed && !amount.is_zero()).collect();
        if paid.is_empty() {
            return Ok(None);
        }
        let row = Claimable::new(labels.market, at, cx.claim(at, &harvestCall {})).mechanism(self.types.nitro);
        let row = row.named(format!("{name} nitro reward"));
        Ok(Some(paid.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))))
    }

    /// Returns the positions of stakes in one nitro pool.
    async fn rows(&self, cx: &JobContext, labels: Labels<'_>, deposit: &Deposit) -> Result<Vec<Position>, Error> {
        let (at, pool) = (deposit.nitro_pool, deposit.nft_pool);
        let total = cx.call(at, totalDepositAmountCall {});
        let staked = deposit.stakes().map(|stake| async move { Ok((stake.token_id, rows::staked(cx, stake).await?)) });
        let staked = async { Ok(join_partial(cx, staked).await.or_report(cx, labels.market)) };
        let (rewards, total, staked) = cx.join((rewards(cx, at, pool), total, staked)).await?;
        let row = |(token_id, staked): (U256, Option<StakeTerms>)| {
            let StakeTerms { amount, name, lock } = staked?;
            let row = Position::new(PositionKind::STAKED, labels.market, at).mechanism(self.types.nitro);
            let row = row.named(format!("{name} nitro position")).numbered(token_id);
            let row = row.leg(Leg::new(LegRole::STAKED, pool.staked, amount).of_total(total));
            Some(Position { lock, ..rewards.iter().copied().fold(row, Position::reward) })
        };
        Ok(staked.into_iter().filter_map(row).collect())
    }
}

impl Lists {
    fn listed(&self) -> impl Iterator<Item = ListedNitroPool> {
        self.nitro_pools.iter().enumerate().map(|(place, address)| ListedNitroPool { place, address: *address })
    }
}

impl Deposit {
    fn stakes(&self) -> impl Iterator<Item = NftStake> {
        self.token_ids.iter().map(|token_id| NftStake { pool: self.nft_pool, token_id: *token_id })
    }
}

/// Returns the rewards of NFTs in a nitro pool: its own tokens, shared by amount between start and end, and those of
/// their own pool, which weights stakes.
async fn rewards(cx: &JobContext, at: Address, pool: NftPool) -> Result<Vec<Reward>, Error> {
    let first = (cx.call(at, rewardsToken1Call {}).immutable(), cx.call(at, rewardsToken1PerSecondCall {}));
    let second = (cx.call(at, rewardsToken2Call {}).immutable(), cx.call(at, rewardsToken2PerSecondCall {}));
    let read = cx.join((cx.call(at, settingsCall {}), cx.join(first), cx.join(second)));
    let (settings, first, second) = read.await?;
    let is_paying = settings.startTime <= now(cx) && now(cx) < settings.endTime;
    let own = [first, second].into_iter().filter(|(token, _)| !token.is_zero());
    let own: Vec<_> = own.map(|(token, rate)| (token, if is_paying { rate } else { U256::ZERO })).collect();
    let is_own = |token: &Address| own.iter().any(|(of, _)| of == token);
    let weighed: Vec<_> = pool.tokens().into_iter().filter(|token| !is_own(token)).map(|token| (token, None)).collect();
    // The rate of a token that both pay is unknown.
    let own = own.into_iter().map(|(token, rate)| (token, Some(rate).filter(|_| !pool.tokens().contains(&token))));
    Ok(own.chain(weighed).map(|(token, rate)| Reward::new(token, rate)).collect())
}

/// Returns the block's time.
fn now(cx: &JobContext) -> U256 {
    U256::from(cx.block().timestamp)
}
