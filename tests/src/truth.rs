//! What the gateway must answer about a chain: whole documents, made from the arithmetic of the chain's build and
//! from the specification's tables, never from the gateway's own code.
//!
//! `id` and `name` of a row are the gateway's choice; [`faults`] says what must hold of them.

use std::str::FromStr;

use anyhow::{Context as _, Result};
use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::BigInt;

use crate::json::Json;

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
const EXTRAS: [&str; 6] = ["amountRaw", "underlyingAmountRaw", "account", "plugin", "priceSource", "priceAgeSeconds"];

/// Which of the two claimables calls is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// Over all protocols: neither `type` nor `function`, the token with its network, parts and protocol.
    Aggregate,
    /// Of one protocol.
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

    /// What `portolan-blocks` says of this network.
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

    /// The raw rows of the build: `farming` or `claimables` of an account.
    ///
    /// # Errors
    /// Where there are none.
    pub fn rows(&self, who: &str, kind: &str) -> Result<&[Json]> {
        self.expected.at(&format!("accounts/{who}/{kind}"))?.items()
    }

    /// The farming positions of an account, without `id` and `name`.
    ///
    /// # Errors
    /// Where the build's values are incomplete.
    pub fn farming(&self, who: &str) -> Result<Vec<Json>> {
        self.rows(who, "farming")?.iter().map(|row| self.position(row)).collect()
    }

    fn position(&self, row: &Json) -> Result<Json> {
        let staked = row.text_at("stakedToken")?;
        let rewards = row.at("rewardTokens")?.items()?.iter();
        let rewards: Result<Vec<Json>> =
            rewards.map(|token| Ok(self.token(text(token)?)?.without(&["totalSupply"]))).collect();
        Ok(Json::object([
            ("network", network(&self.network)?),
            ("protocol", quickswap().without(&["company"])),
            ("dollarValue", Json::number(row.text_at("dollarValue")?)),
            ("contractAddress", row.at("contract")?.clone()),
            ("vaultType", row.at("vaultType")?.clone()),
            ("apr", Json::number(row.text_at("apr")?)),
            ("stakedToken", self.token(staked)?.without(&["totalSupply"])),
            ("amount", self.units(staked, row.text_at("amountRaw")?)?),
            ("underlyingAmount", self.units(staked, row.text_at("underlyingAmountRaw")?)?),
            ("rewardTokens", Json::Array(rewards?)),
        ]))
    }

    /// The claimables of an account, without `id` and `name`.
    ///
    /// # Errors
    /// Where the build's values are incomplete.
    pub fn claimables(&self, who: &str, call: Call) -> Result<Vec<Json>> {
        self.rows(who, "claimables")?.iter().map(|row| self.claimable(row, call)).collect()
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
            ("protocol".to_owned(), quickswap()),
            ("network".to_owned(), network(&self.network)?),
            ("dollarValue".to_owned(), Json::number(row.text_at("dollarValue")?)),
            ("amount".to_owned(), self.units(token, row.text_at("amountRaw")?)?),
        ];
        match call {
            Call::Aggregate => claimable.push(("token".to_owned(), self.whole_token(token)?)),
            Call::Protocol => {
                claimable.push(("token".to_owned(), self.token(token)?));
                claimable.push(("type".to_owned(), Json::text(self.mechanism(row.text_at("contract")?)?)));
                // Every contract of these chains pays by `getReward()`.
                let function =
                    [("name", Json::text("getReward")), ("inputParameters", none()), ("outputParameters", none())];
                transaction.push(("function".to_owned(), Json::object(function)));
            }
        }
        claimable.push(("claimTransaction".to_owned(), Json::Object(transaction)));
        Ok(Json::Object(claimable))
    }

    /// The vault type of a farm: of whoever has a stake in it. Where all stakers have left, a dual farm is one that
    /// owes two tokens to one of them.
    fn mechanism(&self, contract: &str) -> Result<&str> {
        let at = |row: &&Json| row.text_at("contract").is_ok_and(|at| at == contract);
        let mut owed = 0;
        for who in ACCOUNTS {
            if let Some(row) = self.rows(who, "farming")?.iter().find(at) {
                return row.text_at("vaultType");
            }
            owed = owed.max(self.rows(who, "claimables")?.iter().filter(at).count());
        }
        Ok(if owed > 1 { "quickswap-dual-reward-pool" } else { "quickswap-reward-rewardPool" })
    }

    /// A token as the calls of one protocol tell it.
    fn token(&self, address: &str) -> Result<Json> {
        let known = self.expected.at(&format!("tokens/{address}"))?;
        Ok(Json::object([
            ("address", Json::text(address)),
            ("name", known.at("name")?.clone()),
            ("symbol", known.at("symbol")?.clone()),
            ("decimals", known.at("decimals")?.clone()),
            ("logo", Json::Null),
            ("type", Json::text(if known.get("pair").is_some() { "UNISWAP" } else { "SINGLE" })),
            ("totalSupply", Json::number(known.text_at("totalSupplyRaw")?)),
        ]))
    }

    /// A token as the aggregate call tells it.
    fn whole_token(&self, address: &str) -> Result<Json> {
        let Json::Object(mut members) = self.token(address)? else { return Ok(Json::Null) };
        let parts = self.expected.at(&format!("tokens/{address}"))?.get("pair").cloned();
        members.push(("network".to_owned(), network(&self.network)?));
        members.push(("underlyingTokens".to_owned(), parts.unwrap_or_else(none)));
        members.push(("protocol".to_owned(), Json::Null));
        Ok(Json::Object(members))
    }

    fn units(&self, token: &str, raw: &str) -> Result<Json> {
        let decimals: i64 = self.expected.at(&format!("tokens/{token}/decimals"))?.to_string().parse()?;
        Ok(Json::number(BigDecimal::new(BigInt::from_str(raw)?, decimals).to_plain_string()))
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

/// The protocol that these chains have.
pub fn quickswap() -> Json {
    Json::object([
        ("name", Json::text("QUICKSWAP")),
        ("logo", Json::text("https://github.com/decentri-fi/data/raw/master/logo/protocol/quickswap.png")),
        ("slug", Json::text("quickswap")),
        ("primitives", Json::Array(vec![Json::text("POOLING"), Json::text("FARMING")])),
        ("website", Json::text("https://quickswap.exchange/")),
        ("company", Json::object([("name", Json::text("QuickSwap")), ("slug", Json::text("quickswap"))])),
    ])
}

/// Everything that is wrong with the rows of an answer: other values or members than `expected`, rows too many or
/// too few, ids that repeat or are out of order, names with gaps.
///
/// # Errors
/// Where the rows have no shape at all.
pub fn faults(actual: &Json, expected: &[Json]) -> Result<Vec<String>> {
    let rows = actual.items()?;
    let mut found = placing(rows)?;
    let mut wanted: Vec<(String, &Json)> = expected.iter().map(|row| Ok((key(row)?, row))).collect::<Result<_>>()?;
    for row in rows {
        let key = key(row)?;
        let name = row.text_at("name")?;
        if name.trim().is_empty() || name.contains(['{', '}']) {
            found.push(format!("{key}: name {name:?}"));
        }
        match wanted.iter().position(|(wanted, _)| *wanted == key) {
            Some(place) => {
                let (_, wanted) = wanted.swap_remove(place);
                let differences = row.without(&["id", "name"]).differences(wanted);
                found.extend(differences.into_iter().map(|difference| format!("{key}{difference}")));
            }
            None => found.push(format!("{key} should not be there: {row}")),
        }
    }
    found.extend(wanted.iter().map(|(key, _)| format!("{key} is missing")));
    Ok(found)
}

/// The rows of a `detail=full` answer without what only that has.
///
/// # Errors
/// Where there are no rows.
pub fn plain(items: &Json) -> Result<Json> {
    Ok(Json::Array(items.items()?.iter().map(|item| item.without(&EXTRAS)).collect()))
}

/// Order of networks, then protocols, then ids; each id once.
fn placing(rows: &[Json]) -> Result<Vec<String>> {
    let place = |row: &Json| -> Result<(usize, String, String)> {
        let chain_id = row.at("network/chainId")?.to_string();
        let network = NETWORKS.iter().position(|network| network.3.to_string() == chain_id);
        let network = network.with_context(|| format!("no network has chain id {chain_id}"))?;
        Ok((network, row.text_at("protocol/slug")?.to_owned(), row.text_at("id")?.to_owned()))
    };
    let places: Vec<_> = rows.iter().map(place).collect::<Result<_>>()?;
    let wrong = places.windows(2).filter(|pair| pair[0] >= pair[1]);
    Ok(wrong.map(|pair| format!("{:?} stands before {:?}", pair[0], pair[1])).collect())
}

/// What tells a row from all others: network, contract and token.
fn key(row: &Json) -> Result<String> {
    let (contract, token) = match row.get("claimTransaction") {
        Some(transaction) => (transaction.text_at("to")?, row.text_at("token/address")?),
        None => (row.text_at("contractAddress")?, row.text_at("stakedToken/address")?),
    };
    Ok(format!("{} {contract} {token}", row.text_at("network/name")?))
}

fn none() -> Json {
    Json::Array(Vec::new())
}

fn text(json: &Json) -> Result<&str> {
    match json {
        Json::Text(text) => Ok(text),
        other => anyhow::bail!("{other} is no text"),
    }
}
