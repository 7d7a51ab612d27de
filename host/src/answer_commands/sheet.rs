//! Rows and columns of answers, for tables and CSV: a list of columns for each kind of row.
//!
//! Invariant: amounts are the texts of the document, so that they are exact; only tables round dollars.

use bigdecimal::num_traits::Signed as _;
use bigdecimal::{BigDecimal, RoundingMode};
use serde_json::{Value, json};

use crate::cli::Topic;
use crate::text_table::TextColumn;

/// Digits of cents.
const CENTS: i64 = 2;

/// Columns and rows. The first sheet of an answer is its main one.
#[derive(Debug)]
pub(super) struct Sheet {
    columns: Vec<Column>,
    rows: Vec<Value>,
}

/// A column, whose head is the member's name in the documentation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) head: &'static str,
    /// JSON pointer (RFC 6901) into a row.
    at: &'static str,
    form: CellForm,
    place: ColumnPlace,
}

/// Where a column is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ColumnPlace {
    Everywhere,
    /// In CSV, and in tables whose rows have the member.
    IfThere,
    Csv,
}

/// The form of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellForm {
    Text,
    /// An exact number.
    Number,
    /// A number that tables round to cents.
    Dollars,
    /// Members of an object, for people; JSON in CSV.
    Members,
}

const fn text(head: &'static str, at: &'static str) -> Column {
    Column { head, at, form: CellForm::Text, place: ColumnPlace::Everywhere }
}

const fn number(head: &'static str, at: &'static str) -> Column {
    Column { form: CellForm::Number, ..text(head, at) }
}

const fn dollars(head: &'static str, at: &'static str) -> Column {
    Column { form: CellForm::Dollars, ..text(head, at) }
}

const fn csv_only(column: Column) -> Column {
    Column { place: ColumnPlace::Csv, ..column }
}

/// A value in another currency.
const fn in_currency(at: &'static str) -> Column {
    Column { place: ColumnPlace::IfThere, ..dollars("inCurrency", at) }
}

/// The account of a row, in answers about several.
const HOLDER: Column = text("account", "/holder");

static CLAIMABLES: &[Column] = &[
    text("protocol", "/protocol/slug"),
    text("network", "/network/name"),
    text("name", "/name"),
    number("amount", "/amount"),
    text("token", "/token/symbol"),
    dollars("dollarValue", "/dollarValue"),
    dollars("netDollarValue", "/netDollarValue"),
    in_currency("/inCurrency/value"),
    text("simulated", "/simulated"),
    csv_only(text("differs", "/differs")),
    csv_only(text("paidTo", "/paidTo")),
    csv_only(number("chainId", "/network/chainId")),
    csv_only(text("tokenAddress", "/token/address")),
    csv_only(number("decimals", "/token/decimals")),
    csv_only(text("claimId", "/claimId")),
    csv_only(text("id", "/id")),
];

/// A row for each leg, under `position`, `leg` and `protocol`.
static POSITIONS: &[Column] = &[
    text("protocol", "/protocol/slug"),
    text("network", "/position/network/name"),
    text("name", "/position/name"),
    text("kind", "/position/kind"),
    text("role", "/leg/role"),
    number("amount", "/leg/amount"),
    text("token", "/leg/token/symbol"),
    dollars("dollarValue", "/leg/dollarValue"),
    in_currency("/leg/inCurrency/value"),
    csv_only(text("type", "/position/type")),
    csv_only(text("market", "/position/market")),
    csv_only(number("rate", "/leg/rate")),
    csv_only(number("healthFactor", "/position/health/factor")),
    csv_only(number("unlocksAt", "/position/unlocksAt")),
    csv_only(number("chainId", "/position/network/chainId")),
    csv_only(text("contractAddress", "/position/contractAddress")),
    csv_only(text("tokenAddress", "/leg/tokenAddress")),
    csv_only(number("decimals", "/leg/token/decimals")),
    csv_only(number("positionDollarValue", "/position/dollarValue")),
    csv_only(text("id", "/position/id")),
];

static TOTALS: &[Column] = &[
    dollars("assets", "/assets"),
    dollars("debts", "/debts"),
    dollars("net", "/net"),
    dollars("claimable", "/claimable"),
    number("unpriced", "/unpriced"),
    number("untried", "/untried"),
    Column { head: "netInCurrency", ..in_currency("/inCurrency/net") },
];

static BALANCES: &[Column] = &[
    text("network", "/network/name"),
    number("amount", "/amount"),
    text("token", "/token/symbol"),
    dollars("dollarValue", "/dollarValue"),
    in_currency("/inCurrency/value"),
    text("name", "/token/name"),
    csv_only(number("price", "/price")),
    csv_only(number("chainId", "/network/chainId")),
    csv_only(text("tokenAddress", "/token/address")),
    csv_only(number("decimals", "/token/decimals")),
];

static APPROVALS: &[Column] = &[
    text("network", "/network/name"),
    text("token", "/token/symbol"),
    text("spender", "/spender/address"),
    text("name", "/spender/name"),
    text("protocol", "/spender/protocol/slug"),
    number("allowance", "/allowance"),
    text("unlimited", "/unlimited"),
    number("amountAtRisk", "/amountAtRisk"),
    dollars("dollarValue", "/dollarValue"),
    in_currency("/inCurrency/value"),
    text("listed", "/listed"),
    csv_only(number("balance", "/balance")),
    csv_only(number("chainId", "/network/chainId")),
    csv_only(text("tokenAddress", "/token/address")),
    csv_only(number("decimals", "/token/decimals")),
    csv_only(text("revokeTo", "/revokeTransaction/to")),
    csv_only(text("revokeData", "/revokeTransaction/data")),
];

static EVENTS: &[Column] = &[
    text("type", "/type"),
    text("protocol", "/protocol/slug"),
    Column { form: CellForm::Members, ..text("metadata", "/metadata") },
    csv_only(number("logIndex", "/logIndex")),
    csv_only(text("contract", "/contract")),
];

static MOVEMENTS: &[Column] = &[
    text("direction", "/direction"),
    number("amount", "/movement/amount"),
    text("token", "/movement/token/symbol"),
    number("tokenId", "/movement/tokenId"),
    dollars("dollarValue", "/movement/dollarValue"),
    in_currency("/movement/inCurrency/value"),
    text("tokenAddress", "/movement/tokenAddress"),
];

static SUMMARY: &[Column] = &[text("summary", "/summary"), text("incompleteReason", "/incompleteReason")];

static NAMES: &[Column] = &[text("name", "/name"), text("address", "/address")];

static TRANSACTIONS: &[Column] = &[
    text("network", "/network/name"),
    text("to", "/to"),
    number("value", "/value"),
    number("gas", "/gas"),
    csv_only(text("claimIds", "/claimIds")),
    csv_only(text("from", "/from")),
    csv_only(text("data", "/data")),
];

static PAYMENTS: &[Column] = &[
    number("pays", "/amount"),
    text("token", "/token/symbol"),
    text("tokenAddress", "/tokenAddress"),
    text("paidTo", "/paidTo"),
];

static PLANS: &[Column] = &[
    text("simulated", "/simulated"),
    dollars("dollarValue", "/dollarValue"),
    dollars("netDollarValue", "/netDollarValue"),
    in_currency("/inCurrency/value"),
    text("differs", "/differs"),
];

static LEFT_OUT: &[Column] = &[text("leftOut", "/claimId"), text("reason", "/reason")];

static NETWORKS: &[Column] = &[text("slug", "/slug"), text("name", "/name"), csv_only(text("logo", "/logo"))];

static PROTOCOLS: &[Column] = &[
    text("slug", "/slug"),
    text("name", "/name"),
    text("primitives", "/primitives"),
    text("company", "/company/name"),
    text("website", "/website"),
    csv_only(text("logo", "/logo")),
];

static COVERAGE: &[Column] = &[
    text("protocol", "/protocol"),
    text("network", "/network"),
    text("question", "/question"),
    number("markets", "/markets"),
    text("plugin", "/plugin/name"),
    text("version", "/plugin/version"),
    csv_only(number("chainId", "/chainId")),
];

/// Returns the sheets of an answer; `None` if its documents have another form than this program knows.
pub(super) fn sheets(topic: Topic, has_several: bool, documents: &[Value]) -> Option<Vec<Sheet>> {
    match documents.first() {
        Some(entries) if has_several => of_several(topic, &items(entries)?),
        _ => of_one(topic, documents),
    }
}

/// Puts the sheets of several accounts together, with their account in front of each row. An account of which nothing
/// could be read has no rows: `portolan-partial` names it.
fn of_several(topic: Topic, entries: &[Value]) -> Option<Vec<Sheet>> {
    let mut all: Vec<Sheet> = Vec::new();
    for entry in entries {
        let answer = entry.get("answer")?;
        let name = entry.pointer("/names/0").or_else(|| entry.get("account"))?;
        let own = if answer.is_null() { Vec::new() } else { of_one(topic, std::slice::from_ref(answer))? };
        for (place, sheet) in own.into_iter().enumerate() {
            if all.len() <= place {
                all.push(Sheet { columns: [&[HOLDER], sheet.columns.as_slice()].concat(), rows: Vec::new() });
            }
            let held = sheet.rows.into_iter().map(|mut row| {
                if let Some(members) = row.as_object_mut() {
                    members.insert("holder".to_owned(), name.clone());
                }
                row
            });
            all.get_mut(place)?.rows.extend(held);
        }
    }
    Some(all)
}

fn of_one(topic: Topic, documents: &[Value]) -> Option<Vec<Sheet>> {
    let first = documents.first()?;
    Some(match topic {
        Topic::Claimables => vec![Sheet::of(CLAIMABLES, items(first)?)],
        Topic::Positions => positions(&one(first)?)?,
        Topic::Balances => {
            let rows: Option<Vec<Vec<Value>>> = documents.iter().map(items).collect();
            vec![Sheet::of(BALANCES, rows?.concat())]
        }
        Topic::Approvals => vec![Sheet::of(APPROVALS, items(first)?)],
        Topic::Events => events(first)?,
        Topic::Name => vec![Sheet::of(NAMES, vec![one(first)?])],
        Topic::Plan => plan(one(first)?)?,
        Topic::Networks => vec![Sheet::of(NETWORKS, items(first)?)],
        Topic::Protocols => vec![Sheet::of(PROTOCOLS, items(first)?)],
        Topic::Coverage => vec![Sheet::of(COVERAGE, items(first)?)],
    })
}

/// Returns the rows of a list, of `items` with `detail=full`, or of one object.
fn items(document: &Value) -> Option<Vec<Value>> {
    match document {
        Value::Array(rows) => Some(rows.clone()),
        Value::Object(members) => match members.get("items") {
            Some(items) => items.as_array().cloned(),
            None => Some(vec![document.clone()]),
        },
        _ => None,
    }
}

/// Returns the object that a document is, also with `detail=full`.
fn one(document: &Value) -> Option<Value> {
    items(document)?.into_iter().next().filter(Value::is_object)
}

fn array<'a>(of: &'a Value, member: &str) -> Option<&'a Vec<Value>> {
    of.get(member)?.as_array()
}

fn positions(portfolio: &Value) -> Option<Vec<Sheet>> {
    let mut rows = Vec::new();
    for group in array(portfolio, "protocols")? {
        for position in array(group, "positions")? {
            let row = |leg: &Value| json!({ "protocol": group["protocol"], "position": position, "leg": leg });
            let legs = array(position, "legs")?;
            rows.extend(legs.iter().map(row));
            rows.extend(legs.is_empty().then(|| row(&Value::Null)));
        }
    }
    let totals = vec![portfolio.get("totals")?.clone()];
    Some(vec![Sheet::of(POSITIONS, rows), Sheet::of(TOTALS, totals)])
}

fn events(document: &Value) -> Option<Vec<Sheet>> {
    let mut sheets = vec![Sheet::of(EVENTS, items(document)?)];
    if let Some(account) = document.get("account") {
        let movements = |member: &'static str| {
            let row = move |movement: &Value| json!({ "direction": member, "movement": movement });
            array(account, member).into_iter().flatten().map(row)
        };
        sheets.push(Sheet::of(MOVEMENTS, movements("in").chain(movements("out")).collect()));
        sheets.push(Sheet::of(SUMMARY, vec![account.clone()]));
    }
    Some(sheets)
}

fn plan(plan: Value) -> Option<Vec<Sheet>> {
    let rows = |member| array(&plan, member).cloned();
    let (transactions, payments, left_out) = (rows("transactions")?, rows("pays")?, rows("leftOut")?);
    let mut sheets =
        vec![Sheet::of(TRANSACTIONS, transactions), Sheet::of(PAYMENTS, payments), Sheet::of(LEFT_OUT, left_out)];
    if !sheets.iter().all(Sheet::is_empty) {
        sheets.push(Sheet::of(PLANS, vec![plan]));
    }
    Some(sheets)
}

impl Sheet {
    fn of(columns: &[Column], rows: Vec<Value>) -> Self {
        Self { columns: columns.to_vec(), rows }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the columns of a table, and its rows.
    pub(super) fn table(&self) -> (Vec<TextColumn>, impl Iterator<Item = Vec<String>>) {
        let is_shown = |column: &&Column| match column.place {
            ColumnPlace::Everywhere => true,
            ColumnPlace::IfThere => self.rows.iter().any(|row| row.pointer(column.at).is_some()),
            ColumnPlace::Csv => false,
        };
        let columns: Vec<Column> = self.columns.iter().filter(is_shown).copied().collect();
        let head = |column: &Column| TextColumn {
            head: column.head,
            is_number: matches!(column.form, CellForm::Number | CellForm::Dollars),
        };
        let heads = columns.iter().map(head).collect();
        let row = move |row: &Value| columns.iter().map(|column| column.shown(row)).collect();
        (heads, self.rows.iter().map(row))
    }

    /// Returns the heads of all columns, and the rows with exact cells.
    pub(super) fn cells(&self) -> (impl Iterator<Item = &'static str>, impl Iterator<Item = Vec<String>>) {
        let row = |row: &Value| self.columns.iter().map(|column| column.exact(row)).collect();
        (self.columns.iter().map(|column| column.head), self.rows.iter().map(row))
    }
}

impl Column {
    fn exact(&self, row: &Value) -> String {
        match row.pointer(self.at) {
            Some(members) if self.form == CellForm::Members => members.to_string(),
            Some(value) => words(value),
            None => String::new(),
        }
    }

    fn shown(&self, row: &Value) -> String {
        match (self.form, row.pointer(self.at)) {
            (CellForm::Dollars, Some(value)) => cents(&words(value)),
            (CellForm::Members, Some(Value::Object(members))) => {
                let known = members.iter().filter(|(_, value)| !value.is_null());
                known.map(|(name, value)| format!("{name} {}", words(value))).collect::<Vec<_>>().join(", ")
            }
            _ => self.exact(row),
        }
    }
}

/// Returns a value as one text: a token as its symbol, an amount with its token, a network as its name.
fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::Array(values) => values.iter().map(words).collect::<Vec<_>>().join(", "),
        Value::Object(members) => {
            let named = ["symbol", "slug", "name", "address"].into_iter().find_map(|name| members.get(name)?.as_str());
            match (members.get("amount"), members.get("asset"), named) {
                (Some(amount), Some(asset), _) => format!("{} {}", words(amount), words(asset)),
                (_, _, Some(name)) => name.to_owned(),
                _ => value.to_string(),
            }
        }
    }
}

/// Rounds dollars to cents; less than half a cent is `<0.01`, because it is not nothing.
fn cents(exact: &str) -> String {
    let Ok(dollars) = exact.parse::<BigDecimal>() else { return exact.to_owned() };
    let rounded = dollars.with_scale_round(CENTS, RoundingMode::HalfUp);
    match dollars.is_positive() && !rounded.is_positive() {
        true => "<0.01".to_owned(),
        false => rounded.to_plain_string(),
    }
}

#[cfg(test)]
mod tests;
