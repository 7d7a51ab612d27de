//! Several questions about positions in one job: what they read alike is read once, and each fails alone.

use portolan_abi::codec;
use portolan_abi::map::{PositionKind, Start};
use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::{
    Address, Catalogue, Deployment, Error, JobContext, Leg, LegRole, Plugin, Position, Question, Settings,
    SettingsError, U256,
};

use crate::host::{Host, start_map};
use crate::scenario::{ACCOUNT, NETWORK, TARGET, TOKEN, acme, contract, number, value, valueCall, word};

/// Reads of one contract that are joined: more than a join polls in turn.
const JOINED: u64 = 1_000;
/// Read by all at first.
const FIRST: u64 = 5_000;
/// Read by one question alone.
const OWN: u64 = 6_000;
/// Reverts if `Fails` asks for it.
const REVERTS: u64 = 7_000;

/// Farming and pooling read the same, and pooling one read more; locked ends with the read that may revert.
struct Alike;

/// Sums what the contract says of the first read's reply, of each call and of each joined read.
async fn sum(cx: &JobContext) -> Result<U256, Error> {
    let first = value(cx, FIRST).await?;
    let each = cx.call_each((0..JOINED).map(|of| (TARGET, valueCall { of: U256::from(of) + first }))).zero_within(30);
    let joined = cx.join((0..JOINED).map(|of| value(cx, of)));
    let (each, joined) = futures_util::future::join(each, joined).await;
    let each = each.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok(each.into_iter().chain(joined?).sum())
}

fn position(kind: PositionKind, role: LegRole, amount: U256) -> Vec<Position> {
    vec![Position::new(kind, "main", TARGET).named("place").mechanism("test").leg(Leg::new(role, TOKEN, amount))]
}

impl Plugin for Alike {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let row = Deployment::new("acme", NETWORK, ());
        let questions = [Question::FARMING, Question::POOLING, Question::LOCKED];
        Catalogue { protocols: vec![acme()], deployments: vec![row.served(&questions, [])], ..Catalogue::default() }
    }

    async fn farming(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        Ok(position(PositionKind::STAKED, LegRole::STAKED, sum(cx).await?))
    }

    async fn pooling(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        let (sum, own) = cx.join((sum(cx), value(cx, OWN))).await?;
        Ok(position(PositionKind::POOLED, LegRole::POOLED, sum + own))
    }

    async fn locked(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        Ok(position(PositionKind::LOCKED, LegRole::LOCKED, value(cx, REVERTS).await?))
    }
}

impl Exported for Alike {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

fn ask(questions: &[Question], replies: impl Fn(&ReadRequest) -> ReadResult) -> Outcome {
    JobTest::for_positions("acme", NETWORK, questions, ACCOUNT).run::<Alike>(replies)
}

/// Kind and amount of each position.
fn amounts(outcome: &Outcome) -> Vec<(PositionKind, u64)> {
    outcome.positions().iter().map(|found| (found.kind, found.legs[0].amount.to())).collect()
}

/// A contract of which some reads revert.
fn reverting(reverts: impl Fn(u64) -> bool) -> impl Fn(&ReadRequest) -> ReadResult {
    move |request| {
        let number = number(request);
        if reverts(number) { ReadResult::Reverted(Vec::new().into()) } else { word(2 * number + 1) }
    }
}

#[test]
fn questions_that_read_alike_read_once_and_find_what_each_finds_alone() {
    // The first reply is 10,001. The sum of 2n + 1 over a thousand numbers from n on is 2,000 n + 1,000,000.
    let sum = 2_000 * (2 * FIRST + 1) + 1_000_000 + 1_000_000;
    let found = [(PositionKind::STAKED, sum), (PositionKind::POOLED, sum + 2 * OWN + 1)];
    let outcome = ask(&[Question::FARMING, Question::POOLING], contract);
    assert_eq!((outcome.end, amounts(&outcome)), (End::Complete, found.to_vec()), "{}", outcome.message);
    assert_eq!(outcome.batches, [2, 2_000]);
    for (question, expected) in [(Question::FARMING, found[0]), (Question::POOLING, found[1])] {
        let alone = JobTest::new("acme", NETWORK, question, ACCOUNT).run::<Alike>(contract);
        assert_eq!(amounts(&alone), [expected]);
    }
}

#[test]
fn a_question_that_fails_loses_its_own_positions_alone() {
    let all = [Question::FARMING, Question::POOLING, Question::LOCKED];
    let outcome = ask(&all, reverting(|number| number == REVERTS));
    let kinds: Vec<_> = outcome.positions().iter().map(|found| found.kind).collect();
    assert_eq!((outcome.end, kinds), (End::Partial, vec![PositionKind::STAKED, PositionKind::POOLED]));
    assert!(outcome.message.contains("reverted") && !outcome.message.contains(';'), "{}", outcome.message);
    // What two miss for the same reason is said once.
    let outcome = ask(&all, reverting(|number| number == FIRST));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1));
    assert!(!outcome.message.contains(';'), "{}", outcome.message);
    let outcome = ask(&all, reverting(|_| true));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Failed, 0));
}

#[test]
fn a_job_of_no_questions_or_of_others_is_refused() {
    let host = Host::<Alike>::new();
    let refused = |questions: Option<&[Question]>| {
        let questions = questions.map(<[_]>::to_vec);
        let start = Start { question: Question::POSITIONS, questions, ..start_map() };
        host.start_with(&codec::encode(&start)).err()
    };
    assert_eq!(refused(Some(&[Question::LOCKED])), None);
    assert_eq!(refused(None).as_deref(), Some("it names no questions about positions"));
    assert_eq!(refused(Some(&[])).as_deref(), Some("it names no questions about positions"));
    for question in [Question::CLAIMABLES, Question::POSITIONS, Question(99)] {
        let why = format!("question {} is not about positions", question.0);
        assert_eq!(refused(Some(&[Question::LOCKED, question])), Some(why));
    }
}
