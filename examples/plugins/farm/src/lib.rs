//! Acme's staking contracts: what the account has staked, and the reward that it can claim.
//!
//! Each deployment is one contract with the functions of Synthetix' StakingRewards. A settings file may name others, on
//! any network.

#[cfg(test)]
mod tests;

use portolan_plugin_api::*;

sol! {
    // Source: https://optimistic.etherscan.io/address/0xfe757a40f3eda520845b339c698b321663986a4d#code
    function rewardsToken() external view returns (address);
    function stakingToken() external view returns (address);
    function earned(address account) external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function rewardRate() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function getReward() external;
}

/// The answer's `vaultType` and `type`.
const MECHANISM: &str = "staking-rewards";

/// The rows that the plugin ships with: `protocols/acme.toml`.
const ROWS: Rows = rows!("protocols", &[Staking::KEYS]);

/// The plugin: its deployments.
#[derive(Debug)]
pub struct Acme(Deployments<Staking>);

/// The keys of a row in a settings file.
#[derive(Clone, Debug, FromKeys)]
struct Staking {
    /// The contract that holds the stakes.
    staking: Address,
}

impl Plugin for Acme {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        settings.serve_rows(ROWS).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let served = self.0.catalogue(&[Question::CLAIMABLES, Question::FARMING], |contracts| [contracts.staking]);
        Catalogue { claims: vec![ClaimTemplate::new::<getRewardCall>([])], ..served }
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        cx.gather(cx.rows(&self.0).map(|row| reward(cx, row, account))).await
    }

    async fn farming(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        cx.gather(cx.rows(&self.0).map(|row| stake(cx, row, account))).await
    }
}

async fn reward(cx: &JobContext, row: &Deployment<Staking>, account: Address) -> Result<Option<Claimable>, Error> {
    let staking = row.mechanism.staking;
    let amount = cx.call(staking, earnedCall { account }).await?;
    if amount.is_zero() {
        return Ok(None);
    }
    let token = cx.call(staking, rewardsTokenCall {}).immutable().await?;
    let claimable = Claimable::new(&row.market, staking, cx.claim(staking, &getRewardCall {})).mechanism(MECHANISM);
    // The host puts the token's symbol into the name.
    Ok(Some(claimable.named(format!("{} reward", symbol(token))).pays(token, amount)))
}

async fn stake(cx: &JobContext, row: &Deployment<Staking>, account: Address) -> Result<Option<Position>, Error> {
    let staking = row.mechanism.staking;
    let amount = cx.call(staking, balanceOfCall { account }).await?;
    if amount.is_zero() {
        return Ok(None);
    }
    // Reads that are joined go out together.
    let (total_stake, rate, finish, staked_token, reward_token) = cx
        .join((
            cx.call(staking, totalSupplyCall {}),
            cx.call(staking, rewardRateCall {}),
            cx.call(staking, periodFinishCall {}),
            cx.call(staking, stakingTokenCall {}).immutable(),
            cx.call(staking, rewardsTokenCall {}).immutable(),
        ))
        .await?;
    let over = U256::from(cx.block().timestamp) >= finish;
    let stake = Leg::new(LegRole::STAKED, staked_token, amount).of_total(total_stake);
    let position = Position::new(PositionKind::STAKED, &row.market, staking).mechanism(MECHANISM).leg(stake);
    let position = position.named(format!("{} staking", symbol(staked_token)));
    Ok(Some(position.reward(Reward::new(reward_token, if over { U256::ZERO } else { rate }))))
}

portolan_plugin_api::export!(Acme);
