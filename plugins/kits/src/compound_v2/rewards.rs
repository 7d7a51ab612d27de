//! What suppliers and borrowers have earned.
//!
//! A comptroller notes what it owes whenever the account uses a market. What came since then is the growth of the
//! market's index since that of the account, by what the account has there: the arithmetic of a claim, done here, since
//! no view does it.

use std::collections::BTreeMap;

use portolan_plugin_api::{Address, Chain, Claim, Claimable, Error, U256, symbol};

use super::contracts::{
    borrowIndexCall, claimCompCall, claimReward_0Call as claimRewardCall, claimReward_1Call as claimTypedRewardCall,
    claimVenusCall, getOutstandingRewardsForUserCall, indexes, totalBorrowsCall, totalSupplyCall, typed,
};
use super::market::{Held, held};
use super::{CompoundV2, CompoundV2Rewards, IndexViews, ZERO_STANDS_S};
use crate::fixed_point::{WAD, product, too_large};
use crate::kit::Labels;
use crate::try_each::try_each;

/// One comptroller's index of one reward token.
#[derive(Clone, Copy, Debug)]
struct Index {
    comptroller: Address,
    views: IndexViews,
    /// The number of the token's type, where there are types.
    kind: u8,
    by_second: bool,
    account: Address,
}

/// The two sides of a market, which are rewarded each by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Supply,
    Borrow,
}

/// A row for each claim.
pub(super) async fn claimables(
    cx: &Chain,
    of: &CompoundV2,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    match &of.contracts.rewards {
        CompoundV2Rewards::None => Ok(Vec::new()),
        CompoundV2Rewards::Distributor(distributor) => distributed(cx, of, labels, *distributor, account).await,
        CompoundV2Rewards::Indexed { views, tokens, by_second } => {
            let comptroller = of.contracts.comptroller;
            let (views, by_second) = (*views, *by_second);
            let indexes = (0_u8..).zip(tokens.iter().copied());
            let indexes = indexes.map(|(kind, token)| (Index { comptroller, views, kind, by_second, account }, token));
            let indexes: Vec<(Index, Address)> = indexes.collect();
            let accrued = cx.join(indexes.iter().map(|(index, _)| index.accrued(cx)));
            let (accrued, held) = cx.join((accrued, held(cx, of, labels.market, account))).await?;
            let rows = indexes.into_iter().zip(accrued).map(async |((index, token), accrued)| {
                let since = cx.join(held.iter().map(|held| index.since(cx, *held))).await?;
                let owed = since.into_iter().try_fold(accrued, U256::checked_add).ok_or_else(too_large)?;
                let row = Claimable::new(labels.market, comptroller, index.claim(cx, &held)).of(of.types.reward);
                Ok(row.named(format!("{} {} rewards", labels.title, symbol(token))).pays(token, owed))
            });
            let mut rows = try_each(cx, rows).await.or_report(cx, labels.market);
            rows.retain(|row| row.payments.iter().any(|payment| !payment.amount.is_zero()));
            Ok(rows)
        }
    }
}

/// What a distributor owes of each token, which one call claims.
async fn distributed(
    cx: &Chain,
    of: &CompoundV2,
    labels: Labels<'_>,
    distributor: Address,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let comptroller = of.contracts.comptroller;
    let owed = cx.call(distributor, getOutstandingRewardsForUserCall { user: account }).await?;
    let mut sums: BTreeMap<Address, U256> = BTreeMap::new();
    for reward in owed.into_iter().flat_map(|market| market.rewards).filter(|reward| !reward.totalAmount.is_zero()) {
        let sum = sums.entry(reward.emissionToken).or_default();
        *sum = sum.checked_add(reward.totalAmount).ok_or_else(too_large)?;
    }
    if sums.is_empty() {
        return Ok(Vec::new());
    }
    let claim = cx.claim(comptroller, &claimRewardCall { holder: account });
    let row = Claimable::new(labels.market, comptroller, claim).of(of.types.reward);
    let row = row.named(format!("{} rewards", labels.title));
    Ok(vec![sums.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))])
}

impl Index {
    /// The call that claims all that the index owes for these markets.
    fn claim(self, cx: &Chain, held: &[Held]) -> Claim {
        let (to, holder) = (self.comptroller, self.account);
        let markets = held.iter().map(|held| held.market).collect();
        match self.views {
            IndexViews::Comp => cx.claim(to, &claimCompCall { holder, markets }),
            IndexViews::Venus => cx.claim(to, &claimVenusCall { holder, markets }),
            IndexViews::Typed => cx.claim(to, &claimTypedRewardCall { kind: self.kind, holder }),
        }
    }

    /// What the comptroller has noted that it owes.
    async fn accrued(self, cx: &Chain) -> Result<U256, Error> {
        let (to, holder, kind) = (self.comptroller, self.account, self.kind);
        match self.views.word() {
            Some(word) => cx.call_as(to, &format!("{word}Accrued"), &indexes::accruedCall { holder }),
            None => cx.call_as(to, "rewardAccrued", &typed::accruedCall { kind, holder }),
        }
        .zero_within(ZERO_STANDS_S)
        .await
    }

    /// What came since then, for what is lent to a market and owed to it.
    async fn since(self, cx: &Chain, held: Held) -> Result<U256, Error> {
        let (lent, owed) = cx.join((self.for_supply(cx, held), self.for_borrow(cx, held))).await?;
        lent.checked_add(owed).ok_or_else(too_large)
    }

    async fn for_supply(self, cx: &Chain, held: Held) -> Result<U256, Error> {
        if held.shares.is_zero() {
            return Ok(U256::ZERO);
        }
        let total = cx.call(held.market, totalSupplyCall {});
        let (total, growth) = cx.join((total, self.growth(cx, Side::Supply, held.market))).await?;
        growth.earned(held.shares, total)
    }

    async fn for_borrow(self, cx: &Chain, held: Held) -> Result<U256, Error> {
        if held.debt.is_zero() {
            return Ok(U256::ZERO);
        }
        let total = (cx.call(held.market, totalBorrowsCall {}), cx.call(held.market, borrowIndexCall {}));
        let (total, growth) = cx.join((cx.join(total), self.growth(cx, Side::Borrow, held.market))).await?;
        // Comptrollers of this generation begin to count a debt when the account next uses the market.
        if self.views == IndexViews::Typed && growth.of_account.is_zero() {
            return Ok(U256::ZERO);
        }
        let (total, index) = total;
        // Debts are counted without the interest that they have gathered since the market began.
        let principal = |debt| quotient(product(debt, WAD)?, index);
        growth.earned(principal(held.debt)?, principal(total)?)
    }

    /// How far the index has grown since the account's.
    async fn growth(self, cx: &Chain, side: Side, market: Address) -> Result<Growth, Error> {
        let (to, holder, kind) = (self.comptroller, self.account, self.kind);
        let (name, speeds, index) = self.views.names(side);
        let (state, speed, of_account) = if self.views == IndexViews::Typed {
            cx.join((
                cx.call_as(to, &name, &typed::stateCall { kind, market }),
                cx.call_as(to, &speeds, &typed::speedsCall { kind, market }),
                cx.call_as(to, &index, &typed::indexCall { kind, market, holder }),
            ))
            .await
            .map(|(state, speed, index)| ((state.index, state.at), speed, index))?
        } else {
            cx.join((
                cx.call_as(to, &name, &indexes::stateCall { market }),
                cx.call_as(to, &speeds, &indexes::speedsCall { market }),
                cx.call_as(to, &index, &indexes::indexCall { market, holder }),
            ))
            .await
            .map(|(state, speed, index)| ((state.index, state.at), speed, index))?
        };
        let now = if self.by_second { cx.block().timestamp } else { cx.block().evm_number };
        let passed = now.saturating_sub(u64::from(state.1));
        Ok(Growth { index: U256::from(state.0), emitted: product(speed, U256::from(passed))?, of_account })
    }
}

/// An index, and what it has still to add.
#[derive(Clone, Copy, Debug)]
struct Growth {
    index: U256,
    /// Smallest units that were emitted since the index was last brought up to date.
    emitted: U256,
    of_account: U256,
}

impl Growth {
    /// What came to an account that has so much of so much in all, rounded as the comptroller does it.
    fn earned(self, amount: U256, total: U256) -> Result<U256, Error> {
        let scale = product(WAD, WAD)?;
        let added = if total.is_zero() { U256::ZERO } else { product(self.emitted, scale)? / total };
        let index = self.index.checked_add(added).ok_or_else(too_large)?;
        // Indexes begin at one; an account that was there before the rewards has none yet.
        let of_account = if self.of_account.is_zero() && index >= scale { scale } else { self.of_account };
        let growth = index.checked_sub(of_account).ok_or_else(|| Error::new("an index has shrunk"))?;
        Ok(product(amount, growth)? / scale)
    }
}

impl IndexViews {
    /// What the names of the views begin with; `None` where they take the reward's type.
    fn word(self) -> Option<&'static str> {
        match self {
            Self::Comp => Some("comp"),
            Self::Venus => Some("venus"),
            Self::Typed => None,
        }
    }

    /// The names of a side's state, its speeds, and the index of an account.
    fn names(self, side: Side) -> (String, String, String) {
        let (supply, supplier) = match side {
            Side::Supply => ("Supply", "Supplier"),
            Side::Borrow => ("Borrow", "Borrower"),
        };
        let word = self.word().unwrap_or("reward");
        let speeds = match self.word() {
            Some(word) => format!("{word}{supply}Speeds"),
            None => format!("{}RewardSpeeds", supply.to_lowercase()),
        };
        (format!("{word}{supply}State"), speeds, format!("{word}{supplier}Index"))
    }
}

fn quotient(one: U256, other: U256) -> Result<U256, Error> {
    one.checked_div(other).ok_or_else(|| Error::new("an index is zero"))
}
