//! Positions with a token without decimals, over a scripted chain and a scripted plugin.

use alloy::primitives::U256;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use portolan_abi::codec;
use portolan_abi::frame::{FrameWriter, resume_out};
use portolan_abi::map::{self, Catalogue, Deployment, Leg, LegRole, Position, PositionKind, Reward};
use portolan_abi::row::{JobOut, state};
use portolan_assets::metadata::Erc20;
use portolan_plugins::limits::Limits;
use portolan_plugins::runner::{Configured, InstanceId, IsLast, JobId, JobLease, RunFailure, Runner};
use portolan_plugins::{Instance, Snapshot};
use portolan_reader::testing::ScriptedChain;

use super::*;
use crate::gateway::answer::RowItem;

const ETHEREUM: u64 = 1;
const ACCOUNT: Address = Address::repeat_byte(0xaa);
const FARM: Address = Address::repeat_byte(0xfa);
const TOKEN: Address = Address::repeat_byte(0xa1);
/// A token that does not reply.
const BROKEN: Address = Address::repeat_byte(0xbb);

/// Finds one position.
#[derive(Debug)]
struct Finds(Position);

impl Runner for Finds {
    fn configure(self: Arc<Self>, _: Vec<u8>) -> BoxFuture<'static, Result<Configured, RunFailure>> {
        async { Err(RunFailure::Stuck) }.boxed()
    }

    fn begin(
        self: Arc<Self>,
        _: InstanceId,
        _: Vec<u8>,
        _: Vec<u8>,
        _: IsLast,
    ) -> BoxFuture<'static, Result<(JobLease, Vec<u8>), RunFailure>> {
        let mut frame = FrameWriter::default();
        let findings = codec::encode(&vec![map::Finding::from(self.0.clone())]);
        let (findings_offset, findings_len) = frame.bytes(&findings).unwrap();
        let job = JobOut { state: state::COMPLETE, findings_offset, findings_len, ..JobOut::default() };
        frame.row(resume_out::JOBS, &job);
        let frame = frame.finish().unwrap();
        async { Ok((JobLease::new(self, JobId(0)), frame)) }.boxed()
    }

    fn resume(self: Arc<Self>, _: JobId, _: Vec<u8>, _: IsLast) -> BoxFuture<'static, Result<Vec<u8>, RunFailure>> {
        async { Err(RunFailure::Stuck) }.boxed()
    }

    fn drop_job(&self, _: JobId) {}

    fn drop_instance(&self, _: InstanceId) {}
}

fn stake() -> Position {
    Position::new(PositionKind::STAKED, "main", FARM).named("pool").mechanism("farm")
}

fn staked(token: Address) -> Leg {
    Leg::new(LegRole::STAKED, token, U256::from(5))
}

/// Returns the tokens of a position's leg rows, the number of its rewards that are known, and the missing reasons.
async fn answer(position: Position) -> (Vec<Address>, usize, Vec<&'static str>) {
    let mut script = ScriptedChain::default();
    script
        .call(TOKEN, &Erc20::nameCall {}, "Token".to_owned())
        .call(TOKEN, &Erc20::symbolCall {}, "T".to_owned())
        .call(TOKEN, &Erc20::decimalsCall {}, U256::from(0))
        .call(TOKEN, &Erc20::totalSupplyCall {}, U256::from(1000));
    let row = Deployment {
        protocol: "acme".to_owned(),
        chain_id: ETHEREUM,
        market: "main".to_owned(),
        questions: vec![portolan_abi::Question::FARMING],
        contracts: vec![FARM],
        tokens: None,
    };
    let protocols = vec![map::Protocol { slug: "acme".to_owned(), ..map::Protocol::default() }];
    let catalogue = Catalogue { protocols, deployments: vec![row], ..Catalogue::default() };
    let limits = Limits { resume_ms: 1000, job_ms: 2000 };
    let instance = Instance::run_by(Arc::new(Finds(position)), "acme@1.0.0", limits, catalogue);
    let context = Context::over(script.reader(), Snapshot::of_test([Arc::new(instance)]));
    let work = ProtocolWork::for_protocol(&context, ACCOUNT, "acme", None, List::Farming).unwrap();
    context.open(&work.networks(&context)).await;
    let answer = work.answer(context).await.unwrap();
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
