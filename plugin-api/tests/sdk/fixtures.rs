//! Recorded jobs: they replay exactly from their file, and a malformed file names its fault.

use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{
    End, Expected, Fixture, FixtureError, JobTest, Outcome, ReadRequest, ReadResult, line,
};
use portolan_plugin_api::{
    Address, B256, Block, Catalogue, Claimable, Composition, Error, JobContext, Part, Plugin, Position, Question,
    Settings, SettingsError, U256,
};
use serde_json::{Value, json};

use crate::scenario::{Play, TARGET, case, contract, found, found_all, number, numbers, scenario, value, word};

const OTHER: u64 = 10;

scenario!(Recorded, |cx| {
    let first = cx.join([value(cx, 1), value(cx, 1), value(cx, 2).on(OTHER)]).await?;
    let lost = cx.try_call(TARGET, crate::scenario::valueCall { of: U256::from(3) }).await?;
    let sender = value(cx, 4).from(TARGET).await?;
    let kinds = cx.join([value(cx, 5), value(cx, 5).isolated(), value(cx, 5).gas_cap(9)]).await?;
    let balance = cx.native_balance(Address::ZERO).await?;
    cx.report_missing("nothing much");
    let there = cx.block_on(OTHER).map_or(0, |block| block.number);
    let rest =
        [U256::from(u64::from(lost.is_err())), sender, balance, U256::from(there), U256::from(cx.block().number)];
    Ok(found_all(first.into_iter().chain(kinds).chain(rest)))
});

fn block(number: u64) -> Block {
    Block { number, hash: B256::repeat_byte(7), timestamp: 1_700_000_001, evm_number: number + 1 }
}

fn recorded_case() -> JobTest {
    case().block(block(21_000_000)).pin(OTHER, block(99))
}

/// A chain whose replies to the same calldata differ by mode and gas cap.
fn chain(request: &ReadRequest) -> ReadResult {
    match request {
        request if request.data.is_empty() => word(50),
        request if request.mode == 1 => word(60),
        request if request.gas_cap == 9 => word(70),
        request if number(request) == 3 => ReadResult::Reverted(vec![1, 2].into()),
        request => contract(request),
    }
}

fn record() -> (Outcome, Fixture) {
    Fixture::record::<Play<Recorded>>(&recorded_case(), chain)
}

fn saved(text: &str) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("job.json");
    std::fs::write(&path, text).expect("a file");
    (folder, path)
}

#[test]
fn a_recorded_job_replays_from_its_file_with_the_same_findings_and_batches() {
    let (outcome, fixture) = record();
    assert_eq!((outcome.end, outcome.message.as_str()), (End::Partial, "nothing much"));
    assert_eq!(outcome.batches, [3, 1, 1, 3, 1]);
    assert_eq!(numbers(&outcome), [3, 3, 5, 11, 60, 70, 1, 9, 50, 99, 21_000_000]);

    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("job.json");
    fixture.save(&path).expect("saved");
    let loaded = Fixture::load(&path).expect("loaded");
    assert_eq!(loaded, fixture);
    let replayed = loaded.replay::<Play<Recorded>>(Settings::default()).expect("replayed");
    assert_eq!(replayed, outcome);
}

/// Emits a composition of every token of the question.
struct Shares;

impl Plugin for Shares {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let mut catalogue = crate::scenario::catalogue();
        catalogue.deployments[0].questions = vec![Question::COMPOSITION];
        catalogue
    }

    async fn compositions(&self, cx: &JobContext, tokens: &[Address]) -> Result<Vec<Composition>, Error> {
        let supply = value(cx, 6).await?;
        let part = Part { token: Address::repeat_byte(0x66), amount: supply };
        let share = |token: &Address| Composition { token: *token, kind: "A".to_owned(), supply, parts: vec![part] };
        Ok(tokens.iter().map(share).collect())
    }
}

impl Exported for Shares {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

#[test]
fn a_recorded_job_about_tokens_replays_about_the_same_tokens() {
    let tokens = [TARGET, Address::repeat_byte(0x77)];
    let (outcome, fixture) = Fixture::record::<Shares>(&JobTest::for_tokens("acme", 137, &tokens), contract);
    assert_eq!(outcome.compositions().len(), 2);
    let (folder, path) = saved("");
    fixture.save(&path).expect("saved");
    let file: Value = serde_json::from_str(&std::fs::read_to_string(&path).expect("a file")).expect("JSON");
    assert_eq!(file["question"], "composition");
    assert_eq!(file["tokens"], json!([format!("0x{}", "11".repeat(20)), format!("0x{}", "77".repeat(20))]));
    let replayed = Fixture::load(&path).expect("loaded").replay::<Shares>(Settings::default()).expect("replayed");
    assert_eq!(replayed, outcome);
    drop(folder);
}

#[test]
fn a_fixtures_file_is_json_that_people_can_read() {
    let (_, fixture) = record();
    let (_folder, path) = saved("");
    fixture.save(&path).expect("saved");
    let text = std::fs::read_to_string(&path).expect("a file");
    assert!(text.ends_with("}\n"));
    let file: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&file["question"], &file["network"]), (&json!("claimables"), &json!(137)));
    let hash = format!("0x{}", "07".repeat(32));
    let at = json!({ "number": 21_000_000, "hash": hash, "timestamp": 1_700_000_001, "evmNumber": 21_000_001 });
    assert_eq!(file["block"], at);
    assert_eq!(file["pins"]["10"]["number"], 99);
    // Nine reads, two of which are indistinguishable.
    assert_eq!(file["reads"].as_array().expect("an array").len(), 8);
    assert_eq!(file["reads"][2]["status"], "reverted");
    assert_eq!(file["reads"][2]["reply"], "0x0102");
}

#[test]
fn a_read_that_was_not_recorded_finds_no_endpoint() {
    let (_, fixture) = Fixture::record::<Play<OneRead>>(&case(), contract);
    let replayed = fixture.replay::<Play<TwoReads>>(Settings::default()).expect("replayed");
    assert_eq!((replayed.end, numbers(&replayed)), (End::Failed, vec![3]));
    assert_eq!(replayed.message, format!("value(uint256) of {TARGET}: no endpoint answered in time"));
}

async fn one(cx: &JobContext) -> Result<Claimable, Error> {
    value(cx, 1).await.map(found)
}

scenario!(OneRead, |cx| { Ok(vec![one(cx).await?]) });
scenario!(TwoReads, |cx| {
    cx.emit(one(cx).await?);
    value(cx, 2).await.map(|answer| vec![found(answer)])
});

scenario!(EveryAnswer, |cx| {
    let mut ends = Vec::new();
    for of in 0..7 {
        let outcome = cx.try_call(TARGET, crate::scenario::valueCall { of: U256::from(of) }).await;
        ends.push(format!("{outcome:?}"));
    }
    Err(Error::new(ends.join(" | ")))
});

#[test]
fn every_kind_of_answer_is_kept() {
    let answers = |request: &ReadRequest| match number(request) {
        0 => word(1),
        1 => ReadResult::Reverted(vec![9].into()),
        2 => ReadResult::NoCode,
        3 => ReadResult::GasCap,
        4 => ReadResult::Unavailable,
        5 => ReadResult::OverBudget,
        _ => ReadResult::Unsupported,
    };
    let (outcome, fixture) = Fixture::record::<Play<EveryAnswer>>(&case(), answers);
    assert_eq!(outcome.message.matches(" | ").count(), 6);
    assert_eq!(fixture.replay::<Play<EveryAnswer>>(Settings::default()).expect("replayed"), outcome);
}

/// The file of a job with one read, with one value changed.
fn changed(pointer: &str, value: Value) -> String {
    let (_, fixture) = Fixture::record::<Play<OneRead>>(&case(), contract);
    let (_folder, path) = saved("");
    fixture.save(&path).expect("saved");
    let text = std::fs::read_to_string(&path).expect("a file");
    let mut file: Value = serde_json::from_str(&text).expect("JSON");
    *file.pointer_mut(pointer).expect("a value to change") = value;
    file.to_string()
}

#[test]
fn a_value_that_no_fixture_holds_is_reported_with_its_name() {
    let cases = [
        ("/question", json!("prices"), "question \"prices\" is not what a fixture holds"),
        ("/account", json!("0x12"), "account \"0x12\" is not what a fixture holds"),
        ("/block/hash", json!("0x00"), "block hash \"0x00\" is not what a fixture holds"),
        ("/reads/0/to", json!("somewhere"), "to \"somewhere\" is not what a fixture holds"),
        ("/reads/0/data", json!("0x123"), "data \"0x123\" is not what a fixture holds"),
        ("/reads/0/reply", json!("0xzz"), "reply \"0xzz\" is not what a fixture holds"),
        ("/reads/0/status", json!("maybe"), "status \"maybe\" is not what a fixture holds"),
    ];
    for (pointer, value, message) in cases {
        let (_folder, path) = saved(&changed(pointer, value));
        let fixture = Fixture::load(&path).expect("it is JSON of the right shape");
        let error = fixture.replay::<Play<OneRead>>(Settings::default()).expect_err(pointer);
        assert!(matches!(error, FixtureError::Value { .. }), "{error:?}");
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn a_file_of_another_shape_is_an_error() {
    let cases = [
        ("nothing", String::new()),
        ("no JSON", "{".to_owned()),
        ("another JSON", "[]".to_owned()),
        ("a member of another type", changed("/network", json!("137"))),
        ("a member that is missing", changed("/block", json!({ "number": 1 }))),
        (
            "a member that is unknown",
            changed("/block", json!({ "number": 1, "hash": "", "timestamp": 1, "evmNumber": 1, "x": 1 })),
        ),
    ];
    for (what, text) in cases {
        let (_folder, path) = saved(&text);
        let loaded = Fixture::load(&path);
        assert!(matches!(loaded, Err(FixtureError::Json(_))), "{what}: {loaded:?}");
    }
    let (folder, _) = saved("");
    assert!(matches!(Fixture::load(folder.path().join("other.json")), Err(FixtureError::Io(_))));
    assert!(matches!(record().1.save(folder.path()), Err(FixtureError::Io(_))));
}

#[test]
fn an_expectation_reports_what_was_found_too_much_and_what_was_not() {
    let (outcome, _) = record();
    let findings: Vec<String> = outcome.findings.iter().rev().map(line).collect();
    let right = Expected { partial: true, findings };
    assert_eq!(outcome.differences(&right), [""; 0]);
    let mut wrong = Expected { partial: false, ..right };
    let lost = std::mem::replace(&mut wrong.findings[0], "stake 1".to_owned());
    let differences = outcome.differences(&wrong);
    assert!(differences[0].starts_with("ended Partial instead of Complete"), "{differences:?}");
    assert_eq!(differences[1..], [format!("found {lost}"), "did not find stake 1".to_owned()]);
}

/// Reads once, and finds nothing, whatever it is asked about an account.
struct EveryQuestion;

const ABOUT_ACCOUNTS: [Question; 5] =
    [Question::CLAIMABLES, Question::FARMING, Question::LENDING, Question::POOLING, Question::LOCKED];

async fn nothing<T>(cx: &JobContext) -> Result<Vec<T>, Error> {
    value(cx, 1).await?;
    Ok(Vec::new())
}

impl Plugin for EveryQuestion {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let mut catalogue = crate::scenario::catalogue();
        catalogue.deployments[0].questions = ABOUT_ACCOUNTS.to_vec();
        catalogue
    }

    async fn claimables(&self, cx: &JobContext, _: Address) -> Result<Vec<Claimable>, Error> {
        nothing(cx).await
    }

    async fn farming(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        nothing(cx).await
    }

    async fn lending(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        nothing(cx).await
    }

    async fn pooling(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        nothing(cx).await
    }

    async fn locked(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        nothing(cx).await
    }
}

impl Exported for EveryQuestion {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

#[test]
fn a_record_of_each_question_about_an_account_replays() {
    for question in ABOUT_ACCOUNTS {
        let test = JobTest::new("acme", 137, question, TARGET);
        let (outcome, fixture) = Fixture::record::<EveryQuestion>(&test, contract);
        assert_eq!((outcome.end, &outcome.batches[..]), (End::Complete, &[1][..]), "{question:?}");
        let (_folder, path) = saved("");
        fixture.save(&path).expect("saved");
        let loaded = Fixture::load(&path).expect("loaded");
        assert_eq!(loaded.replay::<EveryQuestion>(Settings::default()).expect("replayed"), outcome, "{question:?}");
    }
}
