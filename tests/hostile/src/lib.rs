//! A plugin of the tests: each of its protocols does one thing that no plugin may do, or that any may meet.
//!
//! Slugs are the names of what they do. `steady` is well-behaved, and shows which build of this dylib answers.

mod claims;
mod constructor;
mod contracts;
mod deeds;
mod escapes;
mod shares;

use portolan_plugin_api::*;

use crate::contracts::{LAIR, QUICK};

/// Networks that the tests have; the protocols stand on the first, `steady` on all.
const POLYGON: u64 = 137;
const NETWORKS: [u64; 3] = [POLYGON, 1, 10];

/// The host of its documents.
const HOST: &str = "merkle.example.org";

/// In no list of networks.
const NOWHERE: u64 = 999_999;

#[derive(Debug)]
struct Hostile {
    deployments: Vec<Deployment<Nothing>>,
}

/// Deployments have no contracts of their own; `greeting` is there for tests of settings.
#[derive(Clone, Debug, Default)]
struct Nothing {
    greeting: Option<String>,
}

impl FromKeys for Nothing {
    fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError> {
        let greeting = keys.text("greeting")?;
        if greeting == Some("rude") {
            return Err(SettingsError::new("is rude").at("greeting"));
        }
        Ok(Self { greeting: greeting.map(str::to_owned) })
    }
}

fn shipped() -> impl Iterator<Item = Deployment<Nothing>> {
    let on = |protocol: &str, network| Deployment::new(protocol, network, Nothing::default());
    let deeds = deeds::SLUGS.iter().chain(shares::SLUGS).copied().chain(escapes::slugs());
    let deeds = deeds.map(move |slug| on(slug, POLYGON));
    deeds.chain(NETWORKS.map(|network| on("steady", network))).chain([on("steady", NOWHERE)])
}

fn protocol(slug: &str) -> Protocol {
    let protocol = Protocol::new(slug, &slug.to_ascii_uppercase(), "https://hostile.example", &["FARMING"]);
    protocol.company(Company::new("Hostile"))
}

impl Plugin for Hostile {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        Ok(Self { deployments: settings.deployments(shipped())? })
    }

    fn catalogue(&self) -> Catalogue {
        let mut slugs: Vec<&str> = self.deployments.iter().map(|row| row.protocol.as_str()).collect();
        slugs.sort_unstable();
        slugs.dedup();
        let served = |row: &Deployment<Nothing>| {
            let questions = [Question::CLAIMABLES, Question::FARMING, Question::COMPOSITION];
            let answered = if shares::SLUGS.contains(&row.protocol.as_str()) { 3 } else { 2 };
            row.served(&questions[..answered], [LAIR, QUICK])
        };
        Catalogue {
            protocols: slugs.into_iter().map(protocol).collect(),
            deployments: self.deployments.iter().map(served).collect(),
            claims: claims::templates(),
            hosts: Some(vec![HOST.to_owned()]),
            ..Catalogue::default()
        }
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        let greeting = self.deployments.iter().find_map(|row| row.mechanism.greeting.as_deref());
        deeds::claimables(cx, account, greeting.unwrap_or("hello")).await
    }

    async fn farming(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        deeds::farming(cx, account).await
    }

    async fn compositions(&self, cx: &JobContext, tokens: &[Address]) -> Result<Vec<Composition>, Error> {
        Ok(shares::compositions(cx, tokens))
    }
}

portolan_plugin_api::export!(Hostile);
