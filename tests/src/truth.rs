//! The answers that the gateway must give about a chain: whole documents, made from the arithmetic of the chain's build
//! and from the specification's tables, never from the gateway's own code.
//!
//! `id` and `name` of a row are the gateway's choice; [`faults`] says what must hold of them.

mod balances;
mod events;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::str::FromStr;

use anyhow::{Context as _, Result};
use bigdecimal::num_bigint::BigInt;
use bigdecimal::{BigDecimal, RoundingMode};

use self::balances::{NATIVE, NATIVE_DECIMALS};
pub use self::balances::{Prices, dollars};
pub use self::events::Event;
use crate::calldata;
use crate::json::Json;
use crate::protocol::{self, Question};

/// The networks of the specification: slug, name, file of the logo, chain id; in the order of answers.
pub const NETWORKS: [(&str, &str, &str, u64); 8] = [
    ("ethereum", "ETHEREUM", "ethereum.png", 1),
    ("optimism", "OPTIMISM", "optimism.png", 10),
    ("arbitrum", "ARBITRUM", "arbitrum.png", 42161),
    ("fantom", "FANTOM", "fantom.png", 250),
    ("avalanchex", "AVALANCHE", "avalanche.png", 43114),
    ("smartchain", "BSC", "bsc.svg", 56),
    ("polygon", "POLYGON", "polygon.png", 137),
    ("polygon_mumbai", "POLYGON_MUMBAI", "polygon.png", 80001),
];

/// The accounts that every chain has.
pub const ACCOUNTS: [&str; 6] = ["farmer", "whale", "odd", "dust", "nothing", "exited"];

/// Members that only `detail=full` has.
const EXTRAS: [&str; 13] = [
    "amountRaw",
    "underlyingAmountRaw",
    "account",
    "caip10",
    "plugin",
    "priceSource",
    "priceAgeSeconds",
    "position",
    "pays",
    "simulation",
    "cost",
    "priceContracts",
    "provenance",
];

/// Members of claim transactions that only `detail=full` has.
const TRANSACTION_EXTRAS: [&str; 3] = ["targetSource", "targetView", "byAnyone"];

/// The gas that any transaction costs.
const TRANSACTION_GAS: u64 = 21_000;
/// The decimals of rates, which contracts return in rays.
const RAY_DECIMALS: i64 = 27;
/// The decimals of health factors, which contracts return in wads.
const WAD_DECIMALS: i64 = 18;
/// Digits of dollars, rates and ratios that answers keep.
const SIGNIFICANT_DIGITS: NonZeroU64 = NonZeroU64::new(18).unwrap();

/// The detail that an answer is requested with: `detail=full` or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    Plain,
    Full,
}

/// Which of the two claimables calls is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Over all protocols: neither `type` nor `function`, the token with its network, parts and protocol.
    Aggregate,
    /// The answer of one protocol.
    Protocol,
}

/// The truth about one chain.
#[derive(Clone, Debug)]
pub struct Truth {
    pub network: String,
    expected: Json,
}

impl Truth {
    /// From what the chain's build wrote down.
    ///
    /// # Errors
    /// Where that is incomplete.
    pub fn new(network: &str, expected: &str) -> Result<Self> {
        Ok(Self { network: network.to_owned(), expected: Json::parse(expected)? })
    }

    /// The address of an account.
    ///
    /// # Errors
    /// Where there is no such account.
    pub fn address(&self, who: &str) -> Result<&str> {
        self.expected.text_at(&format!("accounts/{who}/address"))
    }

    /// A contract of the build, by its name there.
    ///
    /// # Errors
    /// Where there is none.
    pub fn contract(&self, name: &str) -> Result<&str> {
        self.expected.text_at(&format!("contracts/{name}"))
    }

    /// A member of the snapshot's block: `number`, `hash` or `timestamp`.
    ///
    /// # Errors
    /// Where there is none.
    pub fn block(&self, member: &str) -> Result<&Json> {
        self.expected.at(&format!("block/{member}"))
    }

    /// Returns the entry of this network in `portolan-blocks`.
    ///
    /// # Errors
    /// Where the build wrote no block.
    pub fn pin(&self) -> Result<String> {
        Ok(format!("{}={}", self.network, self.block("number")?))
    }

    /// Dollars of the tokens, as rows of `[prices.static]`.
    ///
    /// # Errors
    /// Where the build wrote none.
    pub fn price_rows(&self) -> Result<String> {
        let prices = self.expected.at("prices")?.members()?.iter();
        Ok(prices.map(|(token, price)| format!("{}.{token:?} = {price}\n", self.network)).collect())
    }

    /// The build's rows for the settings files, by plugin.
    ///
    /// # Errors
    /// Where there are none.
    pub fn settings(&self) -> Result<&[(String, Json)]> {
        self.expected.at("settings")?.members()
    }

    /// Returns an answer's description of a protocol that is served here, with its company.
    ///
    /// # Errors
    /// Where neither the specification nor the build's settings have it.
    pub fn protocol(&self, slug: &str) -> Result<Json> {
        for (_, settings) in self.settings()? {
            let made = settings.get("protocol").map(Json::items).transpose()?.unwrap_or_default();
            if let Some(row) = made.iter().find(|row| row.text_at("slug").is_ok_and(|made| made == slug)) {
                return protocol::made(row);
            }
        }
        protocol::listed(slug)
    }

    /// The raw rows of the build about an account: all, or those of one protocol.
    ///
    /// # Errors
    /// Where there are none.
    pub fn rows(&self, who: &str, question: Question, slug: Option<&str>) -> Result<Vec<&Json>> {
        self.of(who, question.member(), slug)
    }

    /// The rows whose token has decimals: nobody knows what amounts of the others are.
    ///
    /// # Errors
    /// Where there are none.
    pub fn shown_rows(&self, who: &str, question: Question, slug: Option<&str>) -> Result<Vec<&Json>> {
        let mut rows = self.rows(who, question, slug)?;
        rows.retain(|row| {
            let tokens = [row.get("token"), row.get("stakedToken")].into_iter().flatten();
            tokens.filter_map(|token| text(token).ok()).all(|token| self.has_decimals(token))
        });
        Ok(rows)
    }

    /// Returns true if a row names a token without decimals, which the gateway reports as missing.
    ///
    /// # Errors
    /// Where there are no rows.
    pub fn names_unknown_tokens(&self, who: &str, question: Question, slug: &str) -> Result<bool> {
        let rows = self.rows(who, question, Some(slug))?;
        let mut tokens = rows.into_iter().flat_map(|row| {
            let rewards = row.get("rewardTokens").and_then(|tokens| tokens.items().ok()).unwrap_or_default();
            [row.get("token"), row.get("stakedToken")].into_iter().flatten().chain(rewards)
        });
        Ok(tokens.any(|token| text(token).is_ok_and(|token| !self.has_decimals(token))))
    }

    /// The stakes of an account in pools that no call can read any more: what they owe cannot be known.
    ///
    /// # Errors
    /// Where the build does not say.
    pub fn unreadable(&self, who: &str, slug: &str) -> Result<Vec<&Json>> {
        self.of(who, "missing", Some(slug))
    }

    fn of(&self, who: &str, kind: &str, slug: Option<&str>) -> Result<Vec<&Json>> {
        let rows = self.expected.at(&format!("accounts/{who}/{kind}"))?.items()?.iter();
        let requested = |row: &&Json| slug.is_none_or(|slug| row.text_at("protocol").is_ok_and(|own| own == slug));
        Ok(rows.filter(requested).collect())
    }

    /// The farming positions of an account in one protocol, without `id` and `name`.
    ///
    /// # Errors
    /// Where the build's values are incomplete.
    pub fn farming(&self, who: &str, slug: &str) -> Result<Vec<Json>> {
        let rows = self.shown_rows(who, Question::Farming, Some(slug))?.into_iter().map(|row| self.position(row));
        rows.collect()
    }

    fn position(&self, row: &Json) -> Result<Json> {
        let staked = row.text_at("stakedToken")?;
        // A reward without decimals is left out alone.
        let rewards = row.at("rewardTokens")?.items()?.iter().map(text).collect::<Result<Vec<_>>>()?;
        let rewards = rewards.into_iter().filter(|token| self.has_decimals(token));
        let rewards: Result<Vec<Json>> = rewards.map(|token| self.short_token(token)).collect();
        Ok(Json::object([
            ("network", network(&self.network)?),
            ("protocol", self.protocol(row.text_at("protocol")?)?.without(&["company"])),
            ("dollarValue", Json::number(row.text_at("dollarValue")?)),
            ("contractAddress", row.at("contract")?.clone()),
            ("vaultType", row.at("vaultType")?.clone()),
            ("apr", Json::number(row.text_at("apr")?)),
            ("stakedToken", self.short_token(staked)?),
            ("amount", self.units(staked, row.text_at("amountRaw")?)?),
            ("underlyingAmount", self.units(staked, row.text_at("underlyingAmountRaw")?)?),
            ("rewardTokens", Json::Array(rewards?)),
        ]))
    }

    /// The lending positions of an account in one protocol, without `id` and `name`: what it lent; in full also what
    /// it owes, each row with its side and its market's health factor.
    ///
    /// # Errors
    /// Where the build's values are incomplete.
    pub fn lending(&self, who: &str, slug: &str, detail: Detail) -> Result<Vec<Json>> {
        let rows = self.rows(who, Question::Lending, Some(slug))?.into_iter();
        let reported = |row: &&Json| detail == Detail::Full || row.text_at("side").is_ok_and(|side| side == "supply");
        rows.filter(reported).map(|row| self.loan(row, detail)).collect()
    }

    fn loan(&self, row: &Json, detail: Detail) -> Result<Json> {
        let token = row.text_at("token")?;
        let mut members = vec![
            ("network".to_owned(), network(&self.network)?),
            ("protocol".to_owned(), self.protocol(row.text_at("protocol")?)?.without(&["company"])),
            ("dollarValue".to_owned(), Json::number(row.text_at("dollarValue")?)),
            ("rate".to_owned(), fraction(row.text_at("rateRay")?, RAY_DECIMALS)?),
            ("amount".to_owned(), self.units(token, row.text_at("amountRaw")?)?),
            ("token".to_owned(), self.short_token(token)?),
        ];
        if detail == Detail::Full {
            let health = row.get("healthFactorWad").map(|wad| fraction(text(wad)?, WAD_DECIMALS)).transpose()?;
            members.push(("side".to_owned(), row.at("side")?.clone()));
            members.push(("healthFactor".to_owned(), health.unwrap_or(Json::Null)));
        }
        Ok(Json::Object(members))
    }

    /// The claimables of an account, of all protocols or of one, without `id` and `name`.
    ///
    /// # Errors
    /// Where the build's values are incomplete.
    pub fn claimables(&self, who: &str, slug: Option<&str>, call: Call) -> Result<Vec<Json>> {
        let rows = self.shown_rows(who, Question::Claimables, slug)?;
        rows.into_iter().map(|row| self.claimable(row, call)).collect()
    }

    fn claimable(&self, row: &Json, call: Call) -> Result<Json> {
        let token = row.text_at("token")?;
        let mut transaction = vec![
            ("network".to_owned(), network(&self.network)?),
            ("to".to_owned(), row.at("to")?.clone()),
            ("from".to_owned(), row.at("from")?.clone()),
            ("data".to_owned(), row.at("data")?.clone()),
        ];
        let mut claimable = vec![
            ("protocol".to_owned(), self.protocol(row.text_at("protocol")?)?),
            ("network".to_owned(), network(&self.network)?),
            ("dollarValue".to_owned(), Json::number(row.text_at("dollarValue")?)),
            ("amount".to_owned(), self.units(token, row.text_at("amountRaw")?)?),
        ];
        match call {
            Call::Aggregate => claimable.push(("token".to_owned(), self.whole_token(token)?)),
            Call::Protocol => {
                let name = row.text_at("function")?;
                claimable.push(("token".to_owned(), self.token(token)?));
                claimable.push(("type".to_owned(), Json::text(self.mechanism(name, row.text_at("contract")?)?)));
                transaction.push(("function".to_owned(), calldata::function(name, row.text_at("data")?)?));
            }
        }
        claimable.push(("simulated".to_owned(), Json::text("paid")));
        claimable.push(("claimTransaction".to_owned(), Json::Object(transaction)));
        Ok(Json::Object(claimable))
    }

    /// The `type` of a claimable. Of lending rewards it is the controller's; of a farm the vault type of whoever has
    /// a stake in it. Where all stakers have left, a dual farm is one that owes two tokens to one of them.
    fn mechanism(&self, function: &str, contract: &str) -> Result<&str> {
        if function == "claimRewards" {
            return Ok("aave-v3-rewards");
        }
        let at = |row: &&&Json| row.text_at("contract").is_ok_and(|at| at == contract);
        let mut owed = 0;
        for who in ACCOUNTS {
            if let Some(row) = self.rows(who, Question::Farming, None)?.iter().find(at) {
                return row.text_at("vaultType");
            }
            owed = owed.max(self.rows(who, Question::Claimables, None)?.iter().filter(at).count());
        }
        Ok(if owed > 1 { "quickswap-dual-reward-pool" } else { "quickswap-reward-rewardPool" })
    }

    /// A token as positions report it.
    fn short_token(&self, address: &str) -> Result<Json> {
        Ok(self.token(address)?.without(&["totalSupply"]))
    }

    /// A token as the calls of one protocol report it.
    fn token(&self, address: &str) -> Result<Json> {
        let known = self.expected.at(&format!("tokens/{address}"))?;
        Ok(Json::object([
            ("address", Json::text(address)),
            ("name", known.at("name")?.clone()),
            ("symbol", known.at("symbol")?.clone()),
            ("decimals", known.at("decimals")?.clone()),
            ("logo", known.at("logo")?.clone()),
            ("type", Json::text(if known.get("pair").is_some() { "UNISWAP" } else { "SINGLE" })),
            ("totalSupply", Json::number(known.text_at("totalSupplyRaw")?)),
        ]))
    }

    /// A token as the aggregate call reports it.
    fn whole_token(&self, address: &str) -> Result<Json> {
        let (token, parts) = match address {
            NATIVE => (self.native_token()?, None),
            _ => (self.token(address)?, self.expected.at(&format!("tokens/{address}"))?.get("pair").cloned()),
        };
        let Json::Object(mut members) = token else { return Ok(Json::Null) };
        members.push(("network".to_owned(), network(&self.network)?));
        members.push(("underlyingTokens".to_owned(), parts.unwrap_or_else(none)));
        members.push(("protocol".to_owned(), Json::Null));
        Ok(Json::Object(members))
    }

    fn has_decimals(&self, token: &str) -> bool {
        self.expected.at(&format!("tokens/{token}/decimals")).is_ok_and(|decimals| *decimals != Json::Null)
    }

    fn units(&self, token: &str, raw: &str) -> Result<Json> {
        let decimals: i64 = match token {
            NATIVE => NATIVE_DECIMALS,
            _ => self.expected.at(&format!("tokens/{token}/decimals"))?.to_string().parse()?,
        };
        Ok(Json::number(BigDecimal::new(BigInt::from_str(raw)?, decimals).to_plain_string()))
    }
}

/// The same without supplies, which change with the chain.
#[must_use]
pub fn without_supplies(json: &Json) -> Json {
    match json {
        Json::Object(members) => {
            let stays = members.iter().filter(|(name, _)| name != "totalSupply");
            Json::Object(stays.map(|(name, value)| (name.clone(), without_supplies(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(without_supplies).collect()),
        other => other.clone(),
    }
}

/// A network as rows embed it.
///
/// # Errors
/// For a slug that is not the specification's.
pub fn network(slug: &str) -> Result<Json> {
    let row = NETWORKS.iter().find(|row| row.0 == slug).with_context(|| format!("no network {slug}"))?;
    Ok(Json::object([
        ("name", Json::text(row.1)),
        ("logo", Json::text(network_logo(row.2))),
        ("chainId", Json::number(row.3)),
    ]))
}

/// The URL of a network's logo.
pub fn network_logo(file: &str) -> String {
    format!("https://github.com/defitrack/data/raw/master/logo/network/{file}")
}

/// Everything that is wrong with the rows of an answer: other values or members than `expected`, rows too many or
/// too few, ids that repeat or are out of order, names with gaps.
///
/// # Errors
/// Where the rows have no shape at all.
pub fn faults(actual: &Json, expected: &[Json]) -> Result<Vec<String>> {
    let rows = actual.items()?;
    let mut found = placing(rows)?;
    found.extend(grouping(rows)?);
    let mut wanted: Vec<(String, &Json)> = expected.iter().map(|row| Ok((key(row)?, row))).collect::<Result<_>>()?;
    for row in rows {
        let key = key(row)?;
        let name = row.text_at("name")?;
        if name.trim().is_empty() || name.contains(['{', '}']) {
            found.push(format!("{key}: name {name:?}"));
        }
        let row = row.without(&["id", "claimId", "name", "netDollarValue"]);
        let (row, gas) = without_gas(&row);
        if gas.is_some_and(|gas| gas <= TRANSACTION_GAS) {
            found.push(format!("{key}: a claim with {gas:?} gas"));
        }
        // Pools of one contract may stake one token: the row that it resembles most is meant.
        let alike = wanted.iter().enumerate().filter(|(_, (wanted, _))| *wanted == key);
        match alike.min_by_key(|(_, (_, wanted))| row.differences(wanted).len()).map(|(place, _)| place) {
            Some(place) => {
                let differences = row.differences(wanted.swap_remove(place).1);
                found.extend(differences.into_iter().map(|difference| format!("{key}{difference}")));
            }
            None => found.push(format!("{key} should not be there: {row}")),
        }
    }
    found.extend(wanted.iter().map(|(key, _)| format!("{key} is missing")));
    Ok(found)
}

/// A row without the gas limits of its transactions, and that of the claim; zero where it is not told.
#[must_use]
pub fn without_gas(row: &Json) -> (Json, Option<u64>) {
    let Some(transaction) = row.get("claimTransaction") else { return (row.clone(), None) };
    let gas = transaction.get("gas").and_then(|gas| gas.to_string().parse().ok()).unwrap_or_default();
    let Json::Object(members) = row else { return (row.clone(), Some(gas)) };
    let bare = |(name, value): &(String, Json)| match name.as_str() {
        "claimTransaction" => (name.clone(), value.without(&["gas"])),
        "claimSteps" => {
            let steps = value.items().unwrap_or_default().iter().map(|step| step.without(&["gas"]));
            (name.clone(), Json::Array(steps.collect()))
        }
        _ => (name.clone(), value.clone()),
    };
    (Json::Object(members.iter().map(bare).collect()), Some(gas))
}

/// The rows of a `detail=full` answer without what only that has.
///
/// # Errors
/// Where there are no rows.
pub fn plain(items: &Json) -> Result<Json> {
    Ok(Json::Array(items.items()?.iter().map(|item| without_listing(&plain_row(item))).collect()))
}

fn plain_row(item: &Json) -> Json {
    let Json::Object(members) = item.without(&EXTRAS) else { return item.clone() };
    // The aggregate call has no `type`, and functions only with `detail=full`.
    let is_aggregate = !members.iter().any(|(name, _)| name == "type");
    let functions: &[&str] = if is_aggregate { &["function"] } else { &[] };
    let plain = |(name, value): (String, Json)| match name.as_str() {
        "claimTransaction" => (name, value.without(&TRANSACTION_EXTRAS).without(functions)),
        _ => (name, value),
    };
    Json::Object(members.into_iter().map(plain).collect())
}

/// The same without what token lists know of the tokens in it, without the CAIP ids of networks and tokens, and without
/// what tokens redeem to, which plain answers have only beside the token's network.
#[must_use]
pub fn without_listing(json: &Json) -> Json {
    match json {
        Json::Object(members) => {
            let is_whole = members.iter().any(|(name, _)| name == "network");
            let is_full = |name: &str| ["listed", "lookalike", "caip2", "caip19"].contains(&name);
            let is_extra = |name: &str| is_full(name) || (name == "underlyingTokens" && !is_whole);
            let stays = members.iter().filter(|(name, _)| !is_extra(name));
            Json::Object(stays.map(|(name, value)| (name.clone(), without_listing(value))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(without_listing).collect()),
        other => other.clone(),
    }
}

/// Order of networks, then protocols, then ids; each id once; debts after everything else.
fn placing(rows: &[Json]) -> Result<Vec<String>> {
    let place = |row: &Json| -> Result<(bool, usize, String, String)> {
        let chain_id = row.at("network/chainId")?.to_string();
        let network = NETWORKS.iter().position(|network| network.3.to_string() == chain_id);
        let network = network.with_context(|| format!("no network has chain id {chain_id}"))?;
        let owed = row.text_at("side").is_ok_and(|side| side == "borrow");
        Ok((owed, network, row.text_at("protocol/slug")?.to_owned(), row.text_at("id")?.to_owned()))
    };
    let places: Vec<_> = rows.iter().map(place).collect::<Result<_>>()?;
    let wrong = places.windows(2).filter(|pair| pair[0] >= pair[1]);
    Ok(wrong.map(|pair| format!("{:?} stands before {:?}", pair[0], pair[1])).collect())
}

/// Claims that are one transaction have one `claimId`, and others have others.
fn grouping(rows: &[Json]) -> Result<Vec<String>> {
    let mut claims: BTreeMap<String, String> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in rows {
        let Some(transaction) = row.get("claimTransaction") else { continue };
        let sent = format!("{} {}", transaction.text_at("to")?, transaction.text_at("data")?);
        let sent = format!("{} {sent}", row.text_at("network/name")?);
        let claim = row.text_at("claimId")?;
        if claims.insert(claim.to_owned(), sent.clone()).is_some_and(|before| before != sent) {
            wrong.push(format!("{claim} is the claim of two transactions"));
        }
    }
    let sent: BTreeSet<&String> = claims.values().collect();
    if sent.len() != claims.len() {
        wrong.push(format!("a transaction has several claims: {claims:?}"));
    }
    Ok(wrong)
}

/// Returns the subject of a row: network, protocol, contract and call, token, side.
fn key(row: &Json) -> Result<String> {
    let place = format!("{} {}", row.text_at("network/name")?, row.text_at("protocol/slug")?);
    if let Some(transaction) = row.get("claimTransaction") {
        let (to, data) = (transaction.text_at("to")?, transaction.text_at("data")?);
        return Ok(format!("{place} {to} {data} {}", row.text_at("token/address")?));
    }
    if let Some(contract) = row.get("contractAddress") {
        return Ok(format!("{place} {contract} {}", row.text_at("stakedToken/address")?));
    }
    let side = row.get("side").map(ToString::to_string).unwrap_or_default();
    Ok(format!("{place} {} {side}", row.text_at("token/address")?))
}

/// A rate or ratio of a contract, as answers round it.
fn fraction(raw: &str, decimals: i64) -> Result<Json> {
    let exact = BigDecimal::new(BigInt::from_str(raw)?, decimals);
    Ok(Json::number(exact.with_precision_round(SIGNIFICANT_DIGITS, RoundingMode::HalfEven).to_plain_string()))
}

fn none() -> Json {
    Json::Array(Vec::new())
}

fn text(json: &Json) -> Result<&str> {
    match json {
        Json::Text(text) => Ok(text),
        other => anyhow::bail!("{other} is not a string"),
    }
}
