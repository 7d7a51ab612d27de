//! AELIN staked on Optimism: what the account has staked, and the reward that it can claim.
//!
//! One contract, whose stake and reward are the same token. A settings file may name another contract, on any network.

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

/// The rows that the plugin ships with: `protocols/aelin.toml`.
const ROWS: Rows = rows!("protocols", &[Staking::KEYS]);

/// The plugin: its deployments.
#[derive(Debug)]
pub struct Aelin(Deployments<Staking>);

/// The keys of a row in a settings file.
#[derive(Clone, Debug, FromKeys)]
struct Staking {
    /// The contract that holds the stakes.
    staking: Address,
}

impl Plugin for Aelin {
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

portolan_plugin_api::export!(Aelin);

#[cfg(test)]
mod tests {
    use portolan_plugin_api::networks::OPTIMISM;
    use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};

    use super::*;

    const STAKING: Address = address!("0xfe757a40f3eda520845b339c698b321663986a4d");
    const AELIN: Address = address!("0x61baadcf22d2565b0f471b291c475db5555e0b76");
    const ACCOUNT: Address = address!("0x2222222222222222222222222222222222222222");
    const NOW_S: u64 = 1_700_000_000; // The block of a `JobTest`.

    fn chain(stake: u64, earned: u64, finish_s: u64) -> CannedReplies {
        let account = ACCOUNT;
        let number = |n: u64| U256::from(n);
        CannedReplies::default()
            .reply(OPTIMISM, STAKING, &balanceOfCall { account }, &number(stake))
            .reply(OPTIMISM, STAKING, &earnedCall { account }, &number(earned))
            .reply(OPTIMISM, STAKING, &totalSupplyCall {}, &number(1_000))
            .reply(OPTIMISM, STAKING, &rewardRateCall {}, &number(7))
            .reply(OPTIMISM, STAKING, &periodFinishCall {}, &number(finish_s))
            .reply(OPTIMISM, STAKING, &stakingTokenCall {}, &AELIN)
            .reply(OPTIMISM, STAKING, &rewardsTokenCall {}, &AELIN)
    }

    fn run(question: Question, chain: &CannedReplies) -> Outcome {
        JobTest::new("aelin", OPTIMISM, question, ACCOUNT).token(AELIN, 18).run::<Aelin>(chain)
    }

    #[test]
    fn every_row_that_ships_is_read() {
        testing::check_rows::<Aelin>(ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
    }

    #[test]
    fn what_is_earned_can_be_claimed() {
        let outcome = run(Question::CLAIMABLES, &chain(0, 5, NOW_S));
        assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 1), "{}", outcome.message);
        let found = outcome.claimables()[0];
        assert_eq!(found.payments, [Payment { token: AELIN, amount: U256::from(5), ..Payment::default() }]);
        assert_eq!(found.steps[0].to, STAKING);
        assert_eq!(found.name, "{0x61baadcf22d2565b0f471b291c475db5555e0b76} reward");
    }

    #[test]
    fn a_stake_earns_the_rate_until_its_period_is_over() {
        for (finish_s, per_second) in [(NOW_S + 1, 7), (NOW_S, 0)] {
            let outcome = run(Question::FARMING, &chain(40, 0, finish_s));
            assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
            let found = outcome.positions()[0];
            assert_eq!(found.legs[0].amount, U256::from(40));
            let rate = found.rewards[0].per_second.expect("the rate is known");
            assert_eq!(rate, U256::from(per_second));
        }
    }

    #[test]
    fn an_account_with_nothing_gets_an_empty_answer() {
        for question in [Question::CLAIMABLES, Question::FARMING] {
            let outcome = run(question, &chain(0, 0, NOW_S));
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        }
    }

    #[test]
    fn a_contract_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
        assert_eq!(run(Question::CLAIMABLES, &CannedReplies::default()).end, End::Failed);
    }
}
