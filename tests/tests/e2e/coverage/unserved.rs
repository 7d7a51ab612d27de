//! Protocols that are known and not served: the one table of them, kept by hand.
//!
//! Invariant: a protocol that has ended has two public sources that say so.

/// What became of a protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) enum State {
    /// It is in use; with what it would take to serve it.
    InUse(&'static str),
    /// It has ended; with how.
    Ended(&'static str),
}

use State::{Ended, InUse};

/// A protocol that no plugin serves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unserved {
    pub(crate) slug: &'static str,
    pub(crate) state: State,
    pub(crate) sources: &'static [&'static str],
}

const fn unserved(slug: &'static str, state: State, sources: &'static [&'static str]) -> Unserved {
    Unserved { slug, state, sources }
}

/// Ordered by slug.
pub(crate) const UNSERVED: &[Unserved] = &[
    unserved(
        "autoearn",
        InUse(
            "the views of its chef, whose code no public source holds: one source lists it, with pools and no accounts",
        ),
        &["https://github.com/DefiLlama/DefiLlama-Adapters/tree/main/projects/autoearn"],
    ),
    unserved(
        "hidden-hand",
        Ended("its marketplace has shut down, and what voters had not claimed by the end of June 2026 has expired"),
        &[
            "https://github.com/balancer/frontend-monorepo/pull/2627",
            "https://github.com/balancer/frontend-monorepo/issues/1953",
        ],
    ),
    unserved(
        "kwenta",
        Ended("Synthetix has taken it over; its token is exchanged for SNX, and its staking is over"),
        &[
            "https://docs.synthetix.io/legacy-migration/op-kwenta",
            "https://paragraph.com/@kwenta/v2-staking-migration-updates",
        ],
    ),
    unserved(
        "pika",
        Ended("its token was retired and redeemed, and with it the staking that paid claims"),
        &[
            "https://pikaprotocol.medium.com/important-update-for-pika-token-0db98f47558a",
            "https://marshalcrypto.blogspot.com/2025/06/pika-protocol-revolutionary-200x.html",
        ],
    ),
    unserved(
        "prisma",
        Ended("its holders voted to shut it down, and Resupply has unwound its loans"),
        &[
            "https://paragraph.com/@resupply/prisma-shutdown-transition-plan.md",
            "https://wavey.info/posts/2025/decomissioning-prisma-finance",
        ],
    ),
    unserved(
        "vesta",
        Ended("its holders voted to end it; its loans were closed by September 2024"),
        &[
            "https://curia.vestafinance.xyz/t/closed-sunset-of-vestas-protocol-action-plan-proposal/359",
            "https://coinclear.io/lending/vesta-finance",
        ],
    ),
];

/// Returns the section of the page.
pub(super) fn section() -> String {
    let mut text = "\
## Not served, and why

Protocols whose mechanism is known. None of them stands in DefiLlama's list of dead protocols of August 2026. One that has ended has two sources that say so. For one in use, the sources are those that count its value still.

| protocol | what became of it | sources |
|---|---|---|
"
    .to_owned();
    for Unserved { slug, state, sources } in UNSERVED {
        let state = match state {
            InUse(needs) => format!("in use; it takes {needs}"),
            Ended(how) => format!("ended: {how}"),
        };
        let sources: Vec<String> =
            sources.iter().enumerate().map(|(place, url)| format!("[{}]({url})", place + 1)).collect();
        text += &format!("| `{slug}` | {state} | {} |\n", sources.join(", "));
    }
    text
}

#[test]
fn what_has_ended_has_two_sources() {
    assert!(UNSERVED.is_sorted_by_key(|row| row.slug));
    for row in UNSERVED {
        assert!(matches!(row.state, InUse(_)) || row.sources.len() >= 2, "{row:?}");
    }
}
