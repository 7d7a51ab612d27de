//! The rows of an answer: what is told of a pool in which the account has something.

use std::collections::BTreeSet;

use portolan_plugin_api::{Address, Chain, Claimable, Error, FarmingPosition, Reward, U256};

use super::MasterChef;
use super::contracts::{balanceOfCall, chef};
use super::pools::{self, Pool, Stake};
use super::reward::Emission;
use super::rewarder;
use crate::both::both;
use crate::pair::shown;

/// Seconds that "nothing pending" may stand: a pool that pays nothing any more is asked less often.
const ZERO_STANDS_S: u32 = 30;

/// The words that rows carry from the deployment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Labels<'a> {
    pub(super) market: &'a str,
    pub(super) vault_type: &'a str,
}

/// What a pool's position needs to know of its chef.
#[derive(Clone, Copy, Debug)]
pub(super) struct Paid {
    /// The reward token.
    pub(super) token: Address,
    pub(super) emission: Emission,
    /// Whether no other pool has the same staked token.
    pub(super) alone: bool,
}

/// What a pool owes: a row for the chef's token, and one for each of its rewarder's.
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
        let pending = pending.zero_within(ZERO_STANDS_S);
        let (pending, fixed) = both(pending, rewarder::fixed(cx, pool, account)).await?;
        Ok((pending, rewarder::owed(cx, labels.market, pool, account, fixed, pending).await))
    };
    let staked = async { shown(cx, pools::staked_token(cx, of, pid).await?).await };
    let ((pending, bonus), staked) = both(owed, staked).await?;
    let row = |(token, amount)| Claimable {
        market: labels.market.to_owned(),
        contract: of.chef,
        name: format!("{staked} reward"),
        mechanism: labels.vault_type.to_owned(),
        token,
        amount,
        claim: of.claim(cx, pid, account),
        number: Some(pid),
    };
    let owed = by_token([(token, pending)].into_iter().chain(bonus));
    Ok(owed.into_iter().filter(|(_, amount)| !amount.is_zero()).map(row).collect())
}

/// A stake.
pub(super) async fn position(
    cx: &Chain,
    of: &MasterChef,
    labels: Labels<'_>,
    stake: Stake,
    paid: Paid,
    account: Address,
) -> Result<FarmingPosition, Error> {
    let bonus = async { Ok(rewarder::tokens(cx, labels.market, stake.pool, account).await) };
    let ((staked, total_stake), bonus) =
        both(both(shown(cx, stake.token), total_stake(cx, of, stake, paid)), bonus).await?;
    let bonus: BTreeSet<Address> = bonus.into_iter().filter(|token| *token != paid.token).collect();
    // What a rewarder pays in a second, no function that all rewarders have tells.
    let bonus = bonus.into_iter().map(|token| Reward { token, per_second: None });
    let own = Reward { token: paid.token, per_second: paid.emission.share(stake.points) };
    Ok(FarmingPosition {
        market: labels.market.to_owned(),
        contract: of.chef,
        name: format!("{staked} farm"),
        mechanism: labels.vault_type.to_owned(),
        staked_token: stake.token,
        amount: stake.amount,
        underlying_amount: stake.amount,
        rewards: [own].into_iter().chain(bonus).collect(),
        total_stake,
        number: Some(stake.pool.pid),
    })
}

/// One sum for each token: a rewarder may pay the chef's own token, and one call pays it all.
fn by_token(owed: impl Iterator<Item = (Address, U256)>) -> Vec<(Address, U256)> {
    let mut sums: Vec<(Address, U256)> = Vec::new();
    for (token, amount) in owed {
        match sums.iter_mut().find(|(known, _)| *known == token) {
            Some((_, sum)) => *sum = sum.saturating_add(amount),
            None => sums.push((token, amount)),
        }
    }
    sums
}

/// What the chef holds of the staked token, where that is this pool's stakes and nothing else.
async fn total_stake(cx: &Chain, of: &MasterChef, stake: Stake, paid: Paid) -> Result<Option<U256>, Error> {
    if !paid.alone || stake.token == paid.token {
        return Ok(None);
    }
    Ok(cx.try_call(stake.token, balanceOfCall { account: of.chef }).await?.ok())
}
