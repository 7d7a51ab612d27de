//! Positions with a token without decimals, over a scripted chain and a scripted plugin.

use alloy::primitives::U256;
use portolan_abi::Question;
use portolan_abi::map::{Leg, LegRole, Position, PositionKind, Reward};
use portolan_plugins::testing::{ScriptedPlugin, ScriptedStep};

use super::script::{FARM, TOKEN, acme, chain};
use super::*;
use crate::gateway::answer::RowItem;

/// A token that does not reply.
const BROKEN: Address = Address::repeat_byte(0xbb);

fn stake() -> Position {
    Position::new(PositionKind::STAKED, "main", FARM).named("pool").mechanism("farm")
}

fn staked(token: Address) -> Leg {
    Leg::new(LegRole::STAKED, token, U256::from(5))
}

/// Returns the tokens of a position's leg rows, the number of its rewards that are known, and the missing reasons.
async fn answer(position: Position) -> (Vec<Address>, usize, Vec<&'static str>) {
    let plugin = ScriptedPlugin::new("acme", acme(Question::FARMING, FARM));
    let instance = plugin.script(move |_| ScriptedStep::finds(position.clone())).instance();
    let answer = script::answer(&chain(), instance, List::Farming).await.unwrap();
    let Items::Rows { rows, .. } = &answer.items else { panic!("{:?}", answer.items) };
    let (mut tokens, mut rewards) = (Vec::new(), 0);
    for row in rows {
        let RowItem::Leg { position, place } = &row.item else { panic!("{:?}", row.item) };
        tokens.push(position.found.legs[*place].token);
        rewards = position.found.rewards.iter().filter(|it| position.tokens.contains_key(&it.token)).count();
    }
    (tokens, rewards, answer.missing.iter().map(|missing| missing.reason.as_str()).collect())
}

#[tokio::test]
async fn a_reward_without_decimals_costs_itself_and_the_stake_is_shown() {
    let reward = |token| Reward::new(token, U256::ONE);
    let both = stake().leg(staked(TOKEN)).reward(reward(TOKEN)).reward(reward(BROKEN));
    assert_eq!(answer(both).await, (vec![TOKEN], 1, vec!["upstream"]));
    let whole = stake().leg(staked(TOKEN)).reward(reward(TOKEN));
    assert_eq!(answer(whole).await, (vec![TOKEN], 1, vec![]));
}

#[tokio::test]
async fn a_leg_without_decimals_costs_itself_and_the_other_is_shown() {
    let position = stake().leg(staked(BROKEN)).leg(staked(TOKEN));
    assert_eq!(answer(position).await, (vec![TOKEN], 0, vec!["upstream"]));
}
