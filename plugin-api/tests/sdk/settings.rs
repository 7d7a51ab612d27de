//! The operator's settings as typed rows: replaced, added and refused rows, with row and key.

use portolan_abi::map::{self, SettingsKey, SettingsRow, SettingsValue};
use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::settings_error;
use portolan_plugin_api::{
    Address, Catalogue, Company, Deployment, Error, FromKeys, JobContext, Keys, Plugin, Position, Protocol, Question,
    Settings, SettingsError, address,
};

use crate::host::{Host, shipped};

/// One key of every type.
#[derive(Clone, Debug, Default, PartialEq)]
struct Farm {
    chef: Address,
    title: Option<String>,
    pending: Option<String>,
    oracle: Option<Address>,
    farms: Vec<Address>,
    sections: Vec<String>,
    dual: bool,
    pools_max: Option<i64>,
}

impl FromKeys for Farm {
    fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError> {
        Ok(Self {
            chef: keys.address("chef")?,
            title: keys.text("title")?.map(str::to_owned),
            pending: keys.function("pending")?.map(str::to_owned),
            oracle: keys.address_opt("oracle")?,
            farms: keys.addresses("farms")?,
            sections: keys.texts("sections")?.into_iter().map(str::to_owned).collect(),
            dual: keys.flag("dual")?,
            pools_max: keys.integer("pools_max")?,
        })
    }
}

const SHIPPED: Address = Address::repeat_byte(0xaa);

fn shipped_rows() -> [Deployment<Farm>; 3] {
    [("acme", 137, "main"), ("acme", 137, "old"), ("acme", 1, "main")].map(|(protocol, network, market)| Deployment {
        protocol: protocol.to_owned(),
        network,
        market: market.to_owned(),
        mechanism: Farm { chef: SHIPPED, ..Farm::default() },
    })
}

fn protocol(slug: &str, name: &str) -> Protocol {
    let company = Company { name: "Acme".to_owned(), slug: "acme".to_owned() };
    let website = "https://acme.example".to_owned();
    Protocol { slug: slug.to_owned(), name: name.to_owned(), website, logo: None, primitives: Vec::new(), company }
}

/// Its catalogue has the rows that remain after its settings.
struct Chef {
    rows: Vec<Deployment<Farm>>,
    protocols: Vec<Protocol>,
}

impl Plugin for Chef {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let rows = settings.deployments(shipped_rows())?;
        let protocols = settings.protocols(&[protocol("acme", "ACME"), protocol("unused", "UNUSED")], &rows);
        Ok(Self { rows, protocols })
    }

    fn catalogue(&self) -> Catalogue {
        let served = |row: &Deployment<Farm>| {
            let contracts = [row.mechanism.chef].into_iter().chain(row.mechanism.farms.iter().copied());
            row.served(&[Question::FARMING], contracts)
        };
        let deployments = self.rows.iter().map(served).collect();
        Catalogue { protocols: self.protocols.clone(), deployments, ..Catalogue::default() }
    }

    async fn farming(&self, _: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        Ok(Vec::new())
    }
}

impl Exported for Chef {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

fn key(key: &str, value: SettingsValue) -> SettingsKey {
    SettingsKey { key: key.to_owned(), value }
}

fn text(text: &str) -> SettingsValue {
    SettingsValue::Text(text.to_owned())
}

/// A row with a valid `chef`.
fn row(protocol: &str, chain_id: u64, market: &str, more: Vec<SettingsKey>) -> SettingsRow {
    let chef = key("chef", text("0x4242424242424242424242424242424242424242"));
    let keys = [vec![chef], more].concat();
    SettingsRow { protocol: protocol.to_owned(), chain_id, market: market.to_owned(), keys }
}

fn with(rows: Vec<SettingsRow>) -> Settings {
    Settings::from_rows(true, Vec::new(), rows)
}

/// Returns the typed rows that settings leave, or why they are refused.
fn rows(settings: &Settings) -> Result<Vec<Deployment<Farm>>, SettingsError> {
    settings.deployments(shipped_rows())
}

fn places(settings: &Settings) -> Vec<(String, u64, String, bool)> {
    let rows = rows(settings).expect("settings that are in order");
    rows.into_iter().map(|row| (row.protocol, row.network, row.market, row.mechanism.chef == SHIPPED)).collect()
}

fn place(protocol: &str, network: u64, market: &str, shipped: bool) -> (String, u64, String, bool) {
    (protocol.to_owned(), network, market.to_owned(), shipped)
}

#[test]
fn no_settings_leave_the_shipped_rows() {
    assert_eq!(rows(&Settings::default()).expect("no settings"), shipped_rows());
}

#[test]
fn a_row_of_the_same_protocol_network_and_market_replaces_the_shipped_one_at_its_place() {
    let settings = with(vec![row("acme", 137, "old", Vec::new())]);
    let expected = [place("acme", 137, "main", true), place("acme", 137, "old", false), place("acme", 1, "main", true)];
    assert_eq!(places(&settings), expected);
}

#[test]
fn any_other_row_is_added_after_the_shipped_ones() {
    let settings = with(vec![
        row("acme", 137, "new", Vec::new()),
        row("acme", 10, "main", Vec::new()),
        row("fork", 137, "main", Vec::new()),
    ]);
    let added = [place("acme", 137, "new", false), place("acme", 10, "main", false), place("fork", 137, "main", false)];
    assert_eq!(places(&settings)[3..], added);
}

#[test]
fn without_the_shipped_rows_only_the_files_rows_are_left() {
    let settings = Settings::from_rows(false, Vec::new(), vec![row("acme", 1, "main", Vec::new())]);
    assert_eq!(places(&settings), [place("acme", 1, "main", false)]);
    assert_eq!(places(&Settings::from_rows(false, Vec::new(), Vec::new())), []);
}

#[test]
fn every_type_of_key_is_read() {
    let checksummed = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
    let list = SettingsValue::List(vec![text(checksummed), text("0xABABABABABABABABABABABABABABABABABABABAB")]);
    let settings = with(vec![row(
        "acme",
        137,
        "main",
        vec![
            key("title", text("A title")),
            key("pending", text("pendingCake")),
            key("sections", SettingsValue::List(vec![text("v2"), text("")])),
            key("oracle", text(checksummed)),
            key("farms", list),
            key("dual", SettingsValue::Bool(true)),
            key("pools_max", SettingsValue::Integer(-3)),
        ],
    )]);
    let vitalik = address!("0xd8da6bf26964af9d7eed9e03e53415d37aa96045");
    let expected = Farm {
        chef: Address::repeat_byte(0x42),
        title: Some("A title".to_owned()),
        pending: Some("pendingCake".to_owned()),
        oracle: Some(vitalik),
        farms: vec![vitalik, Address::repeat_byte(0xab)],
        sections: vec!["v2".to_owned(), String::new()],
        dual: true,
        pools_max: Some(-3),
    };
    assert_eq!(rows(&settings).expect("settings that are in order")[0].mechanism, expected);
}

#[test]
fn keys_that_may_be_missing_are_their_first_value() {
    let settings = with(vec![row("acme", 137, "main", Vec::new())]);
    let expected = Farm { chef: Address::repeat_byte(0x42), ..Farm::default() };
    assert_eq!(rows(&settings).expect("settings that are in order")[0].mechanism, expected);
}

#[test]
fn what_is_wrong_is_reported_with_row_and_key() {
    let number = || SettingsValue::Integer(1);
    let list = |values| SettingsValue::List(values);
    let cases = [
        ("chefs", text("x"), "unknown key; known here: chef, title, pending, oracle, farms, sections, dual, pools_max"),
        ("title", number(), "not a text"),
        ("pending", number(), "not a text"),
        ("pending", text(""), "\"\" is not a function name"),
        ("pending", text("9lives"), "\"9lives\" is not a function name"),
        ("pending", text("f(address)"), "\"f(address)\" is not a function name"),
        ("sections", text("v2"), "not an array of texts"),
        ("sections", list(vec![number()]), "not an array of texts"),
        ("oracle", SettingsValue::Bool(true), "not a text"),
        ("oracle", text("0x123"), "\"0x123\" is not 0x and 40 hex digits"),
        ("oracle", text(""), "\"\" is not 0x and 40 hex digits"),
        ("farms", text("0x123"), "not an array of addresses"),
        ("farms", list(vec![number()]), "not an array of addresses"),
        ("farms", list(vec![text("0xzz")]), "\"0xzz\" is not 0x and 40 hex digits"),
        ("dual", text("true"), "not true or false"),
        ("pools_max", text("1"), "not a whole number"),
    ];
    for (name, value, message) in cases {
        let good = row("acme", 1, "main", Vec::new());
        let settings = with(vec![good, row("acme", 137, "main", vec![key(name, value)])]);
        let error = settings_error::<Chef>(&settings).expect("refused");
        let expected = SettingsError { message: message.to_owned(), row: Some(1), key: Some(name.to_owned()) };
        assert_eq!(error, expected);
    }
}

#[test]
fn an_address_is_0x_and_40_digits_with_a_checksum_if_its_letters_are_mixed() {
    let refused = |address: &str| {
        let settings = with(vec![row("acme", 137, "main", vec![key("oracle", text(address))])]);
        settings_error::<Chef>(&settings).map(|error| error.message)
    };
    let none = |text: &str| Some(format!("{text:?} is not 0x and 40 hex digits"));
    let wrong = "0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045";
    let actual = format!("{wrong} has a wrong checksum, should be 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045");
    assert_eq!(refused(wrong), Some(actual));
    for fine in ["0xd8da6bf26964af9d7eed9e03e53415d37aa96045", "0xD8DA6BF26964AF9D7EED9E03E53415D37AA96045"] {
        assert_eq!(refused(fine), None);
    }
    let no_prefix = "d8da6bf26964af9d7eed9e03e53415d37aa96045";
    let (upper_prefix, short) = (format!("0X{no_prefix}"), "0xd8da6bf26964af9d7eed9e03e53415d37aa9604");
    let (long, sign) = (format!("0x{no_prefix}0"), "0x+8da6bf26964af9d7eed9e03e53415d37aa96045");
    for wrong in [no_prefix, &upper_prefix, short, &long, sign] {
        assert_eq!(refused(wrong), none(wrong));
    }
}

#[test]
fn a_missing_key_is_reported_with_its_name() {
    let bare = SettingsRow { keys: Vec::new(), ..row("acme", 137, "main", Vec::new()) };
    let error = settings_error::<Chef>(&with(vec![bare])).expect("refused");
    assert_eq!(error, SettingsError { message: "missing".to_owned(), row: Some(0), key: Some("chef".to_owned()) });
}

#[test]
fn an_error_reads_as_a_sentence_that_counts_rows_from_one() {
    let error = rows(&with(vec![row("acme", 137, "main", vec![key("dual", text("yes"))])])).expect_err("refused");
    assert_eq!(error.to_string(), "deployment 1: `dual`: not true or false");
    assert_eq!(SettingsError::new("nothing to serve").to_string(), "nothing to serve");
}

#[test]
fn bytes_that_are_no_settings_are_refused() {
    let error = Host::<Chef>::configured(&[0xff, 0x00]).err().expect("refused");
    assert!(error.message.starts_with("settings frame: "), "{}", error.message);
    assert_eq!((error.row, error.key), (None, None));
}

#[test]
fn protocols_are_those_that_rows_name_and_those_of_the_file() {
    let slugs = |settings: &Settings| {
        let chef = Chef::configure(settings).expect("settings that are in order");
        chef.protocols.into_iter().map(|protocol| (protocol.slug, protocol.name)).collect::<Vec<_>>()
    };
    let pair = |slug: &str, name: &str| (slug.to_owned(), name.to_owned());
    assert_eq!(slugs(&Settings::default()), [pair("acme", "ACME")]);

    let fork = vec![protocol("fork", "FORK")];
    let settings = Settings::from_rows(true, fork.clone(), vec![row("fork", 137, "main", Vec::new())]);
    assert_eq!(slugs(&settings), [pair("acme", "ACME"), pair("fork", "FORK")]);

    let alone = Settings::from_rows(false, fork, vec![row("fork", 137, "main", Vec::new())]);
    assert_eq!(slugs(&alone), [pair("fork", "FORK")]);

    let renamed = Settings::from_rows(true, vec![protocol("acme", "RENAMED")], Vec::new());
    assert_eq!(slugs(&renamed), [pair("acme", "RENAMED")]);
}

#[test]
fn the_catalogue_of_an_instance_follows_its_settings() {
    let places = |host: &Host<Chef>| {
        let rows = host.catalogue().deployments.into_iter();
        rows.map(|row| (row.protocol, row.chain_id, row.market, row.contracts.len())).collect::<Vec<_>>()
    };
    let place = |network, market: &str| ("acme".to_owned(), network, market.to_owned(), 1);
    let shipped = Host::<Chef>::configured(&shipped()).expect("no settings");
    assert_eq!(places(&shipped), [place(137, "main"), place(137, "old"), place(1, "main")]);

    let rows = vec![row("acme", 10, "main", Vec::new())];
    let alone = map::Settings { shipped: false, protocols: Vec::new(), deployments: rows };
    let alone = Host::<Chef>::configured(&portolan_abi::codec::encode(&alone)).expect("settings");
    assert_eq!(places(&alone), [place(10, "main")]);
    assert_eq!(places(&shipped).len(), 3);
}
