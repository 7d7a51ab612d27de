//! Kits that claim by functions which the table of claim functions binds to contracts say on which contracts they do.
#![allow(clippy::disallowed_methods, reason = "the test reads the sources of the kits")]

use std::fs;

use portolan_kits::accounts::AccountProtocols as _;
use portolan_validation::{ClaimFunctions, ClaimTargets, Template};

use crate::settings_rows::All;

#[test]
fn a_kit_with_a_bound_function_says_on_which_contracts_it_claims() {
    let files = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/src")).unwrap();
    let files = files.map(|file| file.unwrap().path()).filter(|path| path.is_file());
    let sources: Vec<String> = files.map(|path| fs::read_to_string(path).unwrap()).collect();
    let mut bound = 0;
    for kit in All::KITS {
        let is_bound = |declared| {
            let template = Template::parse(&declared, |_| true).unwrap();
            matches!(ClaimFunctions::shipped().check(&template).unwrap(), ClaimTargets::Only(_))
        };
        if !kit.claim_templates().into_iter().any(is_bound) {
            continue;
        }
        bound += 1;
        let shown = format!("{kit:?}");
        let name = shown.split([' ', '(']).next().unwrap();
        let own = sources.iter().find(|source| source.contains(&format!("impl Kit for {name} "))).unwrap();
        assert!(own.contains("fn bound_claims(&self)"), "{name} claims by a bound function: implement `bound_claims`");
    }
    assert!(bound > 0, "no kit claims by a bound function");
}
