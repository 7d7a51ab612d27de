//! Findings of a farm in which the account has something.

use futures_util::future::{join, join4};
use portolan_plugin_api::{Address, Claimable, Error, JobContext, Leg, LegRole, Position, PositionKind, Reward, U256};

use super::StakingRewards;
use super::contracts::{getRewardCall, periodFinishCall, stakingTokenCall, totalSupplyCall};
use super::farm::{Farm, Slot, slots};
use crate::display_name::display_name;
use crate::kit::Labels;
use crate::partial::join_partial;

/// Returns the claim of a farm, with the owed amounts of its reward tokens. A token that cannot be read loses only its
/// own payment; equal tokens are summed.
pub(super) async fn claimable(
    cx: &JobContext,
    of: &StakingRewards,
    labels: Labels<'_>,
    owed: &[(Farm, Slot, U256)],
) -> Result<Claimable, Error> {
    let Some((farm, ..)) = owed.first().copied() else { return Err(Error::new("a farm that owes nothing")) };
    let staked = async { display_name(cx, staked_token(cx, farm).await?).await };
    let paid = owed.iter().map(async |(farm, slot, amount)| Ok((slot.token(cx, farm.address).await?, *amount)));
    let (paid, staked) = join(join_partial(cx, paid), staked).await;
    let mut payments: Vec<(Address, U256)> = Vec::new();
    for (token, amount) in paid.fail_if_none(cx, labels.market)? {
        match payments.iter_mut().find(|(known, _)| *known == token) {
            Some((_, sum)) => *sum = sum.saturating_add(amount),
            None => payments.push((token, amount)),
        }
    }
    let claim = cx.claim(farm.address, &getRewardCall {});
    let claimable = Claimable::new(labels.market, farm.address, claim).mechanism(of.types.reward_type);
    let claimable = claimable.named(format!("{} reward", staked?));
    Ok(payments.into_iter().fold(claimable, |claimable, (token, amount)| claimable.pays(token, amount)))
}

/// Returns the position of a stake.
pub(super) async fn position(
    cx: &JobContext,
    of: &StakingRewards,
    labels: Labels<'_>,
    farm: Farm,
    amount: U256,
) -> Result<Position, Error> {
    let staked = async {
        let token = staked_token(cx, farm).await?;
        Ok::<_, Error>((token, display_name(cx, token).await?))
    };
    let finish = cx.call(farm.address, periodFinishCall {});
    let total = cx.call(farm.address, totalSupplyCall {});
    let streams = cx.join(slots(of.rewards).iter().map(|slot| stream(cx, farm, *slot)));
    let (staked, finish, total, streams) = join4(staked, finish, total, streams).await;
    let ((staked_token, staked), finish, total, streams) = (staked?, finish?, total?, streams?);
    let over = U256::from(cx.block().timestamp) >= finish;
    let per_second = |rate| if over { U256::ZERO } else { rate };
    let reward = |stream: Stream| Reward::new(stream.token, per_second(stream.rate));
    let position = Position::new(PositionKind::STAKED, labels.market, farm.address).mechanism(of.types.vault_type);
    let position = position.named(format!("{staked} reward pool"));
    let stake = Leg::new(LegRole::STAKED, staked_token, amount).of_total(total);
    Ok(streams.into_iter().map(reward).fold(position.leg(stake), Position::reward))
}

/// A reward token, with the rate to all stakers per second while the period lasts.
#[derive(Clone, Copy, Debug)]
struct Stream {
    token: Address,
    rate: U256,
}

async fn stream(cx: &JobContext, farm: Farm, slot: Slot) -> Result<Stream, Error> {
    let (token, rate) = join(slot.token(cx, farm.address), slot.rate(cx, farm.address)).await;
    Ok(Stream { token: token?, rate: rate? })
}

/// Returns the staked token, which never changes.
async fn staked_token(cx: &JobContext, farm: Farm) -> Result<Address, Error> {
    match farm.staked {
        Some(token) => Ok(token),
        None => cx.call(farm.address, stakingTokenCall {}).immutable().await,
    }
}
