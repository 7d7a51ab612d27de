//! An operator's settings file of one plugin: TOML in, the interface's `Settings` out.
//!
//! The host checks what it knows (the file's shape, networks, primitives); mechanism keys are the plugin's to
//! check. Invariant: every refusal names the row and the key, and nothing in the file is silently ignored.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use portolan_abi::map::{Company, Protocol, Settings, SettingsError, SettingsKey, SettingsRow, SettingsValue};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use super::catalogue::{CatalogueError, PRIMITIVES};
use crate::network::Networks;
use crate::sanitize;

/// A thousand deployments need about 200 KB.
const FILE_BYTES_MAX: u64 = 1 << 20;
/// More rows than any family has forks and markets.
const ROWS_MAX: usize = 4_096;
/// An array of arrays of addresses is the deepest that a mechanism has use for.
const NESTING_MAX: usize = 3;
/// Market where the file names none.
const MAIN: &str = "main";

/// Why a settings file was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{message}", self.prefix())]
pub(crate) struct SettingsFault {
    /// `deployment 2 (aave_v3/ethereum/main)`, or `line 7`.
    place: Option<String>,
    key: Option<String>,
    message: String,
}

impl SettingsFault {
    fn new(message: impl Into<String>) -> Self {
        Self { place: None, key: None, message: message.into() }
    }

    /// The innermost place and key are kept.
    fn at(self, place: &str) -> Self {
        Self { place: self.place.or_else(|| Some(place.to_owned())), ..self }
    }

    fn key(self, key: &str) -> Self {
        Self { key: self.key.or_else(|| Some(key.to_owned())), ..self }
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

/// Reads a settings file; `None` where there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, SettingsFault> {
    let failed = |error: io::Error| SettingsFault::new(format!("cannot read it: {error}"));
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mut text = String::new();
    file.take(FILE_BYTES_MAX + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > FILE_BYTES_MAX {
        return Err(SettingsFault::new(format!("more than {FILE_BYTES_MAX} bytes")));
    }
    Ok(Some(text))
}

/// The settings of a plugin that has no file.
pub(crate) fn shipped() -> Settings {
    Settings { shipped: true, ..Settings::default() }
}

/// Parses a settings file.
pub(crate) fn parse(text: &str, networks: &Networks) -> Result<Settings, SettingsFault> {
    let document = DeTable::parse(text).map_err(|error| syntax(text, &error))?;
    let mut settings = shipped();
    for (key, value) in in_file_order(document.get_ref()) {
        let read = match key {
            "shipped" => boolean(value).map(|shipped| settings.shipped = shipped),
            "protocol" => rows(value).and_then(|rows| protocols(&rows)).map(|rows| settings.protocols = rows),
            "deployment" => {
                rows(value).and_then(|rows| deployments(&rows, networks)).map(|rows| settings.deployments = rows)
            }
            _ => Err(SettingsFault::new("unknown key; known here: shipped, protocol, deployment")),
        };
        read.map_err(|fault| if fault.place.is_some() { fault } else { fault.key(key) })?;
    }
    Ok(settings)
}

/// A plugin's own refusal, in the file's words.
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

/// The row that made a catalogue wrong, if it is one of the file's.
pub(crate) fn blame(error: &CatalogueError, settings: &Settings, networks: &Networks) -> Option<SettingsFault> {
    let fault = SettingsFault::new(error.to_string());
    if let CatalogueError::NoProtocol(slug) = error {
        let row = settings.deployments.iter().position(|row| row.protocol == *slug)?;
        return Some(fault.key("protocol").at(&row_place(row, settings, networks)));
    }
    let slug = error.slug()?;
    let row = settings.protocols.iter().rposition(|row| row.slug == slug)?;
    Some(fault.at(&protocol_place(row, slug)))
}

fn row_place(row: usize, settings: &Settings, networks: &Networks) -> String {
    let Some(named) = settings.deployments.get(row) else {
        return format!("deployment {} (which the file does not have)", row.saturating_add(1));
    };
    let network = networks.with_chain_id(named.chain_id).map_or("?", |network| network.slug.as_str());
    deployment_place(row, &named.protocol, network, &named.market)
}

/// Text of a plugin for a log line or a status: bounded, without control characters.
pub(crate) fn printable(text: &str) -> String {
    const CHARS_MAX: usize = 300;
    sanitize::plain(text, CHARS_MAX)
}

fn syntax(text: &str, error: &toml::de::Error) -> SettingsFault {
    let fault = SettingsFault::new(printable(error.message()));
    match error.span() {
        Some(span) => {
            let before = text.get(..span.start).unwrap_or(text);
            fault.at(&format!("line {}", before.matches('\n').count() + 1))
        }
        None => fault,
    }
}

type Value<'i> = DeValue<'i>;
type Entry<'t, 'i> = (&'t str, &'t Value<'i>);

fn in_file_order<'t, 'i>(table: &'t DeTable<'i>) -> Vec<Entry<'t, 'i>> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries.into_iter().map(|(key, value)| (key.get_ref().as_ref(), value.get_ref())).collect()
}

fn rows<'t, 'i>(value: &'t Value<'i>) -> Result<Vec<Vec<Entry<'t, 'i>>>, SettingsFault> {
    let wrong = || SettingsFault::new("not an array of tables: write [[…]] before each row");
    let array = value.as_array().ok_or_else(wrong)?;
    if array.len() > ROWS_MAX {
        return Err(SettingsFault::new(format!("{} rows are more than {ROWS_MAX}", array.len())));
    }
    array.iter().map(|row| row.get_ref().as_table().map(in_file_order).ok_or_else(wrong)).collect()
}

fn protocols(rows: &[Vec<Entry<'_, '_>>]) -> Result<Vec<Protocol>, SettingsFault> {
    let named = |(place, row): (usize, &Vec<Entry<'_, '_>>)| {
        let slug = row.iter().find(|(key, _)| *key == "slug").and_then(|(_, value)| value.as_str()).unwrap_or("?");
        protocol(row).map_err(|fault| fault.at(&protocol_place(place, &printable(slug))))
    };
    rows.iter().enumerate().map(named).collect()
}

fn protocol(row: &[Entry<'_, '_>]) -> Result<Protocol, SettingsFault> {
    let mut fields = Fields::new(row);
    let protocol = Protocol {
        slug: fields.required("slug", text)?,
        name: fields.required("name", text)?,
        website: fields.required("website", text)?,
        logo: fields.optional("logo", text)?,
        primitives: fields.required("primitives", primitives)?,
        company: fields.required("company", company)?,
    };
    fields.end("slug, name, website, logo, primitives, company")?;
    Ok(protocol)
}

fn company(value: &Value<'_>) -> Result<Company, SettingsFault> {
    let wrong = || SettingsFault::new("not a table such as { name = \"Acme\", slug = \"acme\" }");
    let entries = in_file_order(value.as_table().ok_or_else(wrong)?);
    let mut fields = Fields::new(&entries);
    let company = Company { name: fields.required("name", text)?, slug: fields.required("slug", text)? };
    fields.end("name, slug")?;
    Ok(company)
}

fn primitives(value: &Value<'_>) -> Result<Vec<String>, SettingsFault> {
    let wrong = || SettingsFault::new(format!("not an array of texts, each one of {}", PRIMITIVES.join(", ")));
    let known = |value: &Spanned<Value<'_>>| {
        let primitive = value.get_ref().as_str().filter(|text| PRIMITIVES.contains(text));
        primitive.map(str::to_owned).ok_or_else(wrong)
    };
    value.as_array().ok_or_else(wrong)?.iter().map(known).collect()
}

fn deployments(rows: &[Vec<Entry<'_, '_>>], networks: &Networks) -> Result<Vec<SettingsRow>, SettingsFault> {
    let mut seen = BTreeMap::new();
    let mut read = Vec::with_capacity(rows.len());
    for (at, row) in rows.iter().enumerate() {
        let named = |key: &str, missing: &str| {
            let value = row.iter().find(|(name, _)| *name == key).and_then(|(_, value)| value.as_str());
            printable(value.unwrap_or(missing))
        };
        let place = deployment_place(at, &named("protocol", "?"), &named("network", "?"), &named("market", MAIN));
        let row = deployment(row, networks).map_err(|fault| fault.at(&place))?;
        let identity = (row.protocol.clone(), row.chain_id, row.market.clone());
        if let Some(first) = seen.insert(identity, at) {
            let message = format!("deployment {} has the same protocol, network and market", first + 1);
            return Err(SettingsFault::new(message).at(&place));
        }
        read.push(row);
    }
    Ok(read)
}

fn protocol_place(at: usize, slug: &str) -> String {
    format!("protocol {} ({slug})", at + 1)
}

fn deployment_place(at: usize, protocol: &str, network: &str, market: &str) -> String {
    format!("deployment {} ({protocol}/{network}/{market})", at + 1)
}

fn deployment(row: &[Entry<'_, '_>], networks: &Networks) -> Result<SettingsRow, SettingsFault> {
    let mut fields = Fields::new(row);
    let protocol = fields.required("protocol", text)?;
    let chain_id = fields.required("network", |value| network(value, networks))?;
    let market = fields.optional("market", text)?.unwrap_or_else(|| MAIN.into());
    let key = |(key, value): (&str, &Value<'_>)| {
        let value = mechanism_value(value, 0).map_err(|fault| fault.key(key))?;
        Ok(SettingsKey { key: key.to_owned(), value })
    };
    let keys = fields.rest().map(key).collect::<Result<_, SettingsFault>>()?;
    Ok(SettingsRow { protocol, chain_id, market, keys })
}

fn network(value: &Value<'_>, networks: &Networks) -> Result<u64, SettingsFault> {
    let name = text(value)?;
    let known = || networks.iter().map(|network| network.slug.as_str()).collect::<Vec<_>>().join(", ");
    let unknown = || SettingsFault::new(format!("unknown network {:?}; known: {}", printable(&name), known()));
    networks.named(&name).map(|network| network.chain_id).ok_or_else(unknown)
}

fn mechanism_value(value: &Value<'_>, nesting: usize) -> Result<SettingsValue, SettingsFault> {
    match value {
        DeValue::String(text) => Ok(SettingsValue::Text(text.clone().into_owned())),
        DeValue::Boolean(flag) => Ok(SettingsValue::Bool(*flag)),
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(number.as_str(), number.radix());
            let large = |_| SettingsFault::new("a whole number of more than 64 bits; addresses need quotes");
            parsed.map(SettingsValue::Integer).map_err(large)
        }
        DeValue::Array(array) if nesting < NESTING_MAX => list(array, nesting + 1),
        DeValue::Array(_) => Err(SettingsFault::new(format!("arrays nested deeper than {NESTING_MAX}"))),
        DeValue::Float(_) => Err(SettingsFault::new("a fraction; write it as text")),
        DeValue::Datetime(_) => Err(SettingsFault::new("a date; no key is one")),
        DeValue::Table(_) => {
            Err(SettingsFault::new("a nested table; a row has texts, whole numbers, flags and arrays"))
        }
    }
}

fn list(array: &DeArray<'_>, nesting: usize) -> Result<SettingsValue, SettingsFault> {
    let values = array.iter().map(|value| mechanism_value(value.get_ref(), nesting));
    values.collect::<Result<_, _>>().map(SettingsValue::List)
}

fn text(value: &Value<'_>) -> Result<String, SettingsFault> {
    value.as_str().map(str::to_owned).ok_or_else(|| SettingsFault::new("not a text"))
}

fn boolean(value: &Value<'_>) -> Result<bool, SettingsFault> {
    value.as_bool().ok_or_else(|| SettingsFault::new("not true or false"))
}

/// The entries of a table, each taken once.
struct Fields<'t, 'i> {
    left: Vec<Entry<'t, 'i>>,
}

impl<'t, 'i> Fields<'t, 'i> {
    fn new(entries: &[Entry<'t, 'i>]) -> Self {
        Self { left: entries.to_vec() }
    }

    fn optional<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&Value<'i>) -> Result<T, SettingsFault>,
    ) -> Result<Option<T>, SettingsFault> {
        let Some(at) = self.left.iter().position(|(name, _)| *name == key) else { return Ok(None) };
        let (_, value) = self.left.remove(at);
        read(value).map(Some).map_err(|fault| nested_key(fault, key))
    }

    fn required<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&Value<'i>) -> Result<T, SettingsFault>,
    ) -> Result<T, SettingsFault> {
        self.optional(key, read)?.ok_or_else(|| SettingsFault::new("missing").key(key))
    }

    fn rest(self) -> impl Iterator<Item = Entry<'t, 'i>> {
        self.left.into_iter()
    }

    fn end(self, known: &str) -> Result<(), SettingsFault> {
        match self.left.first() {
            Some((key, _)) => Err(SettingsFault::new(format!("unknown key; known here: {known}")).key(&printable(key))),
            None => Ok(()),
        }
    }
}

/// `company.slug` for a fault inside of `company`.
fn nested_key(fault: SettingsFault, key: &str) -> SettingsFault {
    let key = fault.key.as_ref().map_or_else(|| key.to_owned(), |inner| format!("{key}.{inner}"));
    SettingsFault { key: Some(key), ..fault }
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
    fn a_refusal_names_row_and_key() {
        let row = "[[deployment]]\nprotocol = \"acme\"\nnetwork = \"polygon\"\n";
        let place = "deployment 1 (acme/polygon/main)";
        let cases = [
            ("shiped = true".into(), "key `shiped`: unknown key; known here: shipped, protocol, deployment".to_owned()),
            ("shipped = 1".into(), "key `shipped`: not true or false".into()),
            ("deployment = 1".into(), "key `deployment`: not an array of tables: write [[…]] before each row".into()),
            (
                "[deployment]\na = 1".into(),
                "key `deployment`: not an array of tables: write [[…]] before each row".into(),
            ),
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
                format!("{place}, key `pool`: a whole number of more than 64 bits"),
            ),
            (
                "[[deployment]]\nprotocol = \"acme\"\nnetwork = \"mars\"".into(),
                "deployment 1 (acme/mars/main), key `network`: unknown network \"mars\"; known: ethereum, ".into(),
            ),
            (format!("{row}{row}"), "deployment 2 (acme/polygon/main): deployment 1 has the same".into()),
            (ACME.replace("name = \"ACME\"", ""), "protocol 1 (acme), key `name`: missing".into()),
            (ACME.replace("LENDING", "MINING"), "protocol 1 (acme), key `primitives`: not an array of texts".into()),
            (ACME.replace(", slug = \"acme\" }", " }"), "protocol 1 (acme), key `company.slug`: missing".into()),
            (
                ACME.replace("}", ", x = 1 }"),
                "protocol 1 (acme), key `company.x`: unknown key; known here: name, slug".into(),
            ),
            (format!("{ACME}\nicon = 1"), "protocol 1 (acme), key `icon`: unknown key; known here: slug, name".into()),
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
        assert_eq!(message(Some(0), Some("pool")), "deployment 1 (acme/polygon/main), key `pool`: missing");
        assert_eq!(message(Some(7), None), "deployment 8 (which the file does not have): missing");
        assert_eq!(message(None, None), "missing");
    }

    #[test]
    fn a_catalogue_that_a_row_made_wrong_is_blamed_on_the_row() {
        let networks = Networks::new([]);
        let text = format!("{ACME}\n[[deployment]]\nprotocol = \"other\"\nnetwork = \"polygon\"");
        let settings = parse(&text, &networks).unwrap();
        let blamed = |error| blame(&error, &settings, &networks).map(|fault| fault.to_string());
        let no_protocol = "deployment 1 (other/polygon/main), key `protocol`: \
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
        assert_eq!(read(&path), Ok(None));
        std::fs::write(&path, vec![b'#'; 1 << 20]).unwrap();
        assert!(read(&path).is_ok());
        std::fs::write(&path, vec![b'#'; (1 << 20) + 1]).unwrap();
        assert_eq!(read(&path).unwrap_err().to_string(), "more than 1048576 bytes");
    }
}
