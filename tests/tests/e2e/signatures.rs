//! Plugins that authors sign and operators trust: what is not signed by a trusted key is refused with its reason, in
//! whichever order files come, and so is what is signed no longer, for other protocols, or for an older version.

use std::fs;
use std::io::Cursor;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, ensure};
use minisign::KeyPair;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::dylib::Dylib;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::wait;
use portolan_tests::world::Shared;
use sha2::{Digest as _, Sha256};

const DYLIB: &str = "libportolan_hostile.so";
const MANIFEST: &str = "libportolan_hostile.manifest";
const SIGNATURE: &str = "libportolan_hostile.manifest.minisig";
const NAME: &str = "portolan-hostile";
const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/// For whatever a gateway does by itself, on a busy machine too.
const SOON: Duration = Duration::from_secs(20);

/// So long a key lasts that ends in a test: a build comes in force within two seconds.
const KEY_FOR: Duration = Duration::from_secs(12);

static CHAIN: Shared<Chain> = Shared::new();
static WHOLE: LazyLock<KeyPair> = LazyLock::new(key);
static NARROW: LazyLock<KeyPair> = LazyLock::new(key);
static ENDED: LazyLock<KeyPair> = LazyLock::new(key);
static REVOKED: LazyLock<KeyPair> = LazyLock::new(key);
static UNKNOWN: LazyLock<KeyPair> = LazyLock::new(key);

fn key() -> KeyPair {
    KeyPair::generate_unencrypted_keypair().unwrap()
}

/// The bytes of the tests' plugin of the version `1.0.<number>`.
fn dylib(number: u32) -> Vec<u8> {
    Dylib::read(&build::built().unwrap().plugin(DYLIB)).unwrap().as_build(number).unwrap()
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The protocols that the tests' plugin serves.
fn slugs() -> &'static [String] {
    static SLUGS: LazyLock<Vec<String>> = LazyLock::new(|| {
        let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
        let setup =
            Setup::default().rpc("polygon", &chain.url).plugin(&build::built().unwrap().plugin(DYLIB), &["steady"]);
        let gateway = setup.start().unwrap();
        let row = gateway.plugins().unwrap().remove(0);
        assert_eq!(row.at("signature").unwrap(), &Json::Null, "signatures are off");
        let protocols = row.at("protocols").unwrap().items().unwrap().to_vec();
        protocols
            .into_iter()
            .map(|slug| match slug {
                Json::Text(slug) => slug,
                other => panic!("{other} is not a slug"),
            })
            .collect()
    });
    &SLUGS
}

fn manifest(number: u32, slugs: &[String], digest: &str) -> String {
    format!("name = \"{NAME}\"\nversion = \"1.0.{number}\"\nslugs = {slugs:?}\nsha256 = \"{digest}\"\n")
}

fn sign(key: &KeyPair, text: &str) -> String {
    minisign::sign(None, &key.sk, Cursor::new(text), None, None).unwrap().into_string()
}

/// Returns the configuration of an operator who trusts the keys above.
fn trusting(mode: &str, revoked_build: &str) -> String {
    let row = |name: &str, key: &KeyPair, rest: &str| {
        format!("[signatures.keys.{name}]\nkey = \"{}\"\n{rest}\n", key.pk.to_base64())
    };
    let rows = [
        row("whole", &WHOLE, "slugs = [\"*\"]"),
        row("narrow", &NARROW, "slugs = [\"steady\"]"),
        row("ended", &ENDED, "slugs = [\"*\"]\nuntil = \"2020-01-01T00:00:00Z\""),
        row("revoked", &REVOKED, "slugs = [\"*\"]\nrevoked = true"),
    ];
    format!("[signatures]\nmode = \"{mode}\"\nrevoked_builds = [\"{revoked_build}\"]\n{}", rows.concat())
}

/// A gateway without plugins.
fn start(mode: &str) -> (Arc<Chain>, Gateway) {
    let chain = CHAIN.get(|| Chain::start("polygon")).unwrap();
    let config = trusting(mode, &sha256(&dylib(800)));
    let gateway = Setup::default().rpc("polygon", &chain.url).config(&config).start().unwrap();
    (chain, gateway)
}

/// Puts a build with its manifest and signature into the folder.
fn drop_signed(gateway: &Gateway, number: u32, key: &KeyPair) {
    let bytes = dylib(number);
    let text = manifest(number, slugs(), &sha256(&bytes));
    drop_all(gateway, &bytes, &text, &sign(key, &text));
}

fn drop_all(gateway: &Gateway, bytes: &[u8], manifest: &str, signature: &str) {
    gateway.drop_in(MANIFEST, manifest.as_bytes()).unwrap();
    gateway.drop_in(SIGNATURE, signature.as_bytes()).unwrap();
    gateway.drop_in(DYLIB, bytes).unwrap();
}

/// The row of a version that is in this state.
fn row(gateway: &Gateway, number: u32, state: &str) -> Result<Json> {
    let (rows, version) = (gateway.plugins()?, format!("1.0.{number}"));
    let is_meant = |row: &&Json| {
        row.text_at("version").is_ok_and(|own| own == version) && row.text_at("state").is_ok_and(|own| own == state)
    };
    rows.iter().find(is_meant).cloned().with_context(|| format!("no row of {version} is {state}: {rows:?}"))
}

fn soon<T>(gateway: &Gateway, what: &str, look: impl FnMut() -> Result<T>) -> T {
    wait::until(what, SOON, look).with_context(|| gateway.log()).unwrap().0
}

/// Waits until the version answers, signed by the key of this name.
fn serves(gateway: &Gateway, number: u32, key: &str) {
    soon(gateway, "the answer", || {
        let answer = gateway.get(&format!("/steady/{ACCOUNT}/claimables?detail=full"))?;
        ensure!(answer.status == 200, "{answer:?}");
        let items = answer.json()?.at("items")?.items()?.to_vec();
        let label = items.first().context("no rows")?.text_at("plugin")?.to_owned();
        ensure!(label == format!("{NAME}@1.0.{number}"), "{label} answers");
        let row = row(gateway, number, "active")?;
        let signature = row.at("signature")?;
        ensure!(signature.text_at("signedBy")? == key && *signature.at("wouldBeRefused")? == Json::Null, "{row}");
        Ok(())
    });
}

/// Waits until the version is refused, and returns why.
fn refused(gateway: &Gateway, number: u32, state: &str, reason: &str) {
    soon(gateway, reason, || {
        let row = row(gateway, number, state)?;
        let told = row.text_at("reason")?;
        ensure!(told.contains(reason), "{told}");
        Ok(())
    });
}

#[test]
fn what_no_trusted_key_signed_is_refused_and_says_why() {
    let (_chain, gateway) = start("require");
    drop_signed(&gateway, 100, &WHOLE);
    serves(&gateway, 100, "whole");
    let refusals = [
        (200, &UNKNOWN, "rejected", "is signed with a key that the configuration does not have"),
        (300, &NARROW, "rejected", "the key narrow may not sign for the protocol "),
        (400, &ENDED, "rejected", "it is signed with the key ended, which ended at 2020-01-01T00:00:00Z"),
        (500, &REVOKED, "rejected", "it is signed with the key revoked, which is revoked"),
        (800, &WHOLE, "quarantined", "its build is revoked by [signatures] of the configuration"),
    ];
    for (number, key, state, reason) in refusals {
        drop_signed(&gateway, number, key);
        refused(&gateway, number, state, reason);
    }
    let bytes = dylib(600);
    let text = manifest(600, &slugs()[1..], &sha256(&bytes));
    drop_all(&gateway, &bytes, &text, &sign(&WHOLE, &text));
    let unlisted = format!("it serves the protocol {}, which is not in the manifest that is signed", slugs()[0]);
    refused(&gateway, 600, "rejected", &unlisted);
    let (changed, text) = (dylib(701), manifest(701, slugs(), &sha256(&dylib(700))));
    drop_all(&gateway, &changed, &text, &sign(&WHOLE, &text));
    refused(&gateway, 701, "rejected", "the manifest that is signed is about another build");
    // A manifest that was changed after it was signed.
    let text = manifest(701, slugs(), &sha256(&changed));
    gateway.drop_in(MANIFEST, text.as_bytes()).unwrap();
    refused(&gateway, 701, "rejected", "is not what the key whole signed");
    gateway.take_out(SIGNATURE).unwrap();
    refused(&gateway, 701, "rejected", &format!("it is not signed: {SIGNATURE} is missing"));
    // Lines are written behind what they tell.
    soon(&gateway, "the log to say it", || {
        let is_told = |line: &str| line.contains("WARN") && line.contains("it is not signed");
        ensure!(gateway.log().lines().any(is_told), "no such line");
        Ok(())
    });
    serves(&gateway, 100, "whole");
}

#[test]
fn a_build_in_force_is_judged_again_when_the_key_that_signed_it_ends() {
    let (chain, _built) = (CHAIN.get(|| Chain::start("polygon")).unwrap(), slugs());
    for mode in ["require", "warn"] {
        let (lasting, ending) = (key(), key());
        let end = SystemTime::now() + KEY_FOR;
        let (until, lasts) = (humantime::format_rfc3339_seconds(end), lasting.pk.to_base64());
        let config = format!(
            "[signatures]\nmode = \"{mode}\"\n[signatures.keys.lasting]\nkey = \"{lasts}\"\nslugs = [\"*\"]\n\
             [signatures.keys.ending]\nkey = \"{}\"\nslugs = [\"*\"]\nuntil = \"{until}\"\n",
            ending.pk.to_base64()
        );
        let gateway = Setup::default().rpc("polygon", &chain.url).config(&config).start().unwrap();
        drop_signed(&gateway, 100, &lasting);
        serves(&gateway, 100, "lasting");
        drop_signed(&gateway, 200, &ending);
        serves(&gateway, 200, "ending");
        assert!(SystemTime::now() < end, "the machine was too slow for this test");
        let reason = format!("it is signed with the key ending, which ended at {until}");
        if mode == "warn" {
            soon(&gateway, "the warning", || {
                let row = row(&gateway, 200, "active")?;
                ensure!(row.at("signature")?.text_at("wouldBeRefused")? == reason, "{row}");
                Ok(())
            });
            continue;
        }
        // The build that was in force before is in force again: the key that signed it lasts.
        refused(&gateway, 200, "rejected", &reason);
        serves(&gateway, 100, "lasting");
        let log = gateway.log();
        assert!(log.lines().any(|line| line.contains("WARN") && line.contains(&reason)), "{log}");
        // Signed anew it is served again.
        drop_signed(&gateway, 200, &lasting);
        serves(&gateway, 200, "lasting");
    }
}

#[test]
fn a_build_whose_key_has_ended_is_served_no_more_where_there_is_no_other() {
    let (chain, _built) = (CHAIN.get(|| Chain::start("polygon")).unwrap(), slugs());
    let (ending, end) = (key(), SystemTime::now() + KEY_FOR);
    let (until, public) = (humantime::format_rfc3339_seconds(end), ending.pk.to_base64());
    let config = format!(
        "[signatures]\nmode = \"require\"\n[signatures.keys.ending]\nkey = \"{public}\"\nslugs = [\"*\"]\nuntil = \"{until}\""
    );
    let gateway = Setup::default().rpc("polygon", &chain.url).config(&config).start().unwrap();
    drop_signed(&gateway, 100, &ending);
    serves(&gateway, 100, "ending");
    let reason = format!("it is signed with the key ending, which ended at {until}");
    refused(&gateway, 100, "rejected", &reason);
    soon(&gateway, "no answer", || {
        let answer = gateway.get(&format!("/steady/{ACCOUNT}/claimables"))?;
        ensure!(answer.status == 503, "{answer:?}");
        Ok(())
    });
    let log = gateway.log();
    assert!(log.lines().any(|line| line.contains("a plugin is in force no more") && line.contains("ended")), "{log}");
}

#[test]
fn files_may_come_in_any_order() {
    let (_chain, gateway) = start("require");
    let bytes = dylib(100);
    let text = manifest(100, slugs(), &sha256(&bytes));
    gateway.drop_in(DYLIB, &bytes).unwrap();
    refused(&gateway, 100, "rejected", &format!("{MANIFEST} is missing"));
    let unserved = gateway.get(&format!("/steady/{ACCOUNT}/claimables")).unwrap();
    assert!([404, 503].contains(&unserved.status.as_u16()), "{unserved:?}");
    gateway.drop_in(MANIFEST, text.as_bytes()).unwrap();
    refused(&gateway, 100, "rejected", &format!("{SIGNATURE} is missing"));
    gateway.drop_in(SIGNATURE, sign(&WHOLE, &text).as_bytes()).unwrap();
    serves(&gateway, 100, "whole");

    let bytes = dylib(200);
    let text = manifest(200, slugs(), &sha256(&bytes));
    gateway.drop_in(SIGNATURE, sign(&WHOLE, &text).as_bytes()).unwrap();
    gateway.drop_in(MANIFEST, text.as_bytes()).unwrap();
    refused(&gateway, 100, "rejected", "the manifest that is signed is about another build");
    serves(&gateway, 100, "whole");
    gateway.drop_in(DYLIB, &bytes).unwrap();
    serves(&gateway, 200, "whole");
}

#[test]
fn an_older_version_is_refused_after_a_restart_too_unless_it_is_pinned() {
    let (_chain, mut gateway) = start("require");
    drop_signed(&gateway, 200, &WHOLE);
    serves(&gateway, 200, "whole");
    drop_signed(&gateway, 100, &WHOLE);
    let downgrade = "its version 1.0.100 is older than 1.0.200, which was served";
    refused(&gateway, 100, "rejected", downgrade);
    serves(&gateway, 200, "whole");
    gateway.known_good_has(&[NAME]).unwrap();
    gateway.kill_and_restart(&["steady".to_owned()], |_| Ok(())).unwrap();
    refused(&gateway, 100, "rejected", downgrade);
    serves(&gateway, 200, "whole");

    let mut pin = Command::new(build::built().unwrap().host());
    pin.args(["plugin", "pin", NAME, &sha256(&dylib(100)), "--config"]);
    pin.arg(gateway.plugins_dir().with_file_name("portolan.toml"));
    let pinned = pin.arg("--state").arg(gateway.plugins_dir().with_file_name("state")).output().unwrap();
    assert!(pinned.status.success(), "{pinned:?}");
    serves(&gateway, 100, "whole");

    let damage = |state: &Path| Ok(fs::write(state.join("plugin-versions.json"), "{")?);
    let unread = format!("{:#}", gateway.kill_and_relaunch(damage).unwrap_err());
    assert!(unread.contains("plugin-versions.json: EOF while parsing"), "{unread}");
}

#[test]
fn a_warning_serves_and_says_what_would_be_refused() {
    let (_chain, gateway) = start("warn");
    let bytes = dylib(100);
    let text = manifest(100, slugs(), &sha256(&bytes));
    gateway.drop_in(DYLIB, &bytes).unwrap();
    let reason = format!("it is not signed: {MANIFEST} is missing");
    let row = soon(&gateway, "the plugin", || row(&gateway, 100, "active"));
    let signature = row.at("signature").unwrap();
    assert_eq!(signature.at("signedBy").unwrap(), &Json::Null, "{row}");
    assert_eq!(signature.text_at("wouldBeRefused").unwrap(), reason);
    assert_eq!(row.at("reason").unwrap(), &Json::Null, "{row}");
    assert_eq!(gateway.get(&format!("/steady/{ACCOUNT}/claimables")).unwrap().status, 200);
    let log = gateway.log();
    assert!(log.lines().any(|line| line.contains("WARN") && line.contains(&reason)), "{log}");
    gateway.drop_in(MANIFEST, text.as_bytes()).unwrap();
    gateway.drop_in(SIGNATURE, sign(&WHOLE, &text).as_bytes()).unwrap();
    serves(&gateway, 100, "whole");
}

#[test]
fn what_is_kept_of_a_signed_build_is_served_until_its_key_is_revoked() {
    let (_chain, mut gateway) = start("require");
    drop_signed(&gateway, 100, &WHOLE);
    serves(&gateway, 100, "whole");
    let plugins = gateway.plugins_dir();
    // The build is damaged, and what vouched for it is gone.
    let damage = |_: &Path| {
        fs::remove_file(plugins.join(MANIFEST))?;
        Ok(fs::write(plugins.join(DYLIB), "no dylib")?)
    };
    gateway.known_good_has(&[NAME]).unwrap();
    gateway.kill_and_restart(&["steady".to_owned()], damage).unwrap();
    serves(&gateway, 100, "whole");
    let revoke = |state: &Path| {
        let file = state.with_file_name("portolan.toml");
        let text = fs::read_to_string(&file)?;
        let trusted = format!("key = \"{}\"", WHOLE.pk.to_base64());
        ensure!(text.contains(&trusted), "{text}");
        Ok(fs::write(file, text.replace(&trusted, &format!("{trusted}\nrevoked = true")))?)
    };
    gateway.kill_and_restart(&[], revoke).unwrap();
    let unavailable = gateway.get(&format!("/steady/{ACCOUNT}/claimables")).unwrap();
    assert_eq!(unavailable.status, 503, "{unavailable:?}");
    let log = gateway.log();
    assert!(log.contains("it is signed with the key whole, which is revoked"), "{log}");
}
