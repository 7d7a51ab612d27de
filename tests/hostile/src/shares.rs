//! Compositions of tokens that protocols report: rings, nothing at all, other people's tokens.
//!
//! Each reports something only for the token of its own deed, so that it harms no other test.

use portolan_plugin_api::*;

use crate::contracts::*;

/// Slugs of those that answer; each also owes something in its token.
pub(crate) const SLUGS: &[&str] =
    &["shares_in_a_ring", "shares_of_nothing", "shares_of_others", "shares_that_panic", "shares_reported_again"];

/// Returns the token in whose shares a protocol owes.
pub(crate) fn token(slug: &str) -> Address {
    match slug {
        "shares_in_a_ring" => OLD_QUICK,
        "shares_of_nothing" => WORTH_NOTHING,
        "shares_of_others" => LIED_ABOUT,
        "shares_that_panic" => PANICKED_ABOUT,
        _ => LAIR,
    }
}

#[expect(clippy::panic, reason = "the host must bear it")]
pub(crate) fn compositions(cx: &JobContext, tokens: &[Address]) -> Vec<Composition> {
    let reported = match cx.protocol() {
        "shares_in_a_ring" => vec![one(OLD_QUICK, RINGED), one(RINGED, OLD_QUICK)],
        "shares_of_nothing" => vec![Composition { supply: U256::ZERO, ..one(WORTH_NOTHING, QUICK) }],
        "shares_of_others" if tokens.contains(&LIED_ABOUT) => return vec![one(STRANGER, QUICK)],
        "shares_that_panic" if tokens.contains(&PANICKED_ABOUT) => panic!("panics about a token"),
        // Behind `quickswap` in the order of slugs: too late.
        "shares_reported_again" => vec![one(LAIR, USDC)],
        _ => Vec::new(),
    };
    reported.into_iter().filter(|share| tokens.contains(&share.token)).collect()
}

/// Shares that redeem to as many smallest units of one token.
fn one(token: Address, part: Address) -> Composition {
    let parts = vec![Part { token: part, amount: U256::from(1) }];
    Composition { token, kind: "HOSTILE".to_owned(), supply: U256::from(1), parts }
}
