//! Valid and refused contents of `[signatures]`.

use portolan_plugins::signature::SignatureSettings;

use super::*;
use crate::cli::Flags;
use crate::config::file::ConfigFile;
use crate::config::{Config, Environment};

/// The public key of minisign's own releases, from its documentation.
const KEY: &str = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";

fn read_text(text: &str, environment: &Environment) -> Result<SignatureSettings, String> {
    let text = format!("[signatures]\n{}", text.replace("[keys.", "[signatures.keys."));
    let document = ConfigFile::parse("p.toml", &text).map_err(|error| error.to_string())?;
    let config = Config::merge(&Flags::default(), environment, document).map_err(|error| error.to_string())?;
    Ok(config.gateway.signatures)
}

fn refusal(text: &str) -> String {
    read_text(text, &Environment::default()).unwrap_err()
}

#[test]
fn keys_have_what_they_may_sign_for_and_until_when() {
    let text = format!(
        "mode = \"require\"\nrevoked_builds = [\"{}\"]\n[keys.acme]\nkey = \"{KEY}\"\nslugs = [\"acme\", \"acme_v2\"]\n\
         until = \"1970-01-02T00:00:00Z\"\nrevoked = true",
        "AB".repeat(32)
    );
    let settings = read_text(&text, &Environment::default()).unwrap();
    let key = TrustedKey {
        name: "acme".into(),
        key: PublicKey::from_base64(KEY).unwrap(),
        slugs: Some(["acme".to_owned(), "acme_v2".to_owned()].into()),
        plugins: Some(["acme".to_owned(), "acme-v2".to_owned()].into()),
        until: Some(86_400),
        is_revoked: true,
    };
    let revoked_builds = [Digest::of_test(0xab)].into();
    assert_eq!(settings, SignatureSettings { mode: SignatureMode::Require, keys: vec![key], revoked_builds });
}

#[test]
fn a_key_signs_the_plugins_that_it_lists_else_those_of_its_protocols() {
    let plugins = |rows: &str| {
        let settings = read_text(&format!("[keys.acme]\nkey = \"{KEY}\"\n{rows}"), &Environment::default()).unwrap();
        settings.keys[0].plugins.clone().map(|plugins| plugins.into_iter().collect::<Vec<_>>())
    };
    assert_eq!(plugins("slugs = [\"*\"]"), None);
    assert_eq!(plugins("slugs = [\"acme_v2\"]"), Some(vec!["acme-v2".to_owned()]));
    assert_eq!(plugins("slugs = [\"acme_v2\"]\nplugins = [\"farms\"]"), Some(vec!["farms".to_owned()]));
    assert_eq!(plugins("slugs = [\"*\"]\nplugins = [\"farms\"]"), Some(vec!["farms".to_owned()]));
}

#[test]
fn signatures_are_off_unless_the_file_or_the_environment_says_otherwise() {
    let file = format!("[keys.acme]\nkey = \"{KEY}\"\nslugs = [\"*\"]");
    let off = read_text(&file, &Environment::default()).unwrap();
    assert_eq!((off.mode, off.keys[0].slugs.as_ref()), (SignatureMode::Off, None));
    let environment = Environment::from([("PORTOLAN_SIGNATURES_MODE", "warn")]);
    assert_eq!(read_text(&file, &environment).unwrap().mode, SignatureMode::Warn);
}

#[test]
fn what_is_wrong_is_named() {
    let key = format!("key = \"{KEY}\"");
    let cases = [
        ("mode = \"on\"".to_owned(), "p.toml: signatures.mode: on is not one of off, warn and require"),
        ("mode = \"require\"".to_owned(), "p.toml: signatures.keys: names no key, and signatures are required"),
        (
            "[keys.Acme]\nkey = \"\"\nslugs = [\"*\"]".to_owned(),
            "p.toml: signatures.keys.Acme: is not in lower-case words joined by hyphens",
        ),
        (
            "[keys.acme]\nkey = \"RWQf\"\nslugs = [\"*\"]".to_owned(),
            "p.toml: signatures.keys.acme.key: is not a minisign public key: use the second line of minisign.pub",
        ),
        (
            format!("[keys.acme]\n{key}\nslugs = [\"*\"]\n[keys.beta]\n{key}\nslugs = [\"*\"]"),
            "p.toml: signatures.keys.beta.key: is the key acme too",
        ),
        (
            format!("[keys.acme]\n{key}\nslugs = []"),
            "p.toml: signatures.keys.acme.slugs: names no protocol; [\"*\"] is for all",
        ),
        (
            format!("[keys.acme]\n{key}\nslugs = [\"acme\", \"*\"]"),
            "p.toml: signatures.keys.acme.slugs: has \"*\" beside protocols",
        ),
        (
            format!("[keys.acme]\n{key}\nslugs = [\"*\"]\nuntil = \"tomorrow\""),
            "p.toml: signatures.keys.acme.until: tomorrow is not a time, for example 2027-01-01T00:00:00Z",
        ),
        (
            format!("[keys.acme]\n{key}\nslugs = [\"acme\"]\nplugins = [\"Acme\"]"),
            "p.toml: signatures.keys.acme.plugins: Acme is not in lower-case words joined by hyphens",
        ),
        ("revoked_builds = [\"12\"]".to_owned(), "p.toml: signatures.revoked_builds: 12 is not a SHA-256 in hex"),
        (format!("[keys.acme]\n{key}"), "p.toml, line 2: signatures.keys.acme: missing field `slugs`"),
        (
            "key = 1".to_owned(),
            "p.toml, line 2: signatures.key: unknown field `key`, expected one of `mode`, `revoked_builds`, `keys`",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(refusal(&text), expected, "{text}");
    }
}
