//! The chains of the tests, and gateways that serve all of their protocols.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use anyhow::{Context as _, Result};

use crate::build::{self, Built};
use crate::chain::Chain;
use crate::gateway::Setup;
use crate::json::Json;
use crate::protocol::{PLUGINS, Plugin, Question};
use crate::truth::{Call, Detail, Truth};

/// In the order of answers.
const PROFILES: [&str; 4] = ["ethereum", "optimism", "fantom", "polygon"];
/// Networks that also have a chain with a token list, in the order of answers.
const LISTED: [&str; 3] = ["ethereum", "optimism", "polygon"];
/// Where QuickSwap's contracts stand at their real addresses; on the others the settings file names a factory.
const QUICKSWAP_AT_HOME: &str = "polygon";

/// Plugins that answer about accounts, on networks of the chains, from deployments that stand on none of them.
const ELSEWHERE: [&str; 13] = [
    "balancer",
    "bridges",
    "compound",
    "curve",
    "distributors",
    "farms",
    "gmx",
    "hop",
    "lending",
    "solidly",
    "spookyswap",
    "staking",
    "uniswap",
];

/// Chains and the truth about them, in the order of answers.
#[derive(Debug)]
pub struct World {
    pub chains: Vec<(Chain, Truth)>,
}

/// A protocol on one of the chains' networks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    pub slug: String,
    pub plugin: &'static str,
    pub network: String,
}

impl World {
    /// Boots a chain of each profile.
    ///
    /// # Errors
    /// Where one does not start.
    pub fn start() -> Result<Self> {
        Self::of(&PROFILES)
    }

    /// Boots the chains of some networks, which are named in the order of answers.
    ///
    /// # Errors
    /// Where one does not start.
    pub fn of(networks: &[&str]) -> Result<Self> {
        let chains = networks.iter().map(|network| boot(network, network));
        Ok(Self { chains: chains.collect::<Result<_>>()? })
    }

    /// Boots the chains with token lists: 5,000 tokens each, and what prices come from.
    ///
    /// # Errors
    /// Where one does not start.
    pub fn listed() -> Result<Self> {
        let chains = LISTED.iter().map(|network| boot(network, &format!("{network}-tokens")));
        Ok(Self { chains: chains.collect::<Result<_>>()? })
    }

    /// A chain by its network.
    ///
    /// # Errors
    /// Where there is none.
    pub fn chain(&self, network: &str) -> Result<&(Chain, Truth)> {
        self.chains.iter().find(|(_, truth)| truth.network == network).with_context(|| format!("no chain {network}"))
    }

    /// The address of an account; the same on all chains.
    ///
    /// # Errors
    /// Where there is no such account.
    pub fn address(&self, who: &str) -> Result<&str> {
        self.chains.first().context("no chain")?.1.address(who)
    }

    /// Every protocol on every network that it is on, in the order of answers.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn placed(&self) -> Result<Vec<Placed>> {
        let mut placed = Vec::new();
        for (_, truth) in &self.chains {
            let mut here = Vec::new();
            for plugin in &PLUGINS {
                let slugs = deployments(truth, plugin)?.into_iter().map(|row| slug_of(&row));
                let at_home = plugin.name == "quickswap" && truth.network == QUICKSWAP_AT_HOME;
                let slugs: BTreeSet<String> =
                    slugs.chain(at_home.then(|| Ok(plugin.name.into()))).collect::<Result<_>>()?;
                let place = |slug| Placed { slug, plugin: plugin.name, network: truth.network.clone() };
                here.extend(slugs.into_iter().map(place));
            }
            here.sort_by(|one, other| one.slug.cmp(&other.slug));
            placed.extend(here);
        }
        Ok(placed)
    }

    /// The protocols, each once, in the order of `/protocols`.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn slugs(&self) -> Result<Vec<String>> {
        let slugs: BTreeSet<String> = self.placed()?.into_iter().map(|placed| placed.slug).collect();
        Ok(slugs.into_iter().collect())
    }

    /// Returns the document that `/protocols` must return.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn protocols(&self) -> Result<Vec<Json>> {
        let placed = self.placed()?;
        let one = |slug: String| {
            let at = placed.iter().find(|placed| placed.slug == slug).context("a protocol is nowhere")?;
            self.chain(&at.network)?.1.protocol(&slug)
        };
        self.slugs()?.into_iter().map(one).collect()
    }

    /// Where a question is answered: of all protocols, or of one.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn requested(&self, question: Question, slug: Option<&str>) -> Result<Vec<Placed>> {
        let answers = |placed: &Placed| {
            let plugin = PLUGINS.iter().find(|plugin| plugin.name == placed.plugin);
            plugin.is_some_and(|plugin| plugin.questions.contains(&question))
                && slug.is_none_or(|slug| slug == placed.slug)
        };
        Ok(self.placed()?.into_iter().filter(answers).collect())
    }

    /// Returns `portolan-blocks` as it is when all networks answered; empty if none is requested.
    ///
    /// # Errors
    /// Where a build wrote no block.
    pub fn pins(&self, question: Question, slug: Option<&str>) -> Result<String> {
        let requested = self.requested(question, slug)?;
        let own =
            self.chains.iter().filter(|(_, truth)| requested.iter().any(|placed| placed.network == truth.network));
        let pins: Vec<String> = own.map(|(_, truth)| truth.pin()).collect::<Result<_>>()?;
        Ok(pins.join(", "))
    }

    /// Returns `portolan-partial` for an account that has a stake in a pool that answers nobody, where what the pool
    /// owes is lost, or something in a token without decimals, where the row or the reward is lost; `None` for others.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn partial(&self, who: &str, question: Question, slug: Option<&str>) -> Result<Option<String>> {
        let mut reported = Vec::new();
        for Placed { slug, network, .. } in self.requested(question, slug)? {
            let truth = &self.chain(&network)?.1;
            let unreadable = !truth.unreadable(who, &slug)?.is_empty();
            let without_decimals = truth.names_unknown_tokens(who, question, &slug)?;
            match question {
                Question::Claimables if unreadable => reported.push(format!("{slug}/{network};reason=plugin-error")),
                Question::Farming if unreadable => reported.push(format!("{slug}/{network};reason=upstream")),
                _ if without_decimals => reported.push(format!("{slug}/{network};reason=upstream")),
                _ => {}
            }
        }
        Ok((!reported.is_empty()).then(|| reported.join(", ")))
    }

    /// All claimables of an account, of all protocols or of one.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn claimables(&self, who: &str, slug: Option<&str>, call: Call) -> Result<Vec<Json>> {
        self.of_all(|truth| truth.claimables(who, slug, call))
    }

    /// The answer of one protocol to a question about an account.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn answer(&self, who: &str, question: Question, slug: &str, detail: Detail) -> Result<Vec<Json>> {
        self.of_all(|truth| match question {
            Question::Claimables => truth.claimables(who, Some(slug), Call::Protocol),
            Question::Farming => truth.farming(who, slug),
            Question::Lending => truth.lending(who, slug, detail),
        })
    }

    fn of_all(&self, rows: impl Fn(&Truth) -> Result<Vec<Json>>) -> Result<Vec<Json>> {
        let rows: Result<Vec<Vec<Json>>> = self.chains.iter().map(|(_, truth)| rows(truth)).collect();
        Ok(rows?.concat())
    }

    /// The settings file of a plugin: a row for whatever stands on the chains and is not shipped.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn settings(&self, plugin: &Plugin) -> Result<String> {
        let (protocols, rows) = self.settings_rows(plugin)?;
        file(plugin.shipped, protocols, rows)
    }

    /// The `[[protocol]]` and the `[[deployment]]` of that file.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn settings_rows(&self, plugin: &Plugin) -> Result<(Vec<Json>, Vec<Json>)> {
        let (mut protocols, mut rows) = (Vec::new(), Vec::new());
        for (_, truth) in &self.chains {
            rows.extend(deployments(truth, plugin)?);
            protocols.extend(section(truth, plugin.name, "protocol")?);
        }
        Ok((protocols, rows))
    }

    /// The rows of a fork of the chains, as those of another protocol that has the same mechanism.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn settings_as(&self, fork: &str, slug: &str) -> Result<(Vec<Json>, Vec<Json>)> {
        let mut rows = Vec::new();
        for (_, truth) in &self.chains {
            for (plugin, _) in truth.settings()? {
                let all = section(truth, plugin, "deployment")?;
                rows.extend(all.into_iter().filter(|row| row.text_at("protocol").is_ok_and(|own| own == fork)));
            }
        }
        let renamed = |row: &Json| {
            let mut members = vec![("protocol".to_owned(), Json::text(slug))];
            members.extend_from_slice(row.without(&["protocol"]).members()?);
            Ok(Json::Object(members))
        };
        Ok((Vec::new(), rows.iter().map(renamed).collect::<Result<_>>()?))
    }

    /// A gateway with these plugins and the prices of all networks, but no endpoints yet.
    ///
    /// # Errors
    /// Where a plugin does not build.
    pub fn with(&self, plugins: &[Plugin]) -> Result<Setup> {
        self.with_built(build::built()?, plugins)
    }

    fn with_built(&self, built: &Built, plugins: &[Plugin]) -> Result<Setup> {
        let placed = self.placed()?;
        let mut setup = Setup::default().config(&self.config()?);
        for plugin in plugins {
            let own = placed.iter().filter(|placed| placed.plugin == plugin.name);
            let slugs: BTreeSet<&str> = own.map(|placed| placed.slug.as_str()).collect();
            let slugs: Vec<&str> = slugs.into_iter().collect();
            setup = setup.plugin(&built.plugin(plugin.file), &slugs).settings(plugin.name, &self.settings(plugin)?);
        }
        Ok(setup)
    }

    /// The part of a configuration that says what tokens are: the chains' own lists and none beside, for lists name
    /// logos; and the static prices of all networks.
    ///
    /// # Errors
    /// Where a build wrote none.
    pub fn config(&self) -> Result<String> {
        let rows: Result<Vec<String>> = self.chains.iter().map(|(_, truth)| truth.price_rows()).collect();
        Ok(format!("{}[prices.static]\n{}", self.token_lists()?, rows?.concat()))
    }

    /// The chains' own token lists and none beside, as a part of a configuration.
    ///
    /// # Errors
    /// Where the chains are not built.
    pub fn token_lists(&self) -> Result<String> {
        let lists: Result<Vec<_>> = self.chains.iter().map(|(chain, _)| chain.token_list()).collect();
        let lists: Vec<PathBuf> = lists?.into_iter().flatten().collect();
        Ok(format!("[tokens]\nshipped = false\nlists = {lists:?}\n\n"))
    }

    /// A gateway with all plugins and the prices of all networks, but no endpoints yet.
    ///
    /// # Errors
    /// Where a plugin does not build.
    pub fn without_endpoints(&self) -> Result<Setup> {
        self.with(&PLUGINS)
    }

    /// A gateway with every plugin there is: those that serve the chains' protocols, and the others as they are
    /// shipped, for their events.
    ///
    /// # Errors
    /// Where a plugin does not build.
    pub fn with_all_plugins(&self) -> Result<Setup> {
        self.with_all_built(build::built()?)
    }

    /// The same with the plugins of this build.
    ///
    /// # Errors
    /// Where a build wrote no prices.
    pub fn with_all_built(&self, built: &Built) -> Result<Setup> {
        let others = build::plugins()?.into_iter().filter(|(name, _)| PLUGINS.iter().all(|own| own.name != name));
        let beside = |setup: Setup, (name, file): (String, String)| {
            let setup = setup.plugin(&built.plugin(&file), &[]);
            if ELSEWHERE.contains(&name.as_str()) { setup.settings(&name, "shipped = false\n") } else { setup }
        };
        Ok(others.fold(self.with_built(built, &PLUGINS)?, beside))
    }

    /// The same with the chains as endpoints.
    ///
    /// # Errors
    /// Where a plugin does not build.
    pub fn setup(&self) -> Result<Setup> {
        Ok(self.on_chains(self.without_endpoints()?))
    }

    /// With the chains as endpoints.
    pub fn on_chains(&self, setup: Setup) -> Setup {
        self.chains.iter().fold(setup, |setup, (chain, truth)| setup.rpc(&truth.network, &chain.url))
    }
}

fn boot(network: &str, profile: &str) -> Result<(Chain, Truth)> {
    let chain = Chain::start(profile)?;
    let truth = Truth::new(network, &chain.expected.to_string())?;
    Ok((chain, truth))
}

/// A settings file of these rows.
///
/// # Errors
/// A row that TOML cannot hold.
pub fn file(shipped: bool, protocols: Vec<Json>, rows: Vec<Json>) -> Result<String> {
    let members =
        [("shipped", Json::Bool(shipped)), ("protocol", Json::Array(protocols)), ("deployment", Json::Array(rows))];
    let file: serde_json::Value = serde_json::from_str(&Json::object(members).to_string())?;
    Ok(toml::to_string(&file)?)
}

/// The rows of a plugin's settings file that place something on a chain.
fn deployments(truth: &Truth, plugin: &Plugin) -> Result<Vec<Json>> {
    let mut rows = section(truth, plugin.name, "deployment")?;
    if plugin.name == "quickswap" && truth.network != QUICKSWAP_AT_HOME {
        let row = |factory: &str| {
            let members = [("protocol", "quickswap"), ("network", truth.network.as_str()), ("factory", factory)];
            Json::object(members.map(|(name, value)| (name, Json::text(value))))
        };
        rows.extend(truth.contract("factory").ok().map(row));
    }
    Ok(rows)
}

fn section(truth: &Truth, plugin: &str, section: &str) -> Result<Vec<Json>> {
    let settings = truth.settings()?.iter().find(|(name, _)| name == plugin);
    let rows = settings.and_then(|(_, settings)| settings.get(section)).map(Json::items).transpose()?;
    Ok(rows.unwrap_or_default().to_vec())
}

fn slug_of(row: &Json) -> Result<String> {
    Ok(row.text_at("protocol")?.to_owned())
}

/// One value for the tests of a file that run at the same time: made by the first, ended with the last.
#[derive(Debug)]
pub struct Shared<T>(Mutex<Weak<T>>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Shared<T> {
    /// Nothing yet.
    pub const fn new() -> Self {
        Self(Mutex::new(Weak::new()))
    }

    /// The value that others hold, or a new one.
    ///
    /// # Errors
    /// Returns the error of `make`.
    pub fn get(&self, make: impl FnOnce() -> Result<T>) -> Result<Arc<T>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = kept.upgrade() {
            return Ok(value);
        }
        let value = Arc::new(make()?);
        *kept = Arc::downgrade(&value);
        Ok(value)
    }
}
