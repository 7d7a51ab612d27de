//! The rows of an answer about a pool in which the account has something.

use std::collections::BTreeSet;

use futures_util::future::{join, join3};
use portolan_plugin_api::{Address, Chain, Claimable, Error, FarmingPosition, Reward, U256};

use super::MasterChef;
use super::contracts::{balanceOfCall, chef};
use super::pools::{self, Pool, Stake};
use super::reward::Emission;
use super::rewarder::{self, Owed};
use crate::display_name::display_name;
use crate::kit::Labels;

/// Seconds that "nothing pending" may be cached: a pool that no longer pays is read less often.
const ZERO_STANDS_S: u32 = 30;

/// What a position's row takes from its chef.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emitted {
    /// The reward token.
    pub(super) token: Address,
    pub(super) emission: Emission,
    /// Whether no other pool has the same staked token.
    pub(super) alone: bool,
}

/// Rows for what a pool owes: one for the chef's token, and one for each of its rewarder's.
pub(super) async fn claimables(
    cx: &Chain,
    of: &MasterChef,
    labels: Labels<'_>,
    token: Address,
    pool: Pool,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let pid = pool.pid;
    let pending = cx.call_as(of.chef, &of.pending, &chef::pendingSushiCall { pid, account });
    let owed = async {
        let (pending, fixed) = join(pending.zero_within(ZERO_STANDS_S), rewarder::fixed(cx, pool, account)).await;
        let pending = pending?;
        let bonus = rewarder::owed(cx, labels.market, pool, account, fixed, pending).await;
        Ok([Owed { token, amount: pending }].into_iter().chain(bonus))
    };
    let staked = async { display_name(cx, pools::staked_token(cx, of, pid).await?).await };
    let (owed, staked): (Result<_, Error>, _) = join(owed, staked).await;
    let (owed, staked) = (owed?, staked?);
    let row = |owed: Owed| Claimable {
        market: labels.market.to_owned(),
        contract: of.chef,
        name: format!("{staked} reward"),
        mechanism: of.vault_type.to_owned(),
        token: owed.token,
        amount: owed.amount,
        claim: of.claim(cx, pid, account),
        number: Some(pid),
    };
    Ok(by_token(owed).into_iter().filter(|owed| !owed.amount.is_zero()).map(row).collect())
}

/// The row of a stake.
pub(super) async fn position(
    cx: &Chain,
    of: &MasterChef,
    labels: Labels<'_>,
    stake: Stake,
    emitted: Emitted,
    account: Address,
) -> Result<FarmingPosition, Error> {
    let staked = display_name(cx, stake.token);
    let bonus = rewarder::tokens(cx, labels.market, stake.pool, account);
    let (staked, total_stake, bonus) = join3(staked, total_stake(cx, of, stake, emitted), bonus).await;
    let (staked, total_stake) = (staked?, total_stake?);
    let bonus: BTreeSet<Address> = bonus.into_iter().filter(|token| *token != emitted.token).collect();
    // No function that all rewarders have returns what they pay in a second.
    let bonus = bonus.into_iter().map(|token| Reward { token, per_second: None });
    let own = Reward { token: emitted.token, per_second: emitted.emission.share(stake.points) };
    Ok(FarmingPosition {
        market: labels.market.to_owned(),
        contract: of.chef,
        name: format!("{staked} farm"),
        mechanism: of.vault_type.to_owned(),
        staked_token: stake.token,
        amount: stake.amount,
        underlying_amount: stake.amount,
        rewards: [own].into_iter().chain(bonus).collect(),
        total_stake,
        number: Some(stake.pool.pid),
    })
}

/// One sum for each token: a rewarder may pay the chef's own token, and one call pays it all.
fn by_token(owed: impl Iterator<Item = Owed>) -> Vec<Owed> {
    let mut sums: Vec<Owed> = Vec::new();
    for owed in owed {
        match sums.iter_mut().find(|sum| sum.token == owed.token) {
            Some(sum) => sum.amount = sum.amount.saturating_add(owed.amount),
            None => sums.push(owed),
        }
    }
    sums
}

/// What the chef holds of the staked token, where that is this pool's stakes and nothing else.
async fn total_stake(cx: &Chain, of: &MasterChef, stake: Stake, emitted: Emitted) -> Result<Option<U256>, Error> {
    if !emitted.alone || stake.token == emitted.token {
        return Ok(None);
    }
    Ok(cx.try_call(stake.token, balanceOfCall { account: of.chef }).await?.ok())
}
