//! A fork in an operator's settings file: a chain of its own on which the fork's contracts stand, and a gateway that has
//! the plugin with these settings alone.

use std::fmt::Debug;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::build;
use crate::chain::Chain;
use crate::gateway::{Gateway, Setup};
use crate::json::Json;

/// The network of the chain.
const NETWORK: &str = "ethereum";

/// The chain and the gateway; both end with the value.
#[derive(Debug)]
pub struct Fork {
    pub chain: Chain,
    pub gateway: Gateway,
    protocol: &'static str,
}

/// One token that a claim pays: the token, the claimable amount, and how much the account had more after the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paid {
    pub token: String,
    pub said: u128,
    pub received: u128,
}

impl Fork {
    /// Boots the profile's chain, and a gateway with the plugin and `rows` of settings, of which each is the lines of a
    /// `[[deployment]]`: its keys, where `{name}` stands for the contract of that name in the profile's member `contracts`.
    ///
    /// # Errors
    /// Where the chain does not boot, a contract has no address, or the gateway does not serve the protocol.
    pub fn start(profile: &str, plugin: &str, protocol: &'static str, contracts: &str, rows: &[&str]) -> Result<Self> {
        Self::start_with_prices(profile, plugin, protocol, contracts, rows, &[])
    }

    /// The same, where the configuration states what tokens of these names cost in dollars.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn start_with_prices(
        profile: &str,
        plugin: &str,
        protocol: &'static str,
        contracts: &str,
        rows: &[&str],
        prices: &[(&str, &str)],
    ) -> Result<Self> {
        let chain = Chain::start(profile)?;
        let head = format!("[[deployment]]\nprotocol = \"{protocol}\"\nnetwork = \"{NETWORK}\"\n");
        let named = chain.expected[contracts].as_object().context("the profile names no contracts")?;
        let filled = |row: &str| {
            named.iter().fold(format!("{head}{row}\n"), |row, (name, address)| {
                row.replace(&format!("{{{name}}}"), address.as_str().unwrap_or_default())
            })
        };
        let settings: String = rows.iter().map(|row| filled(row)).collect();
        ensure!(!settings.contains('{'), "a contract has no address: {settings}");
        let dylib = build::built()?.plugin(&format!("lib{plugin}.so"));
        let priced = prices.iter().map(|(name, usd)| {
            let token = named.get(*name).and_then(Value::as_str).with_context(|| format!("no token {name}"))?;
            Ok(format!("{NETWORK}.\"{token}\" = \"{usd}\"\n"))
        });
        let stated = format!("[prices.static]\n{}", priced.collect::<Result<String>>()?);
        let setup = Setup::default()
            .config(&stated)
            .rpc(NETWORK, &chain.url)
            .settings(plugin, &format!("shipped = false\n{settings}"));
        let gateway = setup.plugin(&dylib, &[protocol]).start()?;
        Ok(Self { chain, gateway, protocol })
    }

    /// An account of the chain.
    ///
    /// # Errors
    /// Where the profile has none of that name.
    pub fn account(&self, who: &str) -> Result<&str> {
        self.chain.expected["accounts"][who]["address"].as_str().with_context(|| format!("no account {who}"))
    }

    /// What the profile says, by the members' names.
    ///
    /// # Errors
    /// Where it says nothing there.
    pub fn expected(&self, path: &str) -> Result<&Value> {
        let pointer = format!("/{path}");
        self.chain.expected.pointer(&pointer).with_context(|| format!("the profile has no {path}"))
    }

    /// An address that the profile names.
    ///
    /// # Errors
    /// Where it names none there.
    pub fn address(&self, path: &str) -> Result<&str> {
        self.expected(path)?.as_str().with_context(|| format!("{path} is no text"))
    }

    /// The items of a complete answer about an account, whose place in the path is `{}`.
    ///
    /// # Errors
    /// Where the answer is no complete one.
    pub fn items(&self, path: &str, who: &str) -> Result<Vec<Json>> {
        let path = format!("/{}/{}?detail=full", self.protocol, path.replace("{}", self.account(who)?));
        let response = self.gateway.get(&path)?;
        ensure!(response.status.as_u16() == 200, "{}", response.body);
        ensure!(response.header("portolan-partial").is_none(), "{}", response.body);
        Ok(response.json()?.at("items")?.items()?.to_vec())
    }

    /// Symbol, raw amount and side of each row of lending, sorted.
    ///
    /// # Errors
    /// Where the answer is no complete one.
    pub fn lent(&self, who: &str) -> Result<Vec<(String, u128, String)>> {
        let row = |row: &Json| {
            let text = |member| row.text_at(member).map(str::to_owned);
            Ok((text("token/symbol")?, text("amountRaw")?.parse()?, text("side")?))
        };
        let mut rows = self.items("lending/{}/positions", who)?.iter().map(row).collect::<Result<Vec<_>>>()?;
        rows.sort();
        Ok(rows)
    }

    /// Sends the account's claims, each at the block of the answer, and returns what each row said and paid. Leaves the
    /// chain as it was.
    ///
    /// # Errors
    /// Where an answer is no complete one, a claim's simulation does not say that it pays, or a transaction reverts.
    pub fn claim_each(&self, who: &str) -> Result<Vec<Paid>> {
        let items = self.items("{}/claimables", who)?;
        items.iter().map(|item| self.claim(who, item)).collect()
    }

    fn claim(&self, who: &str, item: &Json) -> Result<Paid> {
        ensure!(item.text_at("simulated")? == "paid", "{item}");
        let token = item.text_at("token/address")?;
        let [from, to, data] = ["from", "to", "data"].map(|member| item.text_at(&format!("claimTransaction/{member}")));
        let held = || anyhow::Ok(self.chain.token_balance(token, self.account(who)?)?.parse::<u128>()?);
        let (snapshot, before) = (self.chain.snapshot()?, held()?);
        self.chain.send_as(from?, to?, data?, self.chain.block_timestamp)?;
        let received = held()?.checked_sub(before).context("the claim cost something")?;
        self.chain.revert(&snapshot)?;
        Ok(Paid { token: token.to_owned(), said: item.text_at("amountRaw")?.parse()?, received })
    }
}
