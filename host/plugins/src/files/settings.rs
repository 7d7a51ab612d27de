//! Parses an operator's settings file of one plugin, from TOML to the interface's `Settings`.
//!
//! The host checks the file's shape, networks and primitives; the plugin checks the keys of its mechanisms.
//! Invariant: every refusal names the row and the key, and nothing in the file is silently ignored.

use std::collections::BTreeMap;

use portolan_abi::map::{Company, Protocol, Settings, SettingsError, SettingsKey, SettingsRow, SettingsValue};
use portolan_base::files::{self, TrustedOwners};
use portolan_base::network::Networks;
use portolan_base::sanitize;
use portolan_validation::{CatalogueError, is_primitive};
use serde::Deserialize;
use serde_path_to_error::{Path, Segment};
use toml::{Table, Value};

/// A thousand deployments need about 200 KB.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// Maximum number of rows; no family has as many forks and markets.
const ROWS_MAX: usize = 4_096;
/// Maximum depth of arrays; mechanisms need at most an array of arrays of addresses.
const NESTING_MAX: usize = 3;
/// Keys of a deployment that do not belong to a mechanism.
const DEPLOYMENT_KEYS: [&str; 4] = ["protocol", "network", "market", "source"];
/// The market if the file names none.
const MAIN: &str = "main";

/// Reason why a settings file was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", self.prefix())]
pub(crate) struct SettingsFault {
    /// `deployment 2 (aave_v3/ethereum/main)`, or `line 7, deployment 2`.
    place: Option<String>,
    key: Option<String>,
    message: String,
}

impl SettingsFault {
    fn new(message: impl Into<String>) -> Self {
        Self { place: None, key: None, message: message.into() }
    }

    fn at(self, place: &str) -> Self {
        Self { place: Some(place.to_owned()), ..self }
    }

    fn key(self, key: &str) -> Self {
        Self { key: Some(key.to_owned()), ..self }
    }

    fn prefix(&self) -> String {
        match (&self.place, &self.key) {
            (None, None) => String::new(),
            (Some(place), None) => format!("{place}: "),
            (None, Some(key)) => format!("key `{key}`: "),
            (Some(place), Some(key)) => format!("{place}, key `{key}`: "),
        }
    }
}

/// Reads a settings file; returns `None` if there is none.
pub(crate) fn read(path: &std::path::Path, writers: TrustedOwners) -> Result<Option<String>, SettingsFault> {
    match files::read_linked_text(path, FILE_BYTES_MAX, writers) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(SettingsFault::new(error.to_string())),
    }
}

/// The settings of a plugin that has no file.
pub(crate) fn shipped() -> Settings {
    Settings { shipped: true, ..Settings::default() }
}

/// The file's layout.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsTable {
    shipped: Option<bool>,
    #[serde(default)]
    protocol: Vec<ProtocolTable>,
    /// Rows that also have the keys of mechanisms.
    #[serde(default)]
    deployment: Vec<Table>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProtocolTable {
    slug: String,
    name: String,
    website: String,
    logo: Option<String>,
    primitives: Vec<String>,
    company: CompanyTable,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CompanyTable {
    name: String,
    slug: String,
}

/// Parses a settings file.
pub(crate) fn parse(text: &str, networks: &Networks) -> Result<Settings, SettingsFault> {
    let document = toml::Deserializer::parse(text).map_err(|error| refused_by_toml(text, &error, None))?;
    let table: SettingsTable = serde_path_to_error::deserialize(document)
        .map_err(|error| refused_by_toml(text, error.inner(), Some(error.path())))?;
    for (key, rows) in [("protocol", table.protocol.len()), ("deployment", table.deployment.len())] {
        if rows > ROWS_MAX {
            return Err(SettingsFault::new(format!("{rows} rows are more than {ROWS_MAX}")).key(key));
        }
    }
    Ok(Settings {
        shipped: table.shipped.unwrap_or(true),
        protocols: table.protocol.into_iter().enumerate().map(protocol).collect::<Result<_, _>>()?,
        deployments: deployments(&table.deployment, networks)?,
    })
}

/// Converts a plugin's refusal to a fault that names the row of the file.
pub(crate) fn refused_by_plugin(error: &SettingsError, settings: &Settings, networks: &Networks) -> SettingsFault {
    let mut fault = SettingsFault::new(printable(&error.message));
    if let Some(key) = &error.key {
        fault = fault.key(&printable(key));
    }
    match error.row.and_then(|row| usize::try_from(row).ok()) {
        Some(row) => fault.at(&row_place(row, settings, networks)),
        None => fault,
    }
}

/// Finds the row that made a catalogue invalid, if it is one of the file's.
pub(crate) fn blame(error: &CatalogueError, settings: &Settings, networks: &Networks) -> Option<SettingsFault> {
    let fault = SettingsFault::new(error.to_string());
    if let CatalogueError::NoProtocol(slug) = error {
        let row = settings.deployments.iter().position(|row| row.protocol == *slug)?;
        return Some(fault.key("protocol").at(&row_place(row, settings, networks)));
    }
    let slug = error.slug()?;
    let row = settings.protocols.iter().rposition(|row| row.slug == slug)?;
    Some(fault.at(&protocol_place(row, &printable(slug))))
}

fn row_place(row: usize, settings: &Settings, networks: &Networks) -> String {
    let Some(named) = settings.deployments.get(row) else {
        return format!("deployment {} (which the file does not have)", row.saturating_add(1));
    };
    let network = networks.with_chain_id(named.chain_id).map_or("?", |network| network.slug.as_str());
    // A row on several networks is several of these, so its number is not that of the file.
    format!("deployment {}/{network}/{}", printable(&named.protocol), printable(&named.market))
}

/// Text of a plugin for a log line or a status: bounded, without control characters.
pub(crate) fn printable(text: &str) -> String {
    const CHARS_MAX: usize = 300;
    sanitize::plain(text, CHARS_MAX)
}

/// Converts an error of the TOML parser. A value error names line and row; a syntax error names the line only.
fn refused_by_toml(text: &str, error: &toml::de::Error, path: Option<&Path>) -> SettingsFault {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    let (mut place, mut keys) = (format!("line {}", before.matches('\n').count() + 1), Vec::new());
    for segment in path.into_iter().flat_map(Path::iter) {
        match segment {
            Segment::Map { key } => keys.push(printable(key)),
            Segment::Seq { index } => place += &format!(", {} {}", std::mem::take(&mut keys).join("."), index + 1),
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    let message = match error.message() {
        "integer number overflowed" | "u64 value was too large" => {
            "a whole number of more than 64 bits; addresses need quotes"
        }
        message => message,
    };
    let fault = SettingsFault::new(printable(message)).at(&place);
    if keys.is_empty() { fault } else { fault.key(&keys.join(".")) }
}

fn protocol((place, row): (usize, ProtocolTable)) -> Result<Protocol, SettingsFault> {
    let ProtocolTable { slug, name, website, logo, primitives, company } = row;
    if !primitives.iter().all(|primitive| is_primitive(primitive)) {
        let fault = SettingsFault::new("not an array of words in upper case, such as LENDING, POOLING or STREAM");
        return Err(fault.key("primitives").at(&protocol_place(place, &printable(&slug))));
    }
    let company = Company { name: company.name, slug: company.slug };
    Ok(Protocol { slug, name, website, logo, primitives, company })
}

fn deployments(rows: &[Table], networks: &Networks) -> Result<Vec<SettingsRow>, SettingsFault> {
    let mut seen = BTreeMap::new();
    let mut read = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        let named = |key, missing| printable(row.get(key).and_then(Value::as_str).unwrap_or(missing));
        let place = deployment_place(at, &named("protocol", "?"), &named("network", "?"), &named("market", MAIN));
        for row in deployment(row, networks).map_err(|fault| fault.at(&place))? {
            let identity = (row.protocol.clone(), row.chain_id, row.market.clone());
            if let Some(first) = seen.insert(identity, at) {
                let message = format!("deployment {} has the same protocol, network and market", first + 1);
                return Err(SettingsFault::new(message).at(&place));
            }
            read.push(row);
        }
        if read.len() > ROWS_MAX {
            return Err(SettingsFault::new(format!("more than {ROWS_MAX} rows, one for each network")).at(&place));
        }
    }
    Ok(read)
}

fn protocol_place(at: usize, slug: &str) -> String {
    format!("protocol {} ({slug})", at + 1)
}

fn deployment_place(at: usize, protocol: &str, network: &str, market: &str) -> String {
    format!("deployment {} ({protocol}/{network}/{market})", at + 1)
}

/// Reads a row, once for each of its networks.
fn deployment(row: &Table, networks: &Networks) -> Result<Vec<SettingsRow>, SettingsFault> {
    let text = |key| match row.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(SettingsFault::new("not a text").key(key)),
    };
    let missing = |key: &str| SettingsFault::new("missing").key(key);
    let protocol = text("protocol")?.ok_or_else(|| missing("protocol"))?;
    let named = row.get("network").ok_or_else(|| missing("network"))?;
    let market = text("market")?.unwrap_or_else(|| MAIN.to_owned());
    // Where a row is from is for its readers.
    row.get("source").map(|source| texts("source", source)).transpose()?;
    let key = |(key, value): (&String, &Value)| {
        let value = mechanism_value(value, 0).map_err(|fault| fault.key(&printable(key)))?;
        Ok(SettingsKey { key: key.clone(), value })
    };
    let of_mechanism = row.iter().filter(|(key, _)| !DEPLOYMENT_KEYS.contains(&key.as_str()));
    let keys: Vec<SettingsKey> = of_mechanism.map(key).collect::<Result<_, SettingsFault>>()?;
    let on = |network: &str| {
        let chain_id = chain_id(network, networks).map_err(|fault| fault.key("network"))?;
        Ok(SettingsRow { protocol: protocol.clone(), chain_id, market: market.clone(), keys: keys.clone() })
    };
    texts("network", named)?.into_iter().map(on).collect()
}

/// Reads a text or an array of texts, at least one.
fn texts<'a>(key: &str, value: &'a Value) -> Result<Vec<&'a str>, SettingsFault> {
    let wrong = || SettingsFault::new("not a text").key(key);
    match value {
        Value::Array(array) if !array.is_empty() => {
            array.iter().map(|value| value.as_str().ok_or_else(wrong)).collect()
        }
        value => value.as_str().map(|text| vec![text]).ok_or_else(wrong),
    }
}

fn chain_id(network: &str, networks: &Networks) -> Result<u64, SettingsFault> {
    let known = || networks.iter().map(|network| network.slug.as_str()).collect::<Vec<_>>().join(", ");
    let unknown = || SettingsFault::new(format!("unknown network {:?}; known: {}", printable(network), known()));
    networks.named(network).map(|network| network.chain_id).ok_or_else(unknown)
}

fn mechanism_value(value: &Value, nesting: usize) -> Result<SettingsValue, SettingsFault> {
    match value {
        Value::String(text) => Ok(SettingsValue::Text(text.clone())),
        Value::Boolean(flag) => Ok(SettingsValue::Bool(*flag)),
        Value::Integer(number) => Ok(SettingsValue::Integer(*number)),
        Value::Array(array) if nesting < NESTING_MAX => {
            let values = array.iter().map(|value| mechanism_value(value, nesting + 1));
            values.collect::<Result<_, _>>().map(SettingsValue::List)
        }
        Value::Array(_) => Err(SettingsFault::new(format!("arrays nested deeper than {NESTING_MAX}"))),
        Value::Float(_) => Err(SettingsFault::new("a fraction; write it as text")),
        Value::Datetime(_) => Err(SettingsFault::new("a date; no key is one")),
        Value::Table(_) => Err(SettingsFault::new("a nested table; a row has texts, whole numbers, flags and arrays")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<Settings, String> {
        parse(text, &Networks::new([])).map_err(|fault| fault.to_string())
    }

    const ACME: &str = r#"
        [[protocol]]
        slug = "acme"
        name = "ACME"
        website = "https://acme.example"
        primitives = ["LENDING", "BORROWING"]
        company = { name = "Acme", slug = "acme" }
    "#;

    #[test]
    fn an_empty_file_leaves_what_is_shipped() {
        assert_eq!(parsed(""), Ok(Settings { shipped: true, protocols: vec![], deployments: vec![] }));
    }

    #[test]
    fn a_whole_file_is_read_in_its_order() {
        let settings = parsed(&format!(
            r#"shipped = false
            {ACME}
            [[deployment]]
            zeta = 0x10
            protocol = "acme"
            network = "Polygon"
            alpha = ["0x01", "0x02"]
            [[deployment]]
            protocol = "acme"
            network = "ethereum"
            market = "second"
            dual = true"#
        ));
        let key = |key: &str, value| SettingsKey { key: key.into(), value };
        let text = |text: &str| SettingsValue::Text(text.into());
        let row = |chain_id, market: &str, keys| SettingsRow {
            protocol: "acme".into(),
            chain_id,
            market: market.into(),
            keys,
        };
        let acme = Protocol {
            slug: "acme".into(),
            name: "ACME".into(),
            website: "https://acme.example".into(),
            logo: None,
            primitives: vec!["LENDING".into(), "BORROWING".into()],
            company: Company { name: "Acme".into(), slug: "acme".into() },
        };
        let list = SettingsValue::List(vec![text("0x01"), text("0x02")]);
        let polygon = row(137, "main", vec![key("zeta", SettingsValue::Integer(16)), key("alpha", list)]);
        let ethereum = row(1, "second", vec![key("dual", SettingsValue::Bool(true))]);
        let expected = Settings { shipped: false, protocols: vec![acme], deployments: vec![polygon, ethereum] };
        assert_eq!(settings, Ok(expected));
    }

    #[test]
    fn a_row_on_several_networks_is_one_for_each() {
        let row = "[[deployment]]\nprotocol = \"acme\"\nsource = \"https://acme.example\"\nchef = \"0x01\"\n";
        let settings = parsed(&format!("{row}network = [\"polygon\", \"ethereum\"]")).unwrap();
        let rows: Vec<_> = settings.deployments.iter().map(|row| (row.chain_id, row.keys.len())).collect();
        assert_eq!(rows, [(137, 1), (1, 1)]);
        let twice = parsed(&format!("{row}network = [\"polygon\", \"Polygon\"]")).unwrap_err();
        assert!(twice.ends_with("deployment 1 has the same protocol, network and market"), "{twice}");
        assert!(parsed(&format!("{row}network = []")).unwrap_err().ends_with("key `network`: not a text"));
    }

    #[test]
    fn what_plugins_ship_with_is_a_settings_file() {
        let above = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("plugins"));
        let plugins = above.into_iter().find(|plugins| plugins.join("kits").is_dir()).unwrap();
        let folders = std::fs::read_dir(plugins).unwrap().map(|plugin| plugin.unwrap().path().join("protocols"));
        let files = folders.filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
        let mut read = 0;
        for file in files.map(|file| file.unwrap().path()) {
            // Some networks are served only where the operator adds them.
            let refused = parsed(&std::fs::read_to_string(&file).unwrap()).err();
            assert!(refused.iter().all(|refused| refused.contains("unknown network")), "{file:?}: {refused:?}");
            read += 1;
        }
        assert!(read > 0, "no plugin has rows");
    }

    #[test]
    fn a_refusal_names_row_and_key() {
        let row = "[[deployment]]\nprotocol = \"acme\"\nnetwork = \"polygon\"\n";
        let place = "deployment 1 (acme/polygon/main)";
        let cases = [
            (
                "shiped = true".into(),
                "line 1, key `shiped`: unknown field `shiped`, expected one of `shipped`, `protocol`, `dep".to_owned(),
            ),
            ("shipped = 1".into(), "line 1, key `shipped`: invalid type: integer `1`, expected a boolean".into()),
            (
                "deployment = 1".into(),
                "line 1, key `deployment`: invalid type: integer `1`, expected a sequence".into(),
            ),
            ("[deployment]\na = 1".into(), "line 1, key `deployment`: invalid type: map, expected a sequence".into()),
            ("\n\nx = = 1".into(), "line 3: ".into()),
            ("[[deployment]]\nnetwork = \"bsc\"".into(), "deployment 1 (?/bsc/main), key `protocol`: missing".into()),
            ("[[deployment]]\nprotocol = \"acme\"".into(), "deployment 1 (acme/?/main), key `network`: missing".into()),
            (format!("{row}market = 7"), format!("{place}, key `market`: not a text")),
            (format!("{row}fee = 0.5"), format!("{place}, key `fee`: a fraction; write it as text")),
            (format!("{row}on = 2024-01-01"), format!("{place}, key `on`: a date")),
            (format!("{row}pool = {{ a = 1 }}"), format!("{place}, key `pool`: a nested table")),
            (format!("{row}pool = [{{ a = 1 }}]"), format!("{place}, key `pool`: a nested table")),
            (format!("{row}pool = [[[[1]]]]"), format!("{place}, key `pool`: arrays nested deeper than 3")),
            (
                format!("{row}pool = 0x794a61358d6845594f94dc1db02a252b5b4814ad"),
                "line 4, deployment 1, key `pool`: a whole number of more than 64 bits; addresses need quotes".into(),
            ),
            (
                format!("{row}pool = 0xffffffffffffffff"),
                "line 4, deployment 1, key `pool`: a whole number of more than 64 bits".into(),
            ),
            (
                "[[deployment]]\nprotocol = \"acme\"\nnetwork = \"mars\"".into(),
                "deployment 1 (acme/mars/main), key `network`: unknown network \"mars\"; known: ethereum, ".into(),
            ),
            (format!("{row}{row}"), "deployment 2 (acme/polygon/main): deployment 1 has the same".into()),
            (ACME.replace("name = \"ACME\"", ""), "line 2, protocol 1: missing field `name`".into()),
            (ACME.replace("LENDING", "Lending"), "protocol 1 (acme), key `primitives`: not an array of words".into()),
            (
                ACME.replace("\"LENDING\"", "7"),
                "line 6, protocol 1, primitives 1: invalid type: integer `7`, expected a string".into(),
            ),
            (
                ACME.replace(", slug = \"acme\" }", " }"),
                "line 7, protocol 1, key `company`: missing field `slug`".into(),
            ),
            (
                ACME.replace("}", ", x = 1 }"),
                "line 7, protocol 1, key `company.x`: unknown field `x`, expected `name` or `slug`".into(),
            ),
            (
                format!("{ACME}\nicon = 1"),
                "line 9, protocol 1, key `icon`: unknown field `icon`, expected one of `slug`, `name`".into(),
            ),
        ];
        for (text, expected) in cases {
            let refusal = parsed(&text).expect_err(&text);
            assert!(refusal.starts_with(&expected), "{text}\n{refusal}\n{expected}");
            assert!(!refusal.contains('\n'), "{refusal}");
        }
    }

    #[test]
    fn a_plugins_own_refusal_is_reported_in_the_files_words() {
        let networks = Networks::new([]);
        let settings = parse("[[deployment]]\nprotocol = \"acme\"\nnetwork = \"polygon\"", &networks).unwrap();
        let message = |row, key: Option<&str>| {
            let error = SettingsError { message: "missing".into(), row, key: key.map(Into::into) };
            refused_by_plugin(&error, &settings, &networks).to_string()
        };
        assert_eq!(message(Some(0), Some("pool")), "deployment acme/polygon/main, key `pool`: missing");
        assert_eq!(message(Some(7), None), "deployment 8 (which the file does not have): missing");
        assert_eq!(message(None, None), "missing");
    }

    #[test]
    fn a_row_is_named_without_what_turns_its_words_around() {
        let networks = Networks::new([]);
        let row = "[[deployment]]\nprotocol = \"a\\u202eb\"\nmarket = \"\\n\\u05d0\"\nnetwork = \"polygon\"";
        let error = SettingsError { message: "missing".into(), row: Some(0), key: None };
        let refusal = refused_by_plugin(&error, &parse(row, &networks).unwrap(), &networks).to_string();
        assert_eq!(refusal, "deployment ab/polygon/\u{2068}\u{5d0}\u{2069}: missing");
    }

    #[test]
    fn a_catalogue_that_a_row_made_wrong_is_blamed_on_the_row() {
        let networks = Networks::new([]);
        let text = format!("{ACME}\n[[deployment]]\nprotocol = \"other\"\nnetwork = \"polygon\"");
        let settings = parse(&text, &networks).unwrap();
        let blamed = |error| blame(&error, &settings, &networks).map(|fault| fault.to_string());
        let no_protocol = "deployment other/polygon/main, key `protocol`: \
            a deployment names the protocol \"other\", which its catalogue does not have";
        assert_eq!(blamed(CatalogueError::NoProtocol("other".into())).as_deref(), Some(no_protocol));
        let reserved = "protocol 1 (acme): slug \"acme\" is a reserved word";
        assert_eq!(blamed(CatalogueError::Reserved("acme".into())).as_deref(), Some(reserved));
        assert_eq!(blamed(CatalogueError::Reserved("docs".into())), None);
    }

    #[test]
    fn a_file_above_the_bound_is_refused_and_a_missing_one_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.toml");
        let read = || read(&path, TrustedOwners::of_process(None));
        assert_eq!(read(), Ok(None));
        std::fs::write(&path, vec![b'#'; 1 << 20]).unwrap();
        assert!(read().is_ok());
        std::fs::write(&path, vec![b'#'; (1 << 20) + 1]).unwrap();
        assert_eq!(read().unwrap_err().to_string(), "more than 1048576 bytes");
    }
}
