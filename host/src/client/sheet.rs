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
    columns: &'static [Column],
    rows: Vec<Value>,
}

/// A column, whose head is the member's name in the documentation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) head: &'static str,
    /// JSON pointer (RFC 6901) into a row.
    at: &'static str,
    form: CellForm,
    is_in_table: bool,
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
    Column { head, at, form: CellForm::Text, is_in_table: true }
}

const fn number(head: &'static str, at: &'static str) -> Column {
    Column { form: CellForm::Number, ..text(head, at) }
}

const fn dollars(head: &'static str, at: &'static str) -> Column {
    Column { form: CellForm::Dollars, ..text(head, at) }
}

const fn csv_only(column: Column) -> Column {
    Column { is_in_table: false, ..column }
}

static CLAIMABLES: [Column; 15] = [
    text("protocol", "/protocol/slug"),
    text("network", "/network/name"),
    text("name", "/name"),
    number("amount", "/amount"),
    text("token", "/token/symbol"),
    dollars("dollarValue", "/dollarValue"),
    dollars("netDollarValue", "/netDollarValue"),
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
static POSITIONS: [Column; 19] = [
    text("protocol", "/protocol/slug"),
    text("network", "/position/network/name"),
    text("name", "/position/name"),
    text("kind", "/position/kind"),
    text("role", "/leg/role"),
    number("amount", "/leg/amount"),
    text("token", "/leg/token/symbol"),
    dollars("dollarValue", "/leg/dollarValue"),
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

static TOTALS: [Column; 6] = [
    dollars("assets", "/assets"),
    dollars("debts", "/debts"),
    dollars("net", "/net"),
    dollars("claimable", "/claimable"),
    number("unpriced", "/unpriced"),
    number("untried", "/untried"),
];

static BALANCES: [Column; 9] = [
    text("network", "/network/name"),
    number("amount", "/amount"),
    text("token", "/token/symbol"),
    dollars("dollarValue", "/dollarValue"),
    text("name", "/token/name"),
    csv_only(number("price", "/price")),
    csv_only(number("chainId", "/network/chainId")),
    csv_only(text("tokenAddress", "/token/address")),
    csv_only(number("decimals", "/token/decimals")),
];

static EVENTS: [Column; 5] = [
    text("type", "/type"),
    text("protocol", "/protocol/slug"),
    Column { form: CellForm::Members, ..text("metadata", "/metadata") },
    csv_only(number("logIndex", "/logIndex")),
    csv_only(text("contract", "/contract")),
];

static MOVEMENTS: [Column; 6] = [
    text("direction", "/direction"),
    number("amount", "/movement/amount"),
    text("token", "/movement/token/symbol"),
    number("tokenId", "/movement/tokenId"),
    dollars("dollarValue", "/movement/dollarValue"),
    text("tokenAddress", "/movement/tokenAddress"),
];

static SUMMARY: [Column; 2] = [text("summary", "/summary"), text("incompleteReason", "/incompleteReason")];

static NAMES: [Column; 2] = [text("name", "/name"), text("address", "/address")];

static TRANSACTIONS: [Column; 7] = [
    text("network", "/network/name"),
    text("to", "/to"),
    number("value", "/value"),
    number("gas", "/gas"),
    csv_only(text("claimIds", "/claimIds")),
    csv_only(text("from", "/from")),
    csv_only(text("data", "/data")),
];

static PAYMENTS: [Column; 4] = [
    number("pays", "/amount"),
    text("token", "/token/symbol"),
    text("tokenAddress", "/tokenAddress"),
    text("paidTo", "/paidTo"),
];

static PLANS: [Column; 4] = [
    text("simulated", "/simulated"),
    dollars("dollarValue", "/dollarValue"),
    dollars("netDollarValue", "/netDollarValue"),
    text("differs", "/differs"),
];

static LEFT_OUT: [Column; 2] = [text("leftOut", "/claimId"), text("reason", "/reason")];

static NETWORKS: [Column; 3] = [text("slug", "/slug"), text("name", "/name"), csv_only(text("logo", "/logo"))];

static PROTOCOLS: [Column; 6] = [
    text("slug", "/slug"),
    text("name", "/name"),
    text("primitives", "/primitives"),
    text("company", "/company/name"),
    text("website", "/website"),
    csv_only(text("logo", "/logo")),
];

static COVERAGE: [Column; 7] = [
    text("protocol", "/protocol"),
    text("network", "/network"),
    text("question", "/question"),
    number("markets", "/markets"),
    text("plugin", "/plugin/name"),
    text("version", "/plugin/version"),
    csv_only(number("chainId", "/chainId")),
];

/// Returns the sheets of an answer; `None` if its documents have another form than this program knows.
pub(super) fn sheets(topic: Topic, documents: &[Value]) -> Option<Vec<Sheet>> {
    let first = documents.first()?;
    Some(match topic {
        Topic::Claimables => vec![Sheet { columns: &CLAIMABLES, rows: items(first)? }],
        Topic::Positions => positions(&one(first)?)?,
        Topic::Balances => {
            let rows: Option<Vec<Vec<Value>>> = documents.iter().map(items).collect();
            vec![Sheet { columns: &BALANCES, rows: rows?.concat() }]
        }
        Topic::Events => events(first)?,
        Topic::Name => vec![Sheet { columns: &NAMES, rows: vec![one(first)?] }],
        Topic::Plan => plan(one(first)?)?,
        Topic::Networks => vec![Sheet { columns: &NETWORKS, rows: items(first)? }],
        Topic::Protocols => vec![Sheet { columns: &PROTOCOLS, rows: items(first)? }],
        Topic::Coverage => vec![Sheet { columns: &COVERAGE, rows: items(first)? }],
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
    Some(vec![Sheet { columns: &POSITIONS, rows }, Sheet { columns: &TOTALS, rows: totals }])
}

fn events(document: &Value) -> Option<Vec<Sheet>> {
    let mut sheets = vec![Sheet { columns: &EVENTS, rows: items(document)? }];
    if let Some(account) = document.get("account") {
        let movements = |member: &'static str| {
            let row = move |movement: &Value| json!({ "direction": member, "movement": movement });
            array(account, member).into_iter().flatten().map(row)
        };
        sheets.push(Sheet { columns: &MOVEMENTS, rows: movements("in").chain(movements("out")).collect() });
        sheets.push(Sheet { columns: &SUMMARY, rows: vec![account.clone()] });
    }
    Some(sheets)
}

fn plan(plan: Value) -> Option<Vec<Sheet>> {
    let rows = |member| array(&plan, member).cloned();
    let (transactions, payments, left_out) = (rows("transactions")?, rows("pays")?, rows("leftOut")?);
    let mut sheets = vec![
        Sheet { columns: &TRANSACTIONS, rows: transactions },
        Sheet { columns: &PAYMENTS, rows: payments },
        Sheet { columns: &LEFT_OUT, rows: left_out },
    ];
    if !sheets.iter().all(Sheet::is_empty) {
        sheets.push(Sheet { columns: &PLANS, rows: vec![plan] });
    }
    Some(sheets)
}

impl Sheet {
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the columns of a table, and its rows.
    pub(super) fn table(&self) -> (Vec<TextColumn>, impl Iterator<Item = Vec<String>>) {
        let shown = || self.columns.iter().filter(|column| column.is_in_table);
        let head = |column: &Column| TextColumn {
            head: column.head,
            is_number: matches!(column.form, CellForm::Number | CellForm::Dollars),
        };
        let row = move |row: &Value| shown().map(|column| column.shown(row)).collect();
        (shown().map(head).collect(), self.rows.iter().map(row))
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
