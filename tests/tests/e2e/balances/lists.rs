//! Token lists while the gateway runs: a good one comes into force, a broken one changes nothing but what operators
//! see.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail, ensure};
use portolan_tests::gateway::{Gateway, IN_FORCE_WITHIN, Setup};
use portolan_tests::json::Json;
use portolan_tests::token_list::token_list;
use portolan_tests::wait;
use serde_json::json;
use tempfile::TempDir;

use super::{Fixture, fixture};

/// A gateway with lists of the test's own, on one chain.
struct Own {
    gateway: Gateway,
    list: PathBuf,
    path: String,
    _dir: TempDir,
}

impl Own {
    fn start(fixture: &Fixture, document: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let list = dir.path().join("list.json");
        put(&list, document);
        let config = format!("[tokens]\nshipped = false\nlists = [{list:?}]\nrefresh_s = 1");
        let (chain, _) = fixture.world.chain("ethereum").unwrap();
        let gateway = Setup::default().config(&config).rpc("ethereum", &chain.url).start().unwrap();
        let path = format!("/balance/{}/token-balances", fixture.account("farmer"));
        Self { gateway, list, path, _dir: dir }
    }

    /// The addresses of the answer's tokens.
    fn reported(&self) -> Result<Vec<String>> {
        let response = self.gateway.get(&self.path)?;
        ensure!(response.status == 200, "{}", response.body);
        response.json()?.items()?.iter().map(|row| Ok(row.text_at("token/address")?.to_owned())).collect()
    }

    fn wait_until_reported(&self, tokens: &[&str]) {
        let look = || match self.reported()? {
            reported if reported == tokens => Ok(()),
            reported => bail!("{reported:?} are shown instead of {tokens:?}; {}", self.gateway.log()),
        };
        wait::until("the list", IN_FORCE_WITHIN, look).unwrap();
    }

    /// Returns the list's status, as operators see it.
    fn status(&self) -> Result<Json> {
        Ok(self.gateway.operate("/lists")?.json()?.at("0")?.clone())
    }

    fn wait_until_refused(&self, part: &str) {
        let look = || {
            let status = self.status()?;
            match status.text_at("error") {
                Ok(error) if error.contains(part) => Ok(()),
                _ => bail!("{status} does not contain {part}"),
            }
        };
        wait::until("the refusal", IN_FORCE_WITHIN, look).unwrap();
    }
}

/// Writes a file as a whole, as careful operators do.
fn put(file: &Path, content: &str) {
    let beside = file.with_extension("new");
    fs::write(&beside, content).unwrap();
    fs::rename(beside, file).unwrap();
}

fn list(tokens: &[&str]) -> String {
    let row = |token: &&str| json!({"chainId": 1, "address": token, "name": "Any", "symbol": "ANY", "decimals": 18});
    token_list("Own", &tokens.iter().map(row).collect::<Vec<_>>()).to_string()
}

#[test]
fn a_broken_list_keeps_the_old_one_and_a_good_one_replaces_it() {
    let fixture = fixture();
    let (_, truth) = fixture.world.chain("ethereum").unwrap();
    let held: Vec<&str> = truth.held("farmer").unwrap().into_iter().map(|(token, _)| token).collect();
    let (few, more) = (&held[..2], &held[..5]);
    let own = Own::start(&fixture, &list(few));
    own.wait_until_reported(few);

    put(&own.list, &list(more));
    own.wait_until_reported(more);
    assert_eq!(*own.status().unwrap().at("error").unwrap(), Json::Null);

    let whole = list(&held);
    for (broken, part) in [
        (&whole[..whole.len() / 2], "EOF"),
        (&whole.replacen("\"decimals\":18", "\"decimals\":256", 1), "tokens[0].decimals"),
        (&whole.replacen(held[0], "0x12", 1), "tokens[0].address"),
        ("{\"tokens\":[]}", "name"),
    ] {
        put(&own.list, broken);
        own.wait_until_refused(part);
        assert_eq!(own.reported().unwrap(), more, "{broken:.60}");
    }
    fs::remove_file(&own.list).unwrap();
    own.wait_until_refused("cannot be read");
    assert_eq!(own.reported().unwrap(), more);

    put(&own.list, &whole);
    own.wait_until_reported(&held);
    assert_eq!(*own.status().unwrap().at("error").unwrap(), Json::Null);
}

#[test]
fn a_list_that_was_never_read_is_missing_and_not_empty() {
    let fixture = fixture();
    let own = Own::start(&fixture, "no list");
    let response = own.gateway.get(&own.path).unwrap();
    // Nothing is known, so nothing can be said: an empty answer would be a lie.
    let reported = response.header("portolan-partial").is_some_and(|reported| reported.contains("tokens/"));
    assert!(response.status == 502 || (response.status == 200 && reported), "{response:?}");

    let (_, truth) = fixture.world.chain("ethereum").unwrap();
    let held: Vec<&str> = truth.held("farmer").unwrap().into_iter().map(|(token, _)| token).collect();
    put(&own.list, &list(&held));
    own.wait_until_reported(&held);
}

#[test]
fn tokens_on_no_list_are_never_shown() {
    let fixture = fixture();
    let (_, truth) = fixture.world.chain("ethereum").unwrap();
    let held: Vec<&str> = truth.held("farmer").unwrap().into_iter().map(|(token, _)| token).collect();
    let own = Own::start(&fixture, &list(&held[3..4]));
    own.wait_until_reported(&held[3..4]);
}
