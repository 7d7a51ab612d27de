//! The rows of an answer: what is told of a farm in which the account has something.

use portolan_plugin_api::{Address, Chain, Claimable, Error, FarmingPosition, Reward, U256};

use super::Rewards;
use super::contracts::{getRewardCall, periodFinishCall, stakingTokenCall, totalSupplyCall};
use super::farm::{Farm, Slot, slots};
use crate::both::both;
use crate::pair::shown;

/// The words that rows carry from the deployment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Labels<'a> {
    pub(super) market: &'a str,
    pub(super) vault_type: &'a str,
}

/// What one reward token of a farm owes.
pub(super) async fn claimable(
    cx: &Chain,
    labels: Labels<'_>,
    farm: Farm,
    slot: Slot,
    amount: U256,
) -> Result<Claimable, Error> {
    let staked = async { shown(cx, staked_token(cx, farm).await?).await };
    let (token, staked) = both(slot.token(cx, farm.address), staked).await?;
    Ok(Claimable {
        market: labels.market.to_owned(),
        contract: farm.address,
        name: format!("{staked} reward"),
        mechanism: labels.vault_type.to_owned(),
        token,
        amount,
        claim: cx.claim(farm.address, &getRewardCall {}),
        number: None,
    })
}

/// A stake.
pub(super) async fn position(
    cx: &Chain,
    labels: Labels<'_>,
    farm: Farm,
    rewards: Rewards,
    amount: U256,
) -> Result<FarmingPosition, Error> {
    let staked = async {
        let token = staked_token(cx, farm).await?;
        Ok((token, shown(cx, token).await?))
    };
    let period = both(cx.call(farm.address, periodFinishCall {}), cx.call(farm.address, totalSupplyCall {}));
    let paid = slots(rewards).iter().map(|slot| both(slot.token(cx, farm.address), slot.rate(cx, farm.address)));
    let ((staked_token, staked), ((finish, total), paid)) = both(staked, both(period, cx.join(paid))).await?;
    let over = U256::from(cx.block().timestamp) >= finish;
    let per_second = |rate| if over { U256::ZERO } else { rate };
    Ok(FarmingPosition {
        market: labels.market.to_owned(),
        contract: farm.address,
        name: format!("{staked} reward pool"),
        mechanism: labels.vault_type.to_owned(),
        staked_token,
        amount,
        underlying_amount: amount,
        rewards: paid.into_iter().map(|(token, rate)| Reward { token, per_second: Some(per_second(rate)) }).collect(),
        total_stake: Some(total),
        number: None,
    })
}

async fn staked_token(cx: &Chain, farm: Farm) -> Result<Address, Error> {
    match farm.staked {
        Some(token) => Ok(token),
        None => cx.call(farm.address, stakingTokenCall {}).immutable().await,
    }
}
