//! Findings of a pool in which the account has something.

use std::collections::BTreeSet;

use futures_util::future::{join, join3};
use portolan_plugin_api::{Address, Claimable, Error, JobContext, Leg, LegRole, Position, PositionKind, Reward, U256};

use super::contracts::balanceOfCall;
use super::owed::Owed;
use super::pending;
use super::pools::{self, Stake};
use super::reward::Emission;
use super::rewarder;
use super::{MasterChef, Pool};
use crate::display_name::display_name;
use crate::kit::Labels;

/// Data of the chef for a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emitted {
    /// Reward token of the chef.
    pub(super) token: Address,
    pub(super) emission: Emission,
    /// True if no other pool has the same staked token.
    pub(super) alone: bool,
}

/// Returns the claim of a pool: the chef's token and those of its rewarder.
pub(super) async fn claimable(
    cx: &JobContext,
    of: &MasterChef,
    labels: Labels<'_>,
    token: Address,
    pool: Pool,
    account: Address,
) -> Result<Claimable, Error> {
    let pid = pool.pid;
    let owed = async {
        let (pending, held, fixed) =
            join3(pending::owed(cx, of, token, pid, account), held(cx, of, token), rewarder::fixed(cx, pool, account))
                .await;
        let (mut pending, held) = (pending?, held?);
        let harvest = pending.first().map_or(U256::ZERO, |own| own.amount);
        let bonus = rewarder::owed(cx, labels.market, pool, account, fixed, harvest).await;
        pending.iter_mut().filter(|owed| owed.token == token).for_each(|own| own.amount = own.amount.min(held));
        Ok(pending.into_iter().chain(bonus))
    };
    let staked = async { display_name(cx, pools::staked_token(cx, of, pid).await?).await };
    let (owed, staked): (Result<_, Error>, _) = join(owed, staked).await;
    let (owed, staked) = (owed?, staked?);
    let claimable = Claimable::new(labels.market, of.chef, of.claim(cx, pid, account)).mechanism(of.vault_type);
    let claimable = claimable.named(format!("{staked} reward")).numbered(pid);
    let owed = by_token(owed).into_iter().filter(|owed| !owed.amount.is_zero());
    Ok(owed.fold(claimable, |claimable, owed| claimable.pays(owed.token, owed.amount)))
}

/// Returns the position of a stake.
pub(super) async fn position(
    cx: &JobContext,
    of: &MasterChef,
    labels: Labels<'_>,
    stake: Stake,
    emitted: Emitted,
    account: Address,
) -> Result<Position, Error> {
    let staked = display_name(cx, stake.token);
    let bonus = bonus_tokens(cx, of, labels, stake.pool, emitted.token, account);
    let (staked, total_stake, bonus) = join3(staked, total_stake(cx, of, stake, emitted), bonus).await;
    let (staked, total_stake) = (staked?, total_stake?);
    // Rewarders have no common function for their rate.
    let is_alone = bonus.as_ref().is_some_and(|tokens| !tokens.contains(&emitted.token));
    let bonus: BTreeSet<Address> = bonus.into_iter().flatten().filter(|token| *token != emitted.token).collect();
    let bonus = bonus.into_iter().map(|token| Reward::new(token, None));
    let share = emitted.emission.share(emitted.token, stake.points);
    let own = if is_alone { share } else { Reward::new(emitted.token, None) };
    let position = Position::new(PositionKind::STAKED, labels.market, of.chef).mechanism(of.vault_type);
    let position = position.named(format!("{staked} farm")).numbered(stake.pool.pid);
    let leg = Leg { total: total_stake, ..Leg::new(LegRole::STAKED, stake.token, stake.amount) };
    Ok([own].into_iter().chain(bonus).fold(position.leg(leg), Position::reward))
}

/// Returns the tokens paid beside the chef's own; `None` if they cannot be read, which is reported.
async fn bonus_tokens(
    cx: &JobContext,
    of: &MasterChef,
    labels: Labels<'_>,
    pool: Pool,
    token: Address,
    account: Address,
) -> Option<Vec<Address>> {
    let own = pending::bonus_tokens(cx, of, token, pool.pid, account);
    let (own, rewarder) = join(own, rewarder::tokens(cx, labels.market, pool, account)).await;
    let own = own.map_err(|error| cx.report_missing(format!("{}: pool {}: {error}", labels.market, pool.pid))).ok();
    Some(own?.into_iter().chain(rewarder?).collect())
}

/// Returns the maximum amount of its token that the chef can pay.
async fn held(cx: &JobContext, of: &MasterChef, token: Address) -> Result<U256, Error> {
    if !of.is_funded {
        return Ok(U256::MAX);
    }
    cx.call(token, balanceOfCall { account: of.chef }).await
}

/// Sums amounts per token: a rewarder may pay the chef's own token with the same call.
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

/// Returns the chef's balance of the staked token, if it consists only of this pool's stakes.
async fn total_stake(cx: &JobContext, of: &MasterChef, stake: Stake, emitted: Emitted) -> Result<Option<U256>, Error> {
    if !emitted.alone || stake.token == emitted.token {
        return Ok(None);
    }
    Ok(cx.try_call(stake.token, balanceOfCall { account: of.chef }).await?.ok())
}
