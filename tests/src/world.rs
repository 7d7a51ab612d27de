//! The three chains of the tests, and a gateway that serves `quickswap` on all of them.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use anyhow::{Context as _, Result};

use crate::build;
use crate::chain::Chain;
use crate::gateway::Setup;
use crate::json::Json;
use crate::truth::{Call, Truth};

/// Polygon has the protocol at its real addresses; on the others the settings file names a factory.
const PROFILES: [&str; 3] = ["ethereum", "optimism", "polygon"];

/// Chains and the truth about them, in the order of answers.
#[derive(Debug)]
pub struct World {
    pub chains: Vec<(Chain, Truth)>,
}

impl World {
    /// Boots a chain of each profile.
    ///
    /// # Errors
    /// Where one does not start.
    pub fn start() -> Result<Self> {
        let boot = |profile: &&str| {
            let chain = Chain::start(profile)?;
            let truth = Truth::new(profile, &chain.expected.to_string())?;
            Ok((chain, truth))
        };
        Ok(Self { chains: PROFILES.iter().map(boot).collect::<Result<_>>()? })
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

    /// All claimables of an account.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn claimables(&self, who: &str, call: Call) -> Result<Vec<Json>> {
        let rows: Result<Vec<Vec<Json>>> = self.chains.iter().map(|(_, truth)| truth.claimables(who, call)).collect();
        Ok(rows?.concat())
    }

    /// All farming positions of an account.
    ///
    /// # Errors
    /// Where the chains' values are incomplete.
    pub fn farming(&self, who: &str) -> Result<Vec<Json>> {
        let rows: Result<Vec<Vec<Json>>> = self.chains.iter().map(|(_, truth)| truth.farming(who)).collect();
        Ok(rows?.concat())
    }

    /// What `portolan-blocks` says when all networks answered.
    ///
    /// # Errors
    /// Where a build wrote no block.
    pub fn pins(&self) -> Result<String> {
        let pins: Result<Vec<String>> = self.chains.iter().map(|(_, truth)| truth.pin()).collect();
        Ok(pins?.join(", "))
    }

    /// A gateway with `quickswap` and the prices of all networks, but no endpoints yet.
    ///
    /// # Errors
    /// Where the plugin does not build.
    pub fn without_endpoints(&self) -> Result<Setup> {
        let mut prices = "[prices.static]\n".to_owned();
        let mut settings = String::new();
        for (_, truth) in &self.chains {
            prices.push_str(&truth.price_rows()?);
            if truth.network != "polygon" {
                let (network, factory) = (&truth.network, truth.contract("factory")?);
                settings.push_str(&format!(
                    "[[deployment]]\nprotocol = \"quickswap\"\nnetwork = \"{network}\"\nfactory = \"{factory}\"\n"
                ));
            }
        }
        let plugin = build::built()?.plugin("libquickswap.so");
        Ok(Setup::default().config(&prices).plugin(&plugin, &["quickswap"]).settings("quickswap", &settings))
    }

    /// The same with the chains as endpoints.
    ///
    /// # Errors
    /// Where the plugin does not build.
    pub fn setup(&self) -> Result<Setup> {
        let setup = self.without_endpoints()?;
        Ok(self.chains.iter().fold(setup, |setup, (chain, truth)| setup.rpc(&truth.network, &chain.url)))
    }
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
    /// Of `make`.
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
