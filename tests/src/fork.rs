//! Forks in operators' settings files: a chain of its own on which their contracts stand, and a gateway that has the
//! plugins with these settings alone.

pub mod claim_functions;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use serde_json::{Value, json};

use crate::build;
use crate::chain::{self, Chain, PURSE_WEI};
use crate::gateway::{Gateway, Setup};
use crate::json::Json;
use crate::truth::NETWORKS;
use crate::world::Shared;
pub use rows::{ForkRow, ROWS, row};

/// The native token, as answers have its address and as [`Payments`] have its name.
pub const NATIVE: (&str, &str) = ("0x0", "native");

/// The chain and the gateway, which end with the last value of them, and the protocol that is asked about.
#[derive(Clone, Debug)]
pub struct Fork {
    pub chain: Arc<Chain>,
    pub gateway: Arc<Gateway>,
    protocol: &'static str,
}

/// One token that a claim pays: the token, the claimable amount, and how much the account had more after the claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paid {
    pub token: String,
    pub said: u128,
    pub received: u128,
}

/// Raw amounts, by the names that the profile's member `assets` has for the tokens.
pub type Payments = BTreeMap<String, u128>;

/// Returns payments of these amounts.
pub fn pays<const N: usize>(parts: [(&str, u128); N]) -> Payments {
    parts.map(|(token, amount)| (token.to_owned(), amount)).into()
}

/// One claim: its rows, what they say, and how much more the account had of every token after it was sent.
#[derive(Clone, Debug)]
pub struct Claimed {
    pub rows: Vec<Json>,
    pub said: Payments,
    pub received: Payments,
}

/// The fork of a profile, started once for all tests of a file that run at the same time and only read it.
#[derive(Debug)]
pub struct SharedFork {
    profile: &'static str,
    started: Shared<Fork>,
}

impl SharedFork {
    /// Starts nothing yet.
    pub const fn new(profile: &'static str) -> Self {
        Self { profile, started: Shared::new() }
    }

    /// The fork that other tests hold, or a new one.
    ///
    /// # Errors
    /// As [`Fork::start`].
    pub fn get(&self) -> Result<Arc<Fork>> {
        self.started.get(|| self.start())
    }

    /// A fork of its own, for a test that sends transactions.
    ///
    /// # Errors
    /// As [`Fork::start`].
    pub fn start(&self) -> Result<Fork> {
        Fork::start(self.profile)
    }
}

/// A row of [`Fork::lent`].
pub fn leg(name: &str, amount: u128, side: &str) -> (String, u128, String) {
    (name.to_owned(), amount, side.to_owned())
}

impl Fork {
    /// Boots the profile's chain, and a gateway with the plugins of the profile's [`ROWS`], which have these rows alone.
    /// The first row's protocol is the one that is asked about.
    ///
    /// # Errors
    /// Where the chain does not boot, a contract has no address, or the gateway does not serve the protocols.
    pub fn start(profile: &str) -> Result<Self> {
        let rows: Vec<ForkRow> = ROWS.iter().filter(|row| row.profile == profile).copied().collect();
        Self::of_rows(&rows, &[])
    }

    /// The same of rows of one profile alone, where the configuration states what tokens cost: dollars, by the place in the
    /// profile's document.
    ///
    /// # Errors
    /// Likewise.
    pub fn of_rows(rows: &[ForkRow], prices: &[(&str, &str)]) -> Result<Self> {
        let ForkRow { profile, protocol, .. } = *rows.first().context("no rows")?;
        let chain = Chain::start(profile)?;
        let network = network(&chain)?;
        let priced =
            prices.iter().map(|(token, usd)| Ok(format!("{network}.{} = \"{usd}\"\n", expected(&chain, token)?)));
        let stated = format!("[prices.static]\n{}", priced.collect::<Result<String>>()?);
        let mut setup = Setup::default().config(&stated).rpc(network, &chain.url);
        for plugin in rows.iter().map(|row| row.plugin).collect::<BTreeSet<_>>() {
            let own: Vec<&ForkRow> = rows.iter().filter(|row| row.plugin == plugin).collect();
            let slugs: BTreeSet<&str> = own.iter().map(|row| row.protocol).collect();
            let file = build::built()?.plugin(&format!("lib{}.so", plugin.replace('-', "_")));
            setup = setup.settings(plugin, &settings_of(&chain, own)?);
            setup = setup.plugin(&file, &slugs.into_iter().collect::<Vec<_>>());
        }
        let functions = claim_functions::of_settings(&settings_of(&chain, rows)?)?;
        setup = setup.settings("claim-functions", &functions);
        Ok(Self { gateway: Arc::new(setup.start()?), chain: Arc::new(chain), protocol })
    }

    /// Boots the profile's chain, and a gateway with these examples as they are shipped: the folder and the slug of each.
    /// The first one's protocol is the one that is asked about.
    ///
    /// # Errors
    /// Likewise.
    pub fn of_examples(profile: &str, examples: &[(&str, &'static str)]) -> Result<Self> {
        let (_, protocol) = *examples.first().context("no examples")?;
        let chain = Chain::start(profile)?;
        let mut setup = Setup::default().rpc(network(&chain)?, &chain.url);
        for (folder, slug) in examples {
            setup = setup.plugin(&build::example(folder)?, &[slug]);
        }
        Ok(Self { gateway: Arc::new(setup.start()?), chain: Arc::new(chain), protocol })
    }

    /// The same chain and gateway, asked about another protocol.
    #[must_use]
    pub fn of(&self, protocol: &'static str) -> Self {
        Self { protocol, ..self.clone() }
    }

    /// An account of the chain.
    ///
    /// # Errors
    /// Where the profile has none of that name.
    pub fn account(&self, who: &str) -> Result<&str> {
        self.chain.expected["accounts"][who]["address"].as_str().with_context(|| format!("no account {who}"))
    }

    /// Returns the profile's value at a path of members' names.
    ///
    /// # Errors
    /// Where it says nothing there.
    pub fn expected(&self, path: &str) -> Result<&Value> {
        expected(&self.chain, path)
    }

    /// An address that the profile names.
    ///
    /// # Errors
    /// Where it names none there.
    pub fn address(&self, path: &str) -> Result<&str> {
        self.expected(path)?.as_str().with_context(|| format!("{path} is not a string"))
    }

    /// A number that the profile has.
    ///
    /// # Errors
    /// Where it has none there.
    pub fn number(&self, path: &str) -> Result<u128> {
        Ok(self.expected(path)?.as_u64().with_context(|| format!("{path} is not a number"))?.into())
    }

    /// The items of a complete answer about an account, whose place in the path is `{}`.
    ///
    /// # Errors
    /// Where the answer is no complete one.
    pub fn items(&self, path: &str, who: &str) -> Result<Vec<Json>> {
        let path = format!("/{}/{}?detail=full", self.protocol, path.replace("{}", self.account(who)?));
        let response = self.gateway.get(&path)?;
        ensure!(response.status.as_u16() == 200, "{path}: {}", response.body);
        ensure!(response.header("portolan-partial").is_none(), "{path}: {}", response.body);
        Ok(response.json()?.at("items")?.items()?.to_vec())
    }

    /// Symbol, raw amount and side of each row of lending, sorted.
    ///
    /// # Errors
    /// Where the answer is no complete one.
    pub fn lent(&self, who: &str) -> Result<Vec<(String, u128, String)>> {
        self.lending("token/symbol", who)
    }

    /// Name, raw amount and side of each row of lending, sorted.
    ///
    /// # Errors
    /// Where the answer is no complete one.
    pub fn lent_by_name(&self, who: &str) -> Result<Vec<(String, u128, String)>> {
        self.lending("name", who)
    }

    fn lending(&self, label: &str, who: &str) -> Result<Vec<(String, u128, String)>> {
        let row = |row: &Json| Ok((row.text_at(label)?.to_owned(), amount(row)?, row.text_at("side")?.to_owned()));
        let mut rows = self.items("lending/{}/positions", who)?.iter().map(row).collect::<Result<Vec<_>>>()?;
        rows.sort();
        Ok(rows)
    }

    /// The health factors of an account's debts.
    ///
    /// # Errors
    /// Where the answer is no complete one.
    pub fn health(&self, who: &str) -> Result<Vec<String>> {
        let positions = self.items("borrowing/{}/positions", who)?;
        positions.iter().map(|position| Ok(position.at("health/factor")?.to_string())).collect()
    }

    /// Symbol and raw amount of each row of farming, sorted.
    ///
    /// # Errors
    /// Where the answer is no complete one.
    pub fn staked(&self, who: &str) -> Result<Vec<(String, u128)>> {
        let row = |row: &Json| Ok((row.text_at("stakedToken/symbol")?.to_owned(), amount(row)?));
        let mut rows = self.items("farming/{}/positions", who)?.iter().map(row).collect::<Result<Vec<_>>>()?;
        rows.sort();
        Ok(rows)
    }

    /// Sends the account's claims, each row's at the block of the answer, and returns what each row said and paid.
    /// Leaves the chain as it was.
    ///
    /// # Errors
    /// Where an answer is no complete one, a claim's simulation does not say that it pays, or a transaction reverts.
    pub fn claim_each(&self, who: &str) -> Result<Vec<Paid>> {
        let paid = |row: &Json| {
            let token = row.text_at("token/address")?;
            let received = self.received(who, row, &[(token, token)])?.get(token).copied().unwrap_or_default();
            Ok(Paid { token: token.to_owned(), said: amount(row)?, received })
        };
        self.items("{}/claimables", who)?.iter().map(paid).collect()
    }

    /// Sends the account's claims, each at the block of the answer, and returns what they said and paid of all tokens of
    /// the chain. Leaves the chain as it was.
    ///
    /// # Errors
    /// Likewise; and where rows of one claim have other transactions, or say one token twice.
    pub fn claims(&self, who: &str) -> Result<Vec<Claimed>> {
        let assets = self.expected("assets")?.as_object().context("the assets are not an object")?;
        let mut tokens = vec![NATIVE];
        for (name, address) in assets {
            tokens.push((address.as_str().context("an asset has no address")?, name));
        }
        let mut claims: BTreeMap<String, Vec<Json>> = BTreeMap::new();
        for row in self.items("{}/claimables", who)? {
            claims.entry(row.text_at("claimId")?.to_owned()).or_default().push(row);
        }
        let claimed = |rows: Vec<Json>| {
            let mut said = Payments::new();
            for row in &rows {
                ensure!(row.at("claimTransaction")? == rows[0].at("claimTransaction")?, "two transactions: {rows:?}");
                let token = row.text_at("token/address")?;
                let (_, name) = tokens.iter().find(|(address, _)| *address == token).context("an unknown token")?;
                ensure!(said.insert((*name).to_owned(), amount(row)?).is_none(), "{name} is said twice: {rows:?}");
            }
            let received = self.received(who, &rows[0], &tokens)?;
            Ok(Claimed { rows, said, received })
        };
        claims.into_values().map(claimed).collect()
    }

    /// Sends the account's claims as [`Fork::claims`] does, and returns what each paid, sorted.
    ///
    /// # Errors
    /// Likewise; and where a claim paid anything else than it said.
    pub fn payments(&self, who: &str) -> Result<Vec<Payments>> {
        let paid = |claim: Claimed| {
            let Claimed { rows, said, received } = claim;
            ensure!(said == received, "{who} was to have {said:?} and had {received:?}: {rows:?}");
            Ok(received)
        };
        let mut payments = self.claims(who)?.into_iter().map(paid).collect::<Result<Vec<_>>>()?;
        payments.sort();
        Ok(payments)
    }

    /// Returns how much more of these tokens, by their names, the account has once the row's claim was sent.
    fn received(&self, who: &str, row: &Json, tokens: &[(&str, &str)]) -> Result<Payments> {
        let account = self.account(who)?;
        ensure!(row.text_at("simulated")? == "paid", "{row}");
        let sent = row.at("claimTransaction")?;
        let from = sent.get("from").filter(|from| **from != Json::Null);
        ensure!(from.is_none_or(|from| *from == Json::text(account)), "another sender: {row}");
        let (to, data) = (sent.text_at("to")?, sent.text_at("data")?);
        let value = if sent.get("value").is_some() { sent.text_at("value")?.parse()? } else { 0 };
        self.undone(|| {
            let held = || tokens.iter().map(|(token, _)| self.held(who, token)).collect::<Result<Vec<u128>>>();
            let before = held()?;
            let limit = sent.at("gas")?.to_string().parse()?;
            let receipt =
                self.chain.send_with_value(account, (to, data), (limit, value), self.chain.block_timestamp)?;
            let gas = u128::from(chain::quantity(&receipt["gasUsed"])?)
                * u128::from(chain::quantity(&receipt["effectiveGasPrice"])?);
            let mut received = Payments::new();
            for (((token, name), before), after) in tokens.iter().zip(before).zip(held()?) {
                // Whoever sends a transaction is given this much before, to pay for gas and the claim's fee with.
                let (before, after) =
                    if *token == NATIVE.0 { (PURSE_WEI, after + gas + value) } else { (before, after) };
                let more = after.checked_sub(before).with_context(|| format!("the claim cost {name}: {row}"))?;
                if more > 0 {
                    received.insert((*name).to_owned(), more);
                }
            }
            Ok(received)
        })
    }

    /// Returns the account's balance of a token.
    ///
    /// # Errors
    /// Where the token does not say.
    pub fn held(&self, who: &str, token: &str) -> Result<u128> {
        let account = self.account(who)?;
        if token != NATIVE.0 {
            return Ok(self.chain.token_balance(token, account)?.parse()?);
        }
        let balance = self.chain.rpc("eth_getBalance", json!([account, "latest"]))?;
        let digits = balance.as_str().and_then(|text| text.strip_prefix("0x")).context("no balance")?;
        Ok(u128::from_str_radix(digits, 16)?)
    }

    /// By how much a call of the account, in a block at the snapshot's time, changes what it has of a token.
    ///
    /// # Errors
    /// Where the call reverts.
    pub fn changes(&self, who: &str, token: &str, to: &str, data: &str) -> Result<u128> {
        let account = self.account(who)?;
        let before = self.held(who, token)?;
        self.chain.send_as(account, to, data, self.chain.block_timestamp)?;
        Ok(before.abs_diff(self.held(who, token)?))
    }

    /// Returns how much more of each token the account has once it has sent these calls to a contract, in blocks at the
    /// snapshot's time; the chain is as before afterwards.
    ///
    /// # Errors
    /// Where a call reverts, or takes a token.
    pub fn paid<const N: usize>(&self, who: &str, tokens: [&str; N], to: &str, calls: &[String]) -> Result<[u128; N]> {
        let account = self.account(who)?;
        let held = || tokens.iter().map(|token| self.held(who, token)).collect::<Result<Vec<u128>>>();
        self.undone(|| {
            let before = held()?;
            for data in calls {
                self.chain.send_as(account, to, data, self.chain.block_timestamp)?;
            }
            let more = held()?.into_iter().zip(before).map(|(after, before)| after.checked_sub(before));
            let more = more.collect::<Option<Vec<_>>>().context("the calls took a token")?;
            more.try_into().map_err(|more| anyhow!("{more:?} for {N} tokens"))
        })
    }

    /// Returns the result of `act`; the chain is as before afterwards.
    ///
    /// # Errors
    /// If `act` fails, or the chain does not go back.
    pub fn undone<T>(&self, act: impl FnOnce() -> Result<T>) -> Result<T> {
        let snapshot = self.chain.snapshot()?;
        let outcome = act();
        self.chain.revert(&snapshot)?;
        outcome
    }
}

fn amount(row: &Json) -> Result<u128> {
    Ok(row.text_at("amountRaw")?.parse()?)
}

fn expected<'a>(chain: &'a Chain, path: &str) -> Result<&'a Value> {
    chain.expected.pointer(&format!("/{path}")).with_context(|| format!("the profile has no {path}"))
}

/// The slug of the chain's network.
fn network(chain: &Chain) -> Result<&'static str> {
    let known = NETWORKS.iter().find(|known| chain.expected["chainId"] == known.3);
    Ok(known.with_context(|| format!("{} is on no known network", chain.profile))?.0)
}

/// The settings file of a plugin, of the [`ROWS`] of the chain's profile.
///
/// # Errors
/// Where the profile's document has not what a row names.
pub fn settings(chain: &Chain, plugin: &str) -> Result<String> {
    settings_of(chain, ROWS.iter().filter(|row| row.profile == chain.profile && row.plugin == plugin))
}

/// The settings file that has these rows alone.
///
/// # Errors
/// Where the chain has no address of a name.
pub fn settings_of<'a>(chain: &Chain, rows: impl IntoIterator<Item = &'a ForkRow>) -> Result<String> {
    let mut file = "shipped = false\n".to_owned();
    for row in rows {
        let head = [("protocol", row.protocol), ("network", network(chain)?)];
        file.push_str("\n[[deployment]]\n");
        file.extend(head.map(|(key, value)| format!("{key} = \"{value}\"\n")));
        let mut parts = row.keys.split('<');
        file.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let Some((path, rest)) = part.split_once('>') else { bail!("no end of a name: {}", row.keys) };
            file.push_str(&format!("{}{rest}", expected(chain, path)?));
        }
        file.push('\n');
    }
    Ok(file)
}
