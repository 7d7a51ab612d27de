//! Derived settings rows, served deployments, and the rows of a job.

use portolan_abi::map::{SettingsKey, SettingsRow, SettingsValue};
use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, catalogue, settings_error};
use portolan_plugin_api::{
    Address, B256, Catalogue, Claimable, Company, Deployment, Deployments, Error, FromKeys, JobContext, KeyValue,
    Plugin, Protocol, Question, Settings, SettingsError, U256, address,
};

use crate::scenario::{self, TARGET, found};

/// One key of every type.
#[derive(Clone, Debug, PartialEq, FromKeys)]
struct Vault {
    /// The contract that holds
    /// the shares.
    ///
    /// Not part of the sentence.
    vault: Address,
    r#type: Option<Curve>,
    code: Option<B256>,
    titles: Vec<String>,
    owners: Vec<Address>,
    #[default]
    dual: bool,
    #[default(100)]
    pools_max: u32,
    #[default("main".to_owned())]
    title: String,
    began: Option<u64>,
    offset: Option<i64>,
}

/// A type of the plugin's author.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Curve {
    Stable,
    Volatile,
}

impl KeyValue for Curve {
    const ONE: &'static str = "a text";
    const MANY: &'static str = "texts";

    fn from_value(value: &SettingsValue) -> Option<Result<Self, SettingsError>> {
        Some(String::from_value(value)?.and_then(|text| match text.as_str() {
            "stable" => Ok(Self::Stable),
            "volatile" => Ok(Self::Volatile),
            other => Err(SettingsError::new(format!("{other:?} is neither `stable` nor `volatile`"))),
        }))
    }
}

/// A mechanism without keys.
#[derive(Clone, Debug, PartialEq, FromKeys)]
struct Nothing;

const FIRST: Address = address!("0xd8da6bf26964af9d7eed9e03e53415d37aa96045");
const SECOND: Address = Address::repeat_byte(0xab);
const ACCOUNT: Address = Address::repeat_byte(0x22);

struct Vaults(Deployments<Vault>);

impl Plugin for Vaults {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let protocols =
            ["acme_v2", "fork"].map(|slug| Protocol::new(slug, "ACME", "https://acme.example", &["POOLING"]));
        let row = |protocol, network, market| Deployment::new(protocol, network, vault(FIRST)).market(market);
        let rows =
            [row("acme_v2", 1, "old"), row("acme_v2", 1, "main"), row("acme_v2", 137, "main"), row("fork", 1, "main")];
        settings.serve(&protocols, rows).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let contracts = |vault: &Vault| [vault.vault, TARGET].into_iter().chain(vault.owners.clone());
        Catalogue { claims: scenario::catalogue().claims, ..self.0.catalogue(&[Question::CLAIMABLES], contracts) }
    }

    async fn claimables(&self, cx: &JobContext, _: Address) -> Result<Vec<Claimable>, Error> {
        let parts = cx.rows(&self.0).map(async |row| {
            let number = cx.native_balance(row.mechanism.vault).await?;
            Ok(Some(Claimable { market: row.market.clone(), ..found(number) }))
        });
        cx.gather(parts).await
    }
}

impl Exported for Vaults {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

/// A vault without optional keys.
fn vault(vault: Address) -> Vault {
    Vault {
        vault,
        r#type: None,
        code: None,
        titles: Vec::new(),
        owners: Vec::new(),
        dual: false,
        pools_max: 100,
        title: "main".to_owned(),
        began: None,
        offset: None,
    }
}

fn text(text: &str) -> SettingsValue {
    SettingsValue::Text(text.to_owned())
}

fn settings<const N: usize>(keys: [(&str, SettingsValue); N]) -> Settings {
    let keys = keys.map(|(key, value)| SettingsKey { key: key.to_owned(), value });
    let row = SettingsRow { protocol: "fork".to_owned(), chain_id: 10, market: "main".to_owned(), keys: keys.to_vec() };
    Settings::from_rows(false, Vec::new(), vec![row])
}

fn read<const N: usize>(keys: [(&str, SettingsValue); N]) -> Vault {
    let mut rows = settings(keys).deployments::<Vault>([]).expect("settings that are in order");
    rows.remove(0).mechanism
}

#[test]
fn every_type_of_field_is_read_by_its_name() {
    let owners = SettingsValue::List(vec![text(&FIRST.to_string()), text(&SECOND.to_string())]);
    let full = read([
        ("vault", text(&FIRST.to_string())),
        ("type", text("stable")),
        ("code", text(&format!("0x{}", "07".repeat(32)))),
        ("titles", SettingsValue::List(vec![text("a"), text("")])),
        ("owners", owners),
        ("dual", SettingsValue::Bool(true)),
        ("pools_max", SettingsValue::Integer(7)),
        ("title", text("other")),
        ("began", SettingsValue::Integer(i64::MAX)),
        ("offset", SettingsValue::Integer(-3)),
    ]);
    let expected = Vault {
        vault: FIRST,
        r#type: Some(Curve::Stable),
        code: Some(B256::repeat_byte(7)),
        titles: vec!["a".to_owned(), String::new()],
        owners: vec![FIRST, SECOND],
        dual: true,
        pools_max: 7,
        title: "other".to_owned(),
        began: Some(9_223_372_036_854_775_807),
        offset: Some(-3),
    };
    assert_eq!(full, expected);
}

#[test]
fn fields_that_may_be_missing_have_their_defaults() {
    assert_eq!(read([("vault", text(&SECOND.to_string()))]), vault(SECOND));
    let nothing = Settings::from_rows(false, Vec::new(), Vec::new()).deployments([Deployment::new("fork", 1, Nothing)]);
    assert_eq!(nothing, Ok(Vec::new()));
}

#[test]
fn a_missing_key_is_reported_with_what_it_is_for() {
    let error = settings_error::<Vaults>(&settings([])).expect("refused");
    assert_eq!(error.to_string(), "deployment 1: `vault`: missing: The contract that holds the shares");
}

#[test]
fn what_is_wrong_is_reported_with_its_key() {
    let cases = [
        ("type", text("round"), "\"round\" is neither `stable` nor `volatile`"),
        ("code", text("0x07"), "\"0x07\" is not 0x and 64 hex digits"),
        ("owners", text("0x07"), "not an array of addresses"),
        ("dual", SettingsValue::Integer(1), "not true or false"),
        ("pools_max", SettingsValue::Integer(-1), "-1 is not from 0 to 4294967295"),
        ("pools_max", SettingsValue::Integer(1 << 32), "4294967296 is not from 0 to 4294967295"),
        ("began", SettingsValue::Bool(true), "not a whole number"),
        (
            "pool_max",
            SettingsValue::Integer(1),
            "unknown key; known here: vault, type, code, titles, owners, dual, pools_max, title, began, offset",
        ),
    ];
    for (key, value, message) in cases {
        let error = settings_error::<Vaults>(&settings([("vault", text(&FIRST.to_string())), (key, value)]));
        let expected = SettingsError { message: message.to_owned(), row: Some(0), key: Some(key.to_owned()) };
        assert_eq!(error, Some(expected));
    }
}

#[test]
fn what_is_served_is_in_the_catalogue() {
    let served = catalogue::<Vaults>(&Settings::default());
    let rows = served.deployments.iter();
    let rows: Vec<_> = rows.map(|row| (row.protocol.as_str(), row.chain_id, row.market.as_str())).collect();
    assert_eq!(rows, [("acme_v2", 1, "old"), ("acme_v2", 1, "main"), ("acme_v2", 137, "main"), ("fork", 1, "main")]);
    assert!(
        served
            .deployments
            .iter()
            .all(|row| row.contracts == [FIRST, TARGET] && row.questions == [Question::CLAIMABLES])
    );
    let companies: Vec<_> = served.protocols.iter().map(|protocol| protocol.company.clone()).collect();
    let company = |name: &str, slug: &str| Company { name: name.to_owned(), slug: slug.to_owned() };
    assert_eq!(companies, [company("Acme V2", "acme-v2"), company("Fork", "fork")]);
    let protocol = Protocol::new("acme", "ACME", "https://acme.example", &[]).company(Company::new("Acme Labs"));
    assert_eq!(protocol.company, company("Acme Labs", "acme-labs"));
    let owners = SettingsValue::List(vec![text(&SECOND.to_string())]);
    let listed = catalogue::<Vaults>(&settings([("vault", text(&FIRST.to_string())), ("owners", owners)]));
    assert_eq!(listed.deployments[0].contracts, [FIRST, TARGET, SECOND]);
    assert_eq!(listed.protocols.iter().map(|protocol| protocol.slug.as_str()).collect::<Vec<_>>(), ["fork"]);
}

#[test]
fn a_job_gets_the_rows_of_its_protocol_and_network() {
    let chain = CannedReplies::default().balance(1, FIRST, U256::from(5)).balance(137, FIRST, U256::from(6));
    for (protocol, network, expected) in [
        ("acme_v2", 1, &[("old", 5_u64), ("main", 5)][..]),
        ("acme_v2", 137, &[("main", 6)]),
        ("fork", 1, &[("main", 5)]),
    ] {
        let outcome = JobTest::new(protocol, network, Question::CLAIMABLES, ACCOUNT).run::<Vaults>(&chain);
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        let found: Vec<_> =
            outcome.payments().iter().map(|row| (row.claimable.market.as_str(), row.amount.to())).collect();
        assert_eq!(found, expected);
    }
}
