//! One file: a protocol and its deployments, checked.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::checksum;
use super::fault::{Fault, line};
use super::table::{Placed, Taken, texts};

/// Maximum depth of arrays, as in a settings file.
const NESTING_MAX: usize = 3;
/// The market if a row names none.
const MAIN: &str = "main";

/// Where a text is from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Origin<'a> {
    /// A file, which is named after its only protocol. Its rows have sources.
    File { slug: &'a str },
    /// The source of a crate.
    Inline,
}

/// The protocols and deployments of a file.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) protocols: Vec<ProtocolTable>,
    pub(crate) deployments: Vec<DeploymentTable>,
}

/// A `[[protocol]]`.
#[derive(Debug)]
pub(crate) struct ProtocolTable {
    pub(crate) slug: String,
    pub(crate) name: String,
    pub(crate) website: String,
    pub(crate) logo: Option<String>,
    pub(crate) primitives: Vec<String>,
    pub(crate) company_name: String,
    pub(crate) company_slug: String,
}

/// A `[[deployment]]`, on one network or on several.
#[derive(Debug)]
pub(crate) struct DeploymentTable {
    pub(crate) line: usize,
    pub(crate) protocol: String,
    pub(crate) networks: Vec<String>,
    pub(crate) market: String,
    pub(crate) keys: Vec<KeyEntry>,
}

/// A key of a mechanism.
#[derive(Debug)]
pub(crate) struct KeyEntry {
    pub(crate) line: usize,
    pub(crate) key: String,
    pub(crate) value: Value,
}

/// A value of a mechanism's key.
#[derive(Debug)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Bool(bool),
    List(Vec<Value>),
}

impl Document {
    /// Parses and checks a text.
    pub(crate) fn parse(text: &str, origin: Origin<'_>) -> Result<Self, Fault> {
        read(text, origin).map_err(|fault| fault.within(text))
    }
}

fn read(text: &str, origin: Origin<'_>) -> Result<Document, Fault> {
    let table = DeTable::parse(text)
        .map_err(|error| Fault::new(error.span().map_or(0, |span| span.start), error.message().to_owned()))?;
    let mut document = Taken::new(0..0, table.get_ref());
    let (protocols, deployments) = (document.tables("protocol")?, document.tables("deployment")?);
    document.end("protocol, deployment")?;
    if let Origin::File { slug } = origin {
        let one = match protocols.as_slice() {
            [_] => Ok(()),
            [] => Err(Fault::new(0, format!("has no [[protocol]] with the slug `{slug}`"))),
            [_, second, ..] => Err(Fault::of(&second.span, "a file has one [[protocol]]")),
        };
        one?;
    }
    let protocols: Vec<_> = protocols.into_iter().map(|row| protocol(row, origin)).collect::<Result<_, _>>()?;
    let mut slugs = BTreeSet::new();
    if let Some(twice) = protocols.iter().find(|row| !slugs.insert(&row.slug)) {
        return Err(Fault::new(0, format!("a second [[protocol]] has the slug `{}`", twice.slug)));
    }
    let mut seen = BTreeMap::new();
    let deployment = |row| {
        let row = deployment(text, row, origin)?;
        for network in &row.1.networks {
            let identity = (row.1.protocol.clone(), network.clone(), row.1.market.clone());
            if let Some(first) = seen.insert(identity, row.1.line) {
                let same = format!("line {first} has the same protocol, network `{network}` and market");
                return Err(Fault::new(row.0, same));
            }
        }
        Ok(row.1)
    };
    Ok(Document { protocols, deployments: deployments.into_iter().map(deployment).collect::<Result<_, _>>()? })
}

fn protocol(mut row: Taken<'_, '_>, origin: Origin<'_>) -> Result<ProtocolTable, Fault> {
    let span = row.span.clone();
    let missing = |key| Fault::of(&span, format!("key `{key}`: missing"));
    let company = row.take("company").ok_or_else(|| missing("company"))?;
    let DeValue::Table(table) = company.get_ref() else {
        return Err(Fault::of(&company.span(), "key `company`: write `{ name = \"…\", slug = \"…\" }`"));
    };
    let mut company = Taken::new(company.span(), table);
    let primitives = row.take("primitives").ok_or_else(|| missing("primitives"))?;
    let primitives = match primitives.get_ref().as_array() {
        Some(none) if none.is_empty() => Vec::new(),
        _ => texts("primitives", primitives)?,
    };
    let table = ProtocolTable {
        slug: row.needed("slug")?.to_owned(),
        name: row.needed("name")?.to_owned(),
        website: row.needed("website")?.to_owned(),
        logo: row.text("logo")?.map(str::to_owned),
        primitives: primitives.into_iter().map(str::to_owned).collect(),
        company_name: company.needed("name")?.to_owned(),
        company_slug: company.needed("slug")?.to_owned(),
    };
    company.end("name, slug")?;
    row.end("slug, name, website, logo, primitives, company")?;
    match origin {
        Origin::File { slug } if table.slug != slug => {
            Err(Fault::of(&span, format!("the slug is `{}`, and the file is named after `{slug}`", table.slug)))
        }
        _ => Ok(table),
    }
}

/// Reads a row, and returns it with its place.
fn deployment(text: &str, mut row: Taken<'_, '_>, origin: Origin<'_>) -> Result<(usize, DeploymentTable), Fault> {
    let span = row.span.clone();
    let protocol = row.needed("protocol")?.to_owned();
    let network = row.take("network").ok_or_else(|| Fault::of(&span, "key `network`: missing"))?;
    let networks = texts("network", network)?.into_iter().map(str::to_owned).collect();
    let market = row.text("market")?.unwrap_or(MAIN).to_owned();
    match (origin, row.take("source")) {
        (_, Some(source)) => {
            let wrong = |one: &str| Fault::of(&source.span(), format!("key `source`: {one:?} is not an https URL"));
            let sources = texts("source", source)?;
            if let Some(other) = sources.iter().find(|one| !one.starts_with("https://")) {
                return Err(wrong(other));
            }
        }
        (Origin::File { .. }, None) => return Err(Fault::of(&span, "key `source`: missing")),
        (Origin::Inline, None) => {}
    }
    if let Origin::File { slug } = origin
        && protocol != slug
    {
        return Err(Fault::of(&span, format!("the protocol is `{protocol}`, and the file is named after `{slug}`")));
    }
    let key = |(key, at, placed): (&str, Range<usize>, &Placed<'_>)| {
        Ok(KeyEntry { line: line(text, at.start), key: key.to_owned(), value: value(key, placed, 0)? })
    };
    let keys = row.rest().map(key).collect::<Result<_, Fault>>()?;
    Ok((span.start, DeploymentTable { line: line(text, span.start), protocol, networks, market, keys }))
}

/// Reads a value of a mechanism's key.
fn value(key: &str, placed: &Placed<'_>, nesting: usize) -> Result<Value, Fault> {
    let refused = |what: &str| Fault::of(&placed.span(), format!("key `{key}`: {what}"));
    match placed.get_ref() {
        DeValue::String(text) => match checksum::check(text) {
            Ok(()) => Ok(Value::Text(text.to_string())),
            Err(wrong) => Err(refused(&wrong)),
        },
        DeValue::Integer(number) => {
            let parsed = i64::from_str_radix(&number.as_str().replace('_', ""), number.radix());
            let long = |_| refused("a whole number of more than 64 bits; addresses need quotes");
            parsed.map(Value::Integer).map_err(long)
        }
        DeValue::Boolean(flag) => Ok(Value::Bool(*flag)),
        DeValue::Array(array) if nesting < NESTING_MAX => {
            let mut seen = BTreeSet::new();
            let twice = |item: &&Placed<'_>| {
                item.get_ref().as_str().and_then(checksum::address).is_some_and(|address| !seen.insert(address))
            };
            if let Some(item) = array.iter().find(twice) {
                let address = item.get_ref().as_str().unwrap_or_default();
                return Err(Fault::of(&item.span(), format!("key `{key}`: {address} is in the list twice")));
            }
            let values = array.iter().map(|item| value(key, item, nesting + 1));
            values.collect::<Result<_, _>>().map(Value::List)
        }
        DeValue::Array(_) => Err(refused(&format!("arrays nested deeper than {NESTING_MAX}"))),
        DeValue::Float(_) => Err(refused("a fraction; write it as text")),
        DeValue::Datetime(_) => Err(refused("a date; no key is one")),
        DeValue::Table(_) => Err(refused("a nested table; a row has texts, whole numbers, flags and arrays")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACME: &str = r#"
[[protocol]]
slug = "acme"
name = "ACME"
website = "https://acme.example"
primitives = ["FARMING"]
company = { name = "Acme", slug = "acme" }

[[deployment]]
protocol = "acme"
network = ["polygon", "base"]
source = "https://acme.example/docs"
"#;

    fn refused(text: &str) -> String {
        match Document::parse(text, Origin::File { slug: "acme" }) {
            Ok(document) => panic!("{document:?}"),
            Err(fault) => fault.at("acme.toml"),
        }
    }

    #[test]
    fn a_file_is_read() {
        let text = format!("{ACME}farms = [\"0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\"]\ndual = true\n");
        let document = Document::parse(&text, Origin::File { slug: "acme" }).unwrap();
        let [row] = &document.deployments[..] else { panic!("{document:?}") };
        assert_eq!((row.line, row.market.as_str(), row.networks.len(), row.keys.len()), (9, "main", 2, 2));
        assert_eq!((document.protocols[0].slug.as_str(), document.protocols[0].logo.as_deref()), ("acme", None));
    }

    #[test]
    fn a_refusal_names_the_line() {
        let more = "[[deployment]]\nprotocol = \"acme\"\nnetwork = \"base\"\n";
        let sourced = format!("{more}source = \"https://acme.example\"\n");
        let one = "0x1111111111111111111111111111111111111111";
        let cases = [
            (format!("{ACME}farm = = 1"), 13, ""),
            (format!("{ACME}farm = 0.5"), 13, "key `farm`: a fraction; write it as text"),
            (
                format!("{ACME}farm = \"0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed\""),
                13,
                "key `farm`: 0x5AAeb6053F3E94",
            ),
            (
                format!("{ACME}farm = \"{one}1\""),
                13,
                "key `farm`: \"0x11111111111111111111111111111111111111111\" is not",
            ),
            (
                format!("{ACME}farms = [\"{one}\",\n\"{one}\"]"),
                14,
                "key `farms`: 0x1111111111111111111111111111111111111111 is",
            ),
            (format!("{ACME}{more}"), 13, "key `source`: missing"),
            (format!("{ACME}{sourced}"), 13, "line 9 has the same protocol, network `base` and market"),
            (format!("{ACME}{}", sourced.replace("https", "http")), 16, "key `source`: \"http://acme.example\" is not"),
            (
                format!("{ACME}{}", sourced.replace("\"acme\"", "\"other\"")),
                13,
                "the protocol is `other`, and the file",
            ),
            (format!("{ACME}{}", sourced.replace("network", "networks")), 13, "key `network`: missing"),
            (ACME.replace("website", "site"), 2, "key `website`: missing"),
            (
                ACME.replace("name = \"ACME\"", "name = \"ACME\"\nicon = \"x\""),
                5,
                "unknown key `icon`; known here: slug, name",
            ),
            (
                ACME.replace("slug = \"acme\"\nname", "slug = \"acmee\"\nname"),
                2,
                "the slug is `acmee`, and the file is named",
            ),
            (format!("shipped = true\n{ACME}"), 1, "unknown key `shipped`; known here: protocol, deployment"),
        ];
        for (text, line, why) in cases {
            let refused = refused(&text);
            assert!(refused.starts_with(&format!("acme.toml:{line}: {why}")), "{refused}\n{line}: {why}\n{text}");
        }
    }

    #[test]
    fn rows_in_the_source_need_no_links() {
        let text = ACME.replace("source = \"https://acme.example/docs\"\n", "");
        assert!(Document::parse(&text, Origin::Inline).is_ok());
        let twice = format!("{text}{text}");
        assert!(Document::parse(&twice, Origin::Inline).is_err());
    }
}
