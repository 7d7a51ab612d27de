//! Questions about positions that one job answers, over a scripted chain and a scripted plugin.

use portolan_abi::map::{self, Catalogue, Leg, LegRole};
use portolan_abi::row::state;
use portolan_abi::{Question as Number, capability};
use portolan_plugins::Snapshot;
use portolan_plugins::testing::{ScriptedEnd, ScriptedJob, ScriptedPlugin, ScriptedStep};

use super::script::{ACCOUNT, FARM, TOKEN, acme, chain, reward};
use super::*;
use crate::gateway::answer::RowItem;
use crate::gateway::progress::JobProgress;

fn position(kind: PositionKind, role: LegRole) -> map::Finding {
    let leg = Leg::new(role, TOKEN, alloy::primitives::U256::from(3));
    map::Position::new(kind, "main", FARM).named("place").mechanism("farm").leg(leg).into()
}

/// Finds a claim, and a position for each question about positions that it is asked: the last one first.
fn found(job: &ScriptedJob) -> Vec<map::Finding> {
    let asked = job.start.questions.clone().unwrap_or_else(|| vec![job.start.question]);
    let found = |question: &Number| match *question {
        Number::FARMING => position(PositionKind::STAKED, LegRole::STAKED),
        Number::POOLING => position(PositionKind::POOLED, LegRole::POOLED),
        _ => reward(FARM, FARM).into(),
    };
    asked.iter().rev().map(found).collect()
}

fn plugin() -> ScriptedPlugin {
    let mut catalogue: Catalogue = acme(Number::CLAIMABLES, FARM);
    catalogue.deployments[0].questions = vec![Number::CLAIMABLES, Number::FARMING, Number::POOLING];
    ScriptedPlugin::new("acme", catalogue).script(|job| {
        let end = ScriptedEnd { state: state::COMPLETE, findings: found(job), ..ScriptedEnd::default() };
        ScriptedStep::Ends(end)
    })
}

/// The work of a portfolio, with a plugin of these capabilities.
async fn planned(plugin: &ScriptedPlugin, capabilities: u64, kinds: &[PositionKind]) -> (Context, RowWork) {
    let mut instance = plugin.instance();
    instance.capabilities &= capabilities;
    let context = Context::over(chain().reader(), Snapshot::of_test([Arc::new(instance)]));
    let options = ClaimOptions { simulate: Some(false), worth: false };
    let kinds = kinds.iter().copied().collect();
    let about = AboutRows::Positions { filter: Filter::All, chain_id: None, kinds, options };
    let work = RowWork::new(&context, ACCOUNT, &about).unwrap();
    (context, work)
}

/// Returns the questions of each job, sorted, and the kinds of the answer's positions and its number of claims.
async fn asked(capabilities: u64, kinds: &[PositionKind]) -> (Vec<Vec<Number>>, Vec<PositionKind>, Option<usize>) {
    let plugin = plugin();
    let (context, work) = planned(&plugin, capabilities, kinds).await;
    let work = work.joined(&context);
    context.open(&work.networks(&context)).await;
    let answer = work.answer(context).await.unwrap();
    assert!(answer.missing.is_empty(), "{:?}", answer.missing);
    let Items::Portfolio(Portfolio { positions, payments }) = &answer.items else { panic!("{:?}", answer.items) };
    let kind = |row: &Row| match &row.item {
        RowItem::Position(position) => position.found.kind,
        other => panic!("{other:?}"),
    };
    let of_job = |job: ScriptedJob| job.start.questions.unwrap_or_else(|| vec![job.start.question]);
    let mut jobs: Vec<Vec<Number>> = plugin.jobs().into_iter().map(of_job).collect();
    jobs.sort();
    (jobs, positions.iter().map(kind).collect(), payments.as_ref().map(Vec::len))
}

#[tokio::test]
async fn questions_about_positions_are_one_job_and_its_rows_are_those_of_a_job_each() {
    let rows = (vec![PositionKind::STAKED, PositionKind::POOLED], Some(1));
    let joined = asked(capability::ALL, &[]).await;
    assert_eq!(joined.0, [vec![Number::CLAIMABLES], vec![Number::FARMING, Number::POOLING]]);
    assert_eq!((joined.1, joined.2), rows);
    // A plugin of an earlier revision.
    let apart = asked(capability::ALL & !capability::POSITIONS, &[]).await;
    assert_eq!(apart.0, [vec![Number::CLAIMABLES], vec![Number::FARMING], vec![Number::POOLING]]);
    assert_eq!((apart.1, apart.2), rows);
}

#[tokio::test]
async fn one_question_is_asked_by_its_own_number() {
    let (jobs, kinds, claims) = asked(capability::ALL, &[PositionKind::POOLED]).await;
    assert_eq!((jobs, kinds, claims), (vec![vec![Number::POOLING]], vec![PositionKind::POOLED], None));
}

#[tokio::test]
async fn whoever_follows_the_jobs_has_one_for_each_question() {
    let (mut context, work) = planned(&plugin(), capability::ALL, &[]).await;
    let (sender, _receiver) = tokio::sync::mpsc::unbounded_channel();
    context.progress = Some(JobProgress::new(sender));
    assert_eq!(work.joined(&context).plans.jobs.len(), 3);
}
