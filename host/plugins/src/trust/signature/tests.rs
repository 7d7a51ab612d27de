//! Requirements on the files beside a build, tested with keys and signatures of minisign.

use std::io::Cursor;

use minisign::KeyPair;

use super::*;

const SLUGS: &str = "[\"acme\", \"acme_v2\"]";
const NOW: u64 = 1_000;

fn own() -> Manifest {
    let json = r#"{"plugin":"acme","version":"1.2.0","abi":"1.0.0","apiRev":5,"frames":[1],"panic":"unwind"}"#;
    Manifest::parse(json).unwrap()
}

fn digest() -> Digest {
    Digest::of_test(1)
}

fn manifest(name: &str, version: &str, slugs: &str, digest: Digest) -> String {
    format!("name = \"{name}\"\nversion = \"{version}\"\nslugs = {slugs}\nsha256 = \"{digest}\"\n")
}

fn sound() -> String {
    manifest("acme", "1.2.0", SLUGS, digest())
}

fn signed_by(pair: &KeyPair, manifest: &str) -> SignatureFiles {
    let signature = minisign::sign(None, &pair.sk, Cursor::new(manifest), Some("by a test"), None).unwrap();
    SignatureFiles { file: "libacme.manifest".into(), manifest: manifest.into(), signature: signature.into_string() }
}

fn pair() -> KeyPair {
    KeyPair::generate_unencrypted_keypair().unwrap()
}

fn trusted(pair: &KeyPair) -> TrustedKey {
    let key = PublicKey::from_base64(&pair.pk.to_base64()).unwrap();
    TrustedKey { name: "of-acme".into(), key, slugs: None, plugins: None, until: None, is_revoked: false }
}

fn signed_with(key: &str, slug: &str) -> Signed {
    Signed { key: key.into(), slugs: [slug.into()].into(), until: None }
}

fn signatures(mode: SignatureMode, keys: Vec<TrustedKey>) -> Signatures {
    let settings = SignatureSettings { mode, keys, ..SignatureSettings::default() };
    Signatures { settings, seen: SeenVersions::default() }
}

fn refusal(key: TrustedKey, files: &SignatureFiles) -> String {
    let signatures = signatures(SignatureMode::Require, vec![key]);
    signatures.verify(digest(), &own(), files, NOW).unwrap_err().to_string()
}

#[test]
fn a_build_that_a_trusted_key_signed_is_taken_with_the_keys_name() {
    let (other, pair) = (pair(), pair());
    let other = TrustedKey { name: "of-another".into(), ..trusted(&other) };
    let key =
        TrustedKey { slugs: Some(["acme".into(), "acme_v2".into()].into()), until: Some(NOW + 1), ..trusted(&pair) };
    let signatures = signatures(SignatureMode::Require, vec![other, key]);
    let files = signed_by(&pair, &sound());
    let signed = signatures.verify(digest(), &own(), &files, NOW).unwrap();
    assert_eq!((signed.key.as_str(), signed.slugs), ("of-acme", ["acme".into(), "acme_v2".into()].into()));
}

/// Made with minisign 0.11: `minisign -G -W`, `minisign -Sm libaelin.manifest`, for a file with `x` and a line feed.
#[test]
fn a_signature_of_the_standard_tool_is_taken() {
    let key = PublicKey::from_base64("RWT5dBfeInynSzpbhDowB1N/o2bqcqJY/bbU3BIOFvQCe9G4PGe40gp/").unwrap();
    let key = TrustedKey { name: "of-aelin".into(), key, slugs: None, plugins: None, until: None, is_revoked: false };
    let digest = "73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac".to_owned();
    let files = SignatureFiles {
        file: "libaelin.manifest".into(),
        manifest: format!("name = \"aelin\"\nversion = \"0.1.0\"\nslugs = [\"aelin\"]\nsha256 = \"{digest}\"\n"),
        signature: "untrusted comment: signature from minisign secret key\n\
            RUT5dBfeInynS+alj6kJNo+IWpgPKZ0fcdYzHQJjNvc+t953/hFDymNI4Bs+fK/2s0qB5B87T8NqBjZQ/MelRfkA//6acS5hRAo=\n\
            trusted comment: timestamp:1795600481\tfile:libaelin.manifest\thashed\n\
            CUxnPo2fS8+vDndDqFwhbzv9BKnlyox/8BEhEz2aUZrEcX8Wz8z8EOl9I2d6GJGPX2wxqFG0Dr9FWhIH2brQCA==\n"
            .into(),
    };
    let own = Manifest { plugin: "aelin".into(), version: "0.1.0".into(), ..own() };
    let signatures = signatures(SignatureMode::Require, vec![key]);
    let signed = signatures.verify(Digest::try_from(digest).unwrap(), &own, &files, NOW);
    assert_eq!(signed, Ok(signed_with("of-aelin", "aelin")));
}

#[test]
fn a_key_that_is_unknown_revoked_over_or_of_another_protocol_signs_for_nothing() {
    let pair = pair();
    let files = signed_by(&pair, &sound());
    let of = |key: TrustedKey| refusal(key, &files);
    assert_eq!(
        of(trusted(&self::pair())),
        "libacme.manifest is signed with a key that the configuration does not have"
    );
    let revoked = TrustedKey { is_revoked: true, ..trusted(&pair) };
    assert_eq!(of(revoked), "it is signed with the key of-acme, which is revoked");
    let over = TrustedKey { until: Some(NOW), ..trusted(&pair) };
    assert_eq!(of(over), "it is signed with the key of-acme, which ended at 1970-01-01T00:16:40Z");
    let narrow = TrustedKey { slugs: Some(["acme".into()].into()), ..trusted(&pair) };
    assert_eq!(of(narrow), "the key of-acme may not sign for the protocol acme_v2");
    let of_another = TrustedKey { plugins: Some(["another".into()].into()), ..trusted(&pair) };
    let name_scope =
        "the key of-acme may not sign for a plugin of the name acme; `plugins` of the key names those that it may";
    assert_eq!(of(of_another), name_scope);
}

#[test]
fn not_a_byte_of_a_manifest_or_its_signature_may_be_another() {
    let pair = pair();
    let files = signed_by(&pair, &sound());
    let of = |files: SignatureFiles| refusal(trusted(&pair), &files);
    let added = SignatureFiles { manifest: files.manifest.clone() + "\n", ..files.clone() };
    let wrong = "libacme.manifest is not what the key of-acme signed: The signature verification failed";
    assert_eq!(of(added), wrong);
    // The trusted comment is signed too.
    let comment = SignatureFiles { signature: files.signature.replace("by a test", "by others"), ..files.clone() };
    assert_eq!(of(comment), wrong);
    for signature in ["", "untrusted comment: none\nAAAA\n", &files.signature[..files.signature.len() / 2]] {
        let malformed = of(SignatureFiles { signature: signature.into(), ..files.clone() });
        assert!(malformed.starts_with("libacme.manifest.minisig is not a minisign signature: "), "{malformed}");
    }
}

#[test]
fn a_manifest_is_about_one_build_and_says_nothing_else() {
    let pair = pair();
    let of = |manifest: &str| refusal(trusted(&pair), &signed_by(&pair, manifest));
    let other = manifest("acme", "1.2.0", SLUGS, Digest::of_test(2));
    let about_another = "the manifest that is signed is about another build, of the SHA-256 0202";
    assert!(of(&other).starts_with(about_another), "{}", of(&other));
    for (name, version) in [("acme", "1.2.1"), ("other", "1.2.0")] {
        let about =
            format!("the manifest that is signed is about {name}@{version}, and the build says that it is acme@1.2.0");
        assert_eq!(of(&manifest(name, version, SLUGS, digest())), about);
    }
    for malformed in ["", "name = 1", &(sound() + "more = 1\n"), &sound().replace("sha256", "sha1")] {
        let reason = of(malformed);
        assert!(reason.starts_with("libacme.manifest: ") && !reason.contains('\n'), "{reason}");
    }
}

#[test]
fn a_version_that_is_a_downgrade_is_refused_unless_it_is_allowed() {
    let pair = pair();
    let signatures = signatures(SignatureMode::Require, vec![trusted(&pair)]);
    let files = signed_by(&pair, &sound());
    let judged = |downgrade| signatures.judge(digest(), &own(), Ok(&files), downgrade).map_err(|it| it.to_string());
    let first = judged(Downgrade::Refused).unwrap();
    let newer = Manifest { version: "1.3.0".into(), ..own() };
    signatures.note(&first, &newer);
    let downgrade = "its version 1.2.0 is older than 1.3.0, which was served: pin the build to load it anyway";
    assert_eq!(judged(Downgrade::Refused), Err(downgrade.into()));
    assert_eq!(judged(Downgrade::Allowed), Ok(first));
}

#[test]
fn warnings_are_what_the_refusals_would_be_and_what_is_unsigned_counts_for_no_version() {
    let missing = || Err(SignatureError::Missing("libacme.manifest".into()));
    let judged = |mode| signatures(mode, Vec::new()).judge(digest(), &own(), missing(), Downgrade::Refused);
    let (catalogue, settings) = (Catalogue::default(), Settings::default());
    assert_eq!(judged(SignatureMode::Off).unwrap().check(&catalogue, &settings), Ok(None));
    let refused = judged(SignatureMode::Require).unwrap_err().to_string();
    assert_eq!(refused, "it is not signed: libacme.manifest is missing");
    let warned = judged(SignatureMode::Warn).unwrap();
    let status = SignatureStatus { signed_by: None, would_be_refused: Some(refused) };
    assert_eq!(warned.check(&catalogue, &settings), Ok(Some(status)));
    let signatures = signatures(SignatureMode::Warn, Vec::new());
    signatures.note(&warned, &own());
    assert_eq!(signatures.seen.check("acme", "own", "0.1.0"), Ok(()));
}

#[test]
fn a_catalogue_has_what_was_signed_for_and_what_the_operators_own_settings_add() {
    let protocol = |slug: &str| portolan_abi::map::Protocol { slug: slug.into(), ..Default::default() };
    let catalogue = Catalogue { protocols: vec![protocol("acme"), protocol("fork")], ..Catalogue::default() };
    let signed = |mode| BuildSignature { mode, signed: Some(signed_with("of-acme", "acme")), objection: None };
    let unlisted = "it serves the protocol fork, which is not in the manifest that is signed";
    let required = signed(SignatureMode::Require).check(&catalogue, &Settings::default());
    assert_eq!(required.unwrap_err().to_string(), unlisted);
    let warned = signed(SignatureMode::Warn).check(&catalogue, &Settings::default()).unwrap().unwrap();
    assert_eq!((warned.signed_by.as_deref(), warned.would_be_refused.as_deref()), (Some("of-acme"), Some(unlisted)));
    let settings = Settings { protocols: vec![protocol("fork")], ..Settings::default() };
    let status = SignatureStatus { signed_by: Some("of-acme".into()), would_be_refused: None };
    assert_eq!(signed(SignatureMode::Require).check(&catalogue, &settings), Ok(Some(status)));
}

#[test]
fn the_files_are_found_by_the_dylibs_name_and_bounded() {
    let folder = tempfile::tempdir().unwrap();
    let dylib = folder.path().join("libacme.so");
    let read = || SignatureFiles::read(&dylib, TrustedOwners::of_process(None)).map_err(|error| error.to_string());
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    assert_eq!(read(), Err("it is not signed: libacme.manifest is missing".into()));
    write("libacme.manifest", "m");
    assert_eq!(read(), Err("it is not signed: libacme.manifest.minisig is missing".into()));
    write("libacme.manifest.minisig", "s");
    let files = SignatureFiles { file: "libacme.manifest".into(), manifest: "m".into(), signature: "s".into() };
    assert_eq!(read(), Ok(files));
    assert!(signature_files(&dylib).iter().all(|path| path.exists()));
    write("libacme.manifest.minisig", &"s".repeat(4097));
    assert_eq!(read(), Err("libacme.manifest.minisig: more than 4096 bytes".into()));
    std::fs::remove_file(folder.path().join("libacme.manifest")).unwrap();
    std::os::unix::fs::symlink("libacme.manifest.minisig", folder.path().join("libacme.manifest")).unwrap();
    assert_eq!(read(), Err("libacme.manifest: it is a symbolic link, not a regular file".into()));
}

#[test]
fn what_was_found_out_holds_until_the_key_ends_and_in_warn_mode_costs_no_service_then() {
    let pair = pair();
    let (files, end) = (signed_by(&pair, &sound()), now_s() + 1_000);
    for (mode, until, ends, is_void) in [
        (SignatureMode::Require, Some(end), true, true),
        (SignatureMode::Warn, Some(end), true, false),
        (SignatureMode::Require, None, false, false),
    ] {
        let signatures = signatures(mode, vec![TrustedKey { until, ..trusted(&pair) }]);
        let signature = signatures.judge(digest(), &own(), Ok(&files), Downgrade::Allowed).unwrap();
        assert!(!signature.has_ended(end - 1) && !signature.is_void(end - 1));
        assert_eq!((signature.has_ended(end), signature.is_void(end)), (ends, is_void), "{mode:?}");
    }
}
