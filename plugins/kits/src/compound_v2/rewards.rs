//! Rewards of suppliers and borrowers.
//!
//! A comptroller records what it owes whenever the account uses a market. Rewards since then are the growth of the
//! market's index over the account's, times the account's amount there. No view computes this, so it is done here.
//! Listed distributors keep the same indexes instead of the comptroller, for one token each, and may have an end.

use std::collections::BTreeMap;

use portolan_plugin_api::{Address, Claim, Claimable, Error, JobContext, NATIVE, U256, symbol};

use super::contracts::{
    borrowIndexCall, claimCompCall, claimReward_0Call as claimRewardCall, claimReward_1Call as claimTypedRewardCall,
    claimRewardTokenCall, claimVenusCall, distributor, getCompAddressCall, getOutstandingRewardsForUserCall,
    getRewardDistributorsCall, getXVSAddressCall, indexes, isTimeBasedCall, marketsCall, qiAddressCall,
    rewardTokenCall, totalBorrowsCall, totalSupplyCall, typed,
};
use super::market::{Held, LIST_STANDS_S, held};
use super::{CompoundV2, CompoundV2Rewards, IndexViews, ZERO_STANDS_S};
use crate::fixed_point::{WAD, product, too_large};
use crate::kit::Labels;
use crate::partial::join_partial;
use crate::token_sums;

/// Ten times the distributors of the largest known comptroller.
const DISTRIBUTORS_MAX: usize = 100;
/// Cache time of a comptroller's reward token, in seconds; an upgrade may change it.
const TOKEN_STANDS_S: u32 = 3_600;

/// Index of one reward token in one contract.
#[derive(Clone, Copy, Debug)]
struct Index {
    /// Comptroller or distributor.
    keeper: Address,
    views: Views,
    token: Address,
    by_second: bool,
    account: Address,
}

/// Names of an index's views, and its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Views {
    /// Views of a comptroller, with the number of the token's type if it has types.
    Comptroller(IndexViews, u8),
    /// `rewardTokenAccrued`, `claimRewardToken`: Venus' distributors.
    Distributor,
}

/// Sides of a market, which are rewarded separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Supply,
    Borrow,
}

/// Returns a row per claim.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &CompoundV2,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    match &of.contracts.rewards {
        CompoundV2Rewards::None => Ok(Vec::new()),
        CompoundV2Rewards::Distributor(distributor) => distributed(cx, of, labels, *distributor, account).await,
        CompoundV2Rewards::Indexed { views, tokens, by_second } => {
            let (keeper, by_second) = (of.contracts.comptroller, *by_second);
            let indexes = async {
                let tokens = if tokens.is_empty() { named(cx, keeper, *views).await? } else { tokens.to_vec() };
                let index = |(kind, token)| {
                    let views = Views::Comptroller(*views, kind);
                    Index { keeper, views, token, by_second, account }
                };
                Ok((0_u8..).zip(tokens).map(index).collect())
            };
            indexed(cx, of, labels, account, indexes).await
        }
        CompoundV2Rewards::Listed => {
            indexed(cx, of, labels, account, listed(cx, of.contracts.comptroller, labels.market, account)).await
        }
    }
}

/// Returns the tokens that the comptroller names.
async fn named(cx: &JobContext, comptroller: Address, views: IndexViews) -> Result<Vec<Address>, Error> {
    match views {
        IndexViews::Comp => Ok(vec![cx.call(comptroller, getCompAddressCall {}).within(TOKEN_STANDS_S).await?]),
        IndexViews::Venus => Ok(vec![cx.call(comptroller, getXVSAddressCall {}).within(TOKEN_STANDS_S).await?]),
        IndexViews::Typed => Ok(vec![cx.call(comptroller, qiAddressCall {}).within(TOKEN_STANDS_S).await?, NATIVE]),
    }
}

/// Returns the indexes of the distributors that the comptroller lists.
async fn listed(cx: &JobContext, comptroller: Address, market: &str, account: Address) -> Result<Vec<Index>, Error> {
    let keepers = cx.call(comptroller, getRewardDistributorsCall {}).within(LIST_STANDS_S).await?;
    if keepers.len() > DISTRIBUTORS_MAX {
        let count = keepers.len();
        return Err(Error::new(format!("{comptroller}: lists {count} distributors, more than {DISTRIBUTORS_MAX}")));
    }
    let each = keepers.into_iter().map(|keeper| async move {
        let token = cx.call(keeper, rewardTokenCall {}).immutable();
        // The first distributors lack this view, and count per block.
        let by_second = cx.try_call(keeper, isTimeBasedCall {}).within(LIST_STANDS_S);
        let (token, by_second) = cx.join((token, by_second)).await?;
        Ok(Index { keeper, views: Views::Distributor, token, by_second: by_second.unwrap_or(false), account })
    });
    join_partial(cx, each).await.fail_if_none(cx, market)
}

/// Returns a row per index that owes anything.
async fn indexed(
    cx: &JobContext,
    of: &CompoundV2,
    labels: Labels<'_>,
    account: Address,
    indexes: impl Future<Output = Result<Vec<Index>, Error>>,
) -> Result<Vec<Claimable>, Error> {
    let indexes = async {
        let accrued = indexes.await?.into_iter().map(async |index| Ok((index, index.accrued(cx).await?)));
        join_partial(cx, accrued).await.fail_if_none(cx, labels.market)
    };
    let (indexes, held) = cx.join((indexes, rewarded(cx, of, labels.market, account))).await?;
    let rows = indexes.into_iter().map(async |(index, accrued)| {
        let since = cx.join(held.iter().map(|held| index.since(cx, *held))).await?;
        let owed = since.into_iter().try_fold(accrued, U256::checked_add).ok_or_else(too_large)?;
        let row = Claimable::new(labels.market, index.keeper, index.claim(cx, &held)).mechanism(of.types.reward);
        Ok(row.named(format!("{} {} rewards", labels.title, symbol(index.token))).pays(index.token, owed))
    });
    let mut rows = join_partial(cx, rows).await.or_report(cx, labels.market);
    rows.retain(|row| row.payments.iter().any(|payment| !payment.amount.is_zero()));
    Ok(rows)
}

/// Returns the account's markets that a claim may name. Venus can remove a market that `getAllMarkets` still returns; a
/// claim that names it reverts.
async fn rewarded(cx: &JobContext, of: &CompoundV2, market: &str, account: Address) -> Result<Vec<Held>, Error> {
    let held = held(cx, of, market, account).await?;
    let may_end = match of.contracts.rewards {
        CompoundV2Rewards::Listed => true,
        CompoundV2Rewards::Indexed { views, .. } => views == IndexViews::Venus,
        CompoundV2Rewards::None | CompoundV2Rewards::Distributor(_) => false,
    };
    if !may_end {
        return Ok(held);
    }
    let each = held.into_iter().map(|held| async move {
        let listed = marketsCall { market: held.market };
        let is_listed = cx.call(of.contracts.comptroller, listed).within(LIST_STANDS_S).await?;
        Ok(is_listed.then_some(held))
    });
    Ok(cx.join(each).await?.into_iter().flatten().collect())
}

/// Returns what a distributor owes in each token; one call claims all.
async fn distributed(
    cx: &JobContext,
    of: &CompoundV2,
    labels: Labels<'_>,
    distributor: Address,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let comptroller = of.contracts.comptroller;
    let owed = cx.call(distributor, getOutstandingRewardsForUserCall { user: account }).await?;
    let mut sums: BTreeMap<Address, U256> = BTreeMap::new();
    for reward in owed.into_iter().flat_map(|market| market.rewards).filter(|reward| !reward.totalAmount.is_zero()) {
        token_sums::add(&mut sums, reward.emissionToken, reward.totalAmount)?;
    }
    if sums.is_empty() {
        return Ok(Vec::new());
    }
    let claim = cx.claim(comptroller, &claimRewardCall { holder: account });
    let row = Claimable::new(labels.market, comptroller, claim).mechanism(of.types.reward);
    let row = row.named(format!("{} rewards", labels.title));
    Ok(vec![sums.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))])
}

impl Index {
    /// Returns the call that claims everything the index owes for these markets.
    fn claim(self, cx: &JobContext, held: &[Held]) -> Claim {
        let (to, holder) = (self.keeper, self.account);
        let markets = held.iter().map(|held| held.market).collect();
        match self.views {
            Views::Comptroller(IndexViews::Comp, _) => cx.claim(to, &claimCompCall { holder, markets }),
            Views::Comptroller(IndexViews::Venus, _) => cx.claim(to, &claimVenusCall { holder, markets }),
            Views::Comptroller(IndexViews::Typed, kind) => cx.claim(to, &claimTypedRewardCall { kind, holder }),
            Views::Distributor => cx.claim(to, &claimRewardTokenCall { holder, markets }),
        }
    }

    /// Returns the recorded amount that is owed.
    async fn accrued(self, cx: &JobContext) -> Result<U256, Error> {
        let (to, holder) = (self.keeper, self.account);
        let name = format!("{}Accrued", self.views.word());
        match self.views.kind() {
            Some(kind) => cx.call_as(to, &name, &typed::accruedCall { kind, holder }),
            None => cx.call_as(to, &name, &indexes::accruedCall { holder }),
        }
        .zero_within(ZERO_STANDS_S)
        .await
    }

    /// Returns the rewards since then, for the lent and owed amounts in a market.
    async fn since(self, cx: &JobContext, held: Held) -> Result<U256, Error> {
        let (lent, owed) = cx.join((self.for_supply(cx, held), self.for_borrow(cx, held))).await?;
        lent.checked_add(owed).ok_or_else(too_large)
    }

    async fn for_supply(self, cx: &JobContext, held: Held) -> Result<U256, Error> {
        if held.shares.is_zero() {
            return Ok(U256::ZERO);
        }
        let total = cx.call(held.market, totalSupplyCall {});
        let (total, growth) = cx.join((total, self.growth(cx, Side::Supply, held.market))).await?;
        growth.earned(held.shares, total)
    }

    async fn for_borrow(self, cx: &JobContext, held: Held) -> Result<U256, Error> {
        if held.debt.is_zero() {
            return Ok(U256::ZERO);
        }
        let total = (cx.call(held.market, totalBorrowsCall {}), cx.call(held.market, borrowIndexCall {}));
        let (total, growth) = cx.join((cx.join(total), self.growth(cx, Side::Borrow, held.market))).await?;
        // These comptrollers begin to reward a debt when the account next uses the market.
        if self.views.kind().is_some() && growth.of_account.is_zero() {
            return Ok(U256::ZERO);
        }
        let (total, index) = total;
        // Debts are counted without the interest accrued since the market began.
        let principal = |debt| quotient(product(debt, WAD)?, index);
        growth.earned(principal(held.debt)?, principal(total)?)
    }

    /// Returns the growth of the index since the account's.
    async fn growth(self, cx: &JobContext, side: Side, market: Address) -> Result<Growth, Error> {
        let (to, holder) = (self.keeper, self.account);
        let (state, speeds, index) = self.views.names(side);
        let ((index, at, end), speed, of_account) = if let Some(kind) = self.views.kind() {
            let state = cx.call_as(to, &state, &typed::stateCall { kind, market });
            let speed = cx.call_as(to, &speeds, &typed::speedsCall { kind, market });
            let index = cx.call_as(to, &index, &typed::indexCall { kind, market, holder });
            let (state, speed, index) = cx.join((state, speed, index)).await?;
            ((U256::from(state.index), U256::from(state.at), U256::ZERO), speed, index)
        } else {
            let speed = cx.call_as(to, &speeds, &indexes::speedsCall { market });
            let index = cx.call_as(to, &index, &indexes::indexCall { market, holder });
            cx.join((self.state(cx, &state, market), speed, index)).await?
        };
        let now = U256::from(if self.by_second { cx.block().timestamp } else { cx.block().evm_number });
        let last = if end.is_zero() { now } else { now.min(end) };
        let emitted = product(speed, last.saturating_sub(at))?;
        Ok(Growth { index, emitted, of_account })
    }

    /// Reads a market's index, the time of its last update, and the end of rewards (zero for none).
    async fn state(self, cx: &JobContext, name: &str, market: Address) -> Result<(U256, U256, U256), Error> {
        if self.views == Views::Distributor {
            let name = if self.by_second { format!("{name}TimeBased") } else { name.to_owned() };
            let state = cx.call_as(self.keeper, &name, &distributor::stateCall { market }).await?;
            return Ok((U256::from(state.index), state.at, state.end));
        }
        let state = cx.call_as(self.keeper, name, &indexes::stateCall { market }).await?;
        Ok((U256::from(state.index), U256::from(state.at), U256::ZERO))
    }
}

/// An index, with the emission still to be added.
#[derive(Clone, Copy, Debug)]
struct Growth {
    index: U256,
    /// Smallest units emitted since the index was last updated.
    emitted: U256,
    of_account: U256,
}

impl Growth {
    /// Returns the rewards of `amount` out of `total`, rounded as in the comptroller.
    fn earned(self, amount: U256, total: U256) -> Result<U256, Error> {
        let scale = product(WAD, WAD)?;
        let added = if total.is_zero() { U256::ZERO } else { product(self.emitted, scale)? / total };
        let index = self.index.checked_add(added).ok_or_else(too_large)?;
        // Indexes begin at one; an account older than the rewards has none yet.
        let of_account = if self.of_account.is_zero() && index >= scale { scale } else { self.of_account };
        let growth = index.checked_sub(of_account).ok_or_else(|| Error::new("an index has shrunk"))?;
        Ok(product(amount, growth)? / scale)
    }
}

impl Views {
    /// Returns the number of the token's type, which is the first argument of such views.
    fn kind(self) -> Option<u8> {
        match self {
            Self::Comptroller(IndexViews::Typed, kind) => Some(kind),
            _ => None,
        }
    }

    /// Returns the prefix of the views' names.
    fn word(self) -> &'static str {
        match self {
            Self::Comptroller(IndexViews::Comp, _) => "comp",
            Self::Comptroller(IndexViews::Venus, _) => "venus",
            Self::Comptroller(IndexViews::Typed, _) => "reward",
            Self::Distributor => "rewardToken",
        }
    }

    /// Returns the names of a side's state, its speeds, and the index of an account.
    fn names(self, side: Side) -> (String, String, String) {
        let (supply, supplier) = match side {
            Side::Supply => ("Supply", "Supplier"),
            Side::Borrow => ("Borrow", "Borrower"),
        };
        let word = self.word();
        let speeds = match self.kind() {
            Some(_) => format!("{}RewardSpeeds", supply.to_lowercase()),
            None => format!("{word}{supply}Speeds"),
        };
        (format!("{word}{supply}State"), speeds, format!("{word}{supplier}Index"))
    }
}

fn quotient(one: U256, other: U256) -> Result<U256, Error> {
    one.checked_div(other).ok_or_else(|| Error::new("an index is zero"))
}
