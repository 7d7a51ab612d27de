//! The question about events: the transaction of a job, views that tables need, and events as findings.

use portolan_abi::codec;
use portolan_abi::log;
use portolan_abi::map::{self, Amount, Member, Start};
use portolan_plugin_api::events::{Asset, Event, Kind, Log, Table, Transaction, Value};
use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{self, End, Fixture, JobTest, ReadRequest, ReadResult};
use portolan_plugin_api::{
    Address, B256, Bytes, Catalogue, Error, JobContext, Plugin, Question, Settings, SettingsError, U256,
};
use proptest::collection::vec;
use proptest::prelude::{Strategy, any, prop_assert, proptest};

use crate::host::{Host, start_map};
use crate::scenario::{NETWORK, TARGET, acme, contract, word};

const TOKEN: Address = Address::repeat_byte(0x55);
const OTHER: Address = Address::repeat_byte(0x66);
const WRAPPED: Address = Address::repeat_byte(0x77);

fn kind(name: &str) -> Kind {
    Kind::named(name).expect("a word of the vocabulary")
}

/// Two logs: one with a topic and data, an anonymous one with nothing.
fn transaction() -> Transaction {
    let first = Log {
        index: 41,
        address: TARGET,
        topics: vec![B256::repeat_byte(1), B256::repeat_byte(2)],
        data: Bytes::from_static(&[3, 4, 5]),
    };
    let second = Log { index: 42, address: OTHER, ..Log::default() };
    Transaction {
        hash: B256::repeat_byte(9),
        from: TOKEN,
        to: Some(OTHER),
        value: U256::from(7),
        logs: vec![first, second],
    }
}

/// Returns the question's transaction as an error, the only way for a plugin to show it.
struct Echo;

impl Plugin for Echo {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let topics = vec![B256::repeat_byte(1), B256::repeat_byte(2)];
        Catalogue { event_topics: Some(topics), ..Catalogue::default() }
    }

    async fn events(&self, cx: &JobContext, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        assert_eq!((cx.protocol(), cx.network()), ("", NETWORK));
        Err(Error::new(format!("{:?} {transaction:?}", cx.wrapped_native())))
    }
}

impl Exported for Echo {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

#[test]
fn a_catalogue_names_the_first_topics_of_its_events() {
    let named = Host::<Echo>::new().catalogue().event_topics;
    assert_eq!(named, Some(vec![B256::repeat_byte(1), B256::repeat_byte(2)]));
}

#[test]
fn a_job_gets_the_whole_transaction() {
    let case = JobTest::for_transaction(NETWORK, &transaction());
    let outcome = case.clone().wrapped_native(WRAPPED).run::<Echo>(contract);
    assert_eq!(outcome.message, format!("{:?} {:?}", Some(WRAPPED), transaction()));
    assert_eq!(case.run::<Echo>(contract).message, format!("{:?} {:?}", None::<Address>, transaction()));
    let creation = Transaction { to: None, logs: Vec::new(), ..transaction() };
    let outcome = JobTest::for_transaction(NETWORK, &creation).run::<Echo>(contract);
    assert_eq!(outcome.message, format!("{:?} {creation:?}", None::<Address>));
}

fn start(transaction: Option<map::Transaction>) -> Start {
    Start { question: Question::EVENTS, protocol: String::new(), transaction, ..start_map() }
}

#[test]
fn a_question_about_no_transaction_or_with_logs_that_are_none_is_refused() {
    let host = Host::<Echo>::new();
    let refused = |start: &Start| host.start_with(&codec::encode(start)).err();
    assert_eq!(refused(&start(None)).as_deref(), Some("the question names no transaction"));
    let torn = map::Transaction { logs: vec![1, 2].into(), ..map::Transaction::default() };
    assert_eq!(refused(&start(Some(torn))).as_deref(), Some("logs of the transaction: frame ends early"));
    let none = map::Transaction { logs: log::encode(&[]).expect("nothing"), ..map::Transaction::default() };
    assert_eq!(refused(&start(Some(none))), None);
}

/// Reports one event with a value of each class.
struct Every;

impl Plugin for Every {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue { protocols: vec![acme()], ..Catalogue::default() }
    }

    async fn events(&self, _: &JobContext, _: &Transaction) -> Result<Vec<Event>, Error> {
        let asset = |token| Asset { token, raw: U256::from(258) };
        let members = vec![
            ("user", Value::Address(TARGET)),
            ("asset", Value::Token(TOKEN)),
            ("amount", Value::Amount { raw: U256::from(1), of: Some(TOKEN) }),
            ("fee", Value::Amount { raw: U256::MAX, of: None }),
            ("assets", Value::Assets(vec![asset(Some(TOKEN)), asset(None)])),
            ("tokenId", Value::Number(U256::from(2))),
            ("node", Value::Word(B256::repeat_byte(3))),
            ("approved", Value::Flag(false)),
            ("name", Value::Text("words".to_owned())),
            ("expires", Value::Seconds(U256::from(4))),
            ("remoteNetwork", Value::Network(10)),
        ];
        let event = |log, protocol, members| Event { log, kind: kind("SWAP"), protocol, members };
        Ok(vec![event(1, Some("acme".to_owned()), members), event(0, None, Vec::new())])
    }
}

impl Exported for Every {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

#[test]
fn an_event_arrives_whole() {
    let outcome = JobTest::for_transaction(NETWORK, &transaction()).run::<Every>(contract);
    assert_eq!((outcome.end, outcome.batches.len()), (End::Complete, 0), "{}", outcome.message);
    let number = |number: u64| U256::from(number);
    let (token, none, raw) = (Address::repeat_byte(0x55), map::Value::default(), number(258));
    let assets = vec![Asset { token: Some(token), raw }, Asset { token: None, raw }];
    let values = [
        ("user", map::Value { address: Some(Address::repeat_byte(0x11)), ..none.clone() }),
        ("asset", map::Value { token: Some(token), ..none.clone() }),
        ("amount", map::Value { amount: Some(Amount { raw: number(1), of: Some(token) }), ..none.clone() }),
        ("fee", map::Value { amount: Some(Amount { raw: U256::MAX, of: None }), ..none.clone() }),
        ("assets", map::Value { assets: Some(assets), ..none.clone() }),
        ("tokenId", map::Value { number: Some(number(2)), ..none.clone() }),
        ("node", map::Value { word: Some(B256::repeat_byte(3)), ..none.clone() }),
        ("approved", map::Value { flag: Some(false), ..none.clone() }),
        ("name", map::Value { text: Some("words".to_owned()), ..none.clone() }),
        ("expires", map::Value { seconds: Some(number(4)), ..none.clone() }),
        ("remoteNetwork", map::Value { network: Some(10), ..none }),
    ];
    let members = values.map(|(name, value)| Member { name: name.to_owned(), value }).to_vec();
    let event = |log, protocol, members| map::Event { log, kind: "SWAP".to_owned(), protocol, members };
    let expected = [event(1, Some("acme".to_owned()), members), event(0, None, Vec::new())];
    assert_eq!(outcome.events(), expected.iter().collect::<Vec<_>>());
    assert_eq!(testing::line(&outcome.findings[1]), "log 0 is SWAP of nobody: ");
    assert!(
        testing::line(&outcome.findings[0]).contains("log 1 is SWAP of acme: amount=1 approved=false asset=0x5555")
    );
}

/// Reports an event of a log that does not exist.
struct Astray;

impl Plugin for Astray {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue::default()
    }

    async fn events(&self, _: &JobContext, _: &Transaction) -> Result<Vec<Event>, Error> {
        Ok(vec![Event { log: usize::MAX, kind: kind("SWAP"), protocol: None, members: Vec::new() }])
    }
}

impl Exported for Astray {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

#[test]
#[should_panic = "event of log 4294967295: the transaction has no such log"]
fn an_event_of_no_log_fails_the_test() {
    JobTest::for_transaction(NETWORK, &transaction()).run::<Astray>(contract);
}

/// Decodes by a table with a view of a view.
struct Tabled(Table);

impl Plugin for Tabled {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        let table = "[all]\nSTAKE Staked(address indexed user) user=user amount=1 asset=contract.pool().token() contract=contract";
        Table::parse(table).map(Self).map_err(|error| SettingsError::new(error.to_string()))
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue { event_topics: Some(self.0.topics().collect()), ..Catalogue::default() }
    }

    async fn events(&self, cx: &JobContext, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let decoded = cx.decode(&self.0, transaction).await?;
        assert!(decoded.iter().all(|(_, section)| section == "all"));
        Ok(decoded.into_iter().map(|(event, _)| event).collect())
    }
}

impl Exported for Tabled {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

/// `Staked(address indexed user)` of this many contracts.
fn staked(contracts: u8) -> JobTest {
    let topic = Host::<Tabled>::new().catalogue().event_topics.expect("a topic")[0];
    let log = |address: u8| Log {
        address: Address::repeat_byte(address),
        topics: vec![B256::from(topic.0), B256::left_padding_from(TARGET.as_slice())],
        ..Log::default()
    };
    let logs = (1..=contracts).map(log).collect();
    JobTest::for_transaction(NETWORK, &Transaction { logs, ..Transaction::default() })
}

/// Every contract's pool is the next contract, and every token is 0x55….
fn pools(request: &ReadRequest) -> ReadResult {
    let pool = Address::repeat_byte(request.to[0].wrapping_add(0x80));
    let answer = if request.to[0] < 0x80 { pool } else { TOKEN };
    ReadResult::Ok(B256::left_padding_from(answer.as_slice()).0.into())
}

#[test]
fn all_views_of_a_depth_leave_in_one_batch_and_may_stand_for_a_day() {
    let mut freshness = Vec::new();
    let outcome = staked(40).run::<Tabled>(|request: &ReadRequest| {
        freshness.push((request.freshness, request.freshness_s));
        pools(request)
    });
    assert_eq!((outcome.end, outcome.events().len()), (End::Complete, 40), "{}", outcome.message);
    assert_eq!(outcome.batches, [40, 40]);
    assert!(freshness.iter().all(|actual| *actual == (portolan_abi::row::freshness::WITHIN, 86_400)), "{freshness:?}");
}

#[test]
fn a_view_that_does_not_answer_is_a_value_and_one_that_is_not_read_is_a_loss() {
    let second = Address::repeat_byte(2);
    let with = |answer: &ReadResult| {
        staked(3)
            .run::<Tabled>(|request: &ReadRequest| if request.to == second { answer.clone() } else { pools(request) })
    };
    for refused in
        [ReadResult::Reverted(Bytes::new()), ReadResult::NoCode, ReadResult::GasCap, ReadResult::Ok(Bytes::new())]
    {
        let outcome = with(&refused);
        assert_eq!((outcome.end, outcome.events().len()), (End::Complete, 2), "{refused:?}: {}", outcome.message);
    }
    for lost in [ReadResult::Unavailable, ReadResult::OverBudget, ReadResult::Unsupported] {
        let outcome = with(&lost);
        assert_eq!((outcome.end, outcome.events().len()), (End::Partial, 2), "{lost:?}");
        assert_eq!(outcome.message, "1 logs: a view that decodes them could not be read");
    }
}

#[test]
fn a_recorded_job_about_a_transaction_replays_about_the_same_one() {
    let case = staked(2).wrapped_native(WRAPPED);
    let (outcome, fixture) = Fixture::record::<Tabled>(&case, pools);
    assert_eq!(outcome.events().len(), 2);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("job.json");
    fixture.save(&path).expect("saved");
    let loaded = Fixture::load(&path).expect("loaded");
    assert_eq!(loaded, fixture);
    assert_eq!(loaded.replay::<Tabled>(Settings::default()).expect("replayed"), outcome);
    let echoed = loaded.replay::<Echo>(Settings::default()).expect("replayed").message;
    assert!(echoed.starts_with(&format!("{:?} ", Some(WRAPPED))), "{echoed}");
}

#[test]
fn a_plugin_without_events_reports_none() {
    let outcome = JobTest::for_transaction(NETWORK, &transaction()).run::<Quiet>(word_of_all);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0));
    assert_eq!(Host::<Quiet>::new().catalogue().event_topics, None);
}

fn word_of_all(_: &ReadRequest) -> ReadResult {
    word(1)
}

struct Quiet;

impl Plugin for Quiet {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue::default()
    }
}

impl Exported for Quiet {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

/// Contract, topics, data.
type AnyLog = ([u8; 20], Vec<[u8; 32]>, Vec<u8>);

fn any_log() -> impl Strategy<Value = AnyLog> {
    (any::<[u8; 20]>(), vec(any::<[u8; 32]>(), 0..6), vec(any::<u8>(), 0..100))
}

proptest! {
    #[test]
    fn logs_of_any_shape_arrive_as_they_are(logs in vec(any_log(), 0..20)) {
        let log = |((contract, topics, data), index): (&AnyLog, u64)| Log {
            index,
            address: Address::from(*contract),
            topics: topics.iter().copied().map(B256::from).collect(),
            data: data.clone().into(),
        };
        let logs: Vec<Log> = logs.iter().zip(0..).map(log).collect();
        let transaction =
            map::Transaction { logs: log::encode(&logs).expect("small logs"), ..map::Transaction::default() };
        let host = Host::<Echo>::new();
        let mut jobs = [host.start_with(&codec::encode(&start(Some(transaction)))).expect("the plugin starts the job")];
        let step = host.resume(&mut jobs, &[&[]]).remove(0);
        let expected = Transaction { to: None, logs, ..Transaction::default() };
        prop_assert!(step.message.ends_with(&format!("{expected:?}")), "{}", step.message);
    }

    #[test]
    fn logs_of_any_bytes_are_taken_or_refused(logs in vec(any::<u8>(), 0..200)) {
        let transaction = map::Transaction { logs: logs.into(), ..map::Transaction::default() };
        drop(Host::<Echo>::new().start_with(&codec::encode(&start(Some(transaction)))));
    }
}
