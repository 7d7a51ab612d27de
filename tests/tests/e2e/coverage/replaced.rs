//! Contracts of served protocols that others have replaced, and that may hold stakes still: the one table of it, kept by
//! hand. What is served or told is a market of the plugin's own catalogue; what is neither has its reason here.

use std::collections::BTreeSet;
use std::fmt;

use anyhow::{Result, ensure};

/// The way in which an answer treats such a contract.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fate {
    /// All that it holds: the deployment of this market.
    Served(&'static str),
    /// That the account has something there (`not-covered`): the deployment of this market.
    Told(&'static str),
    /// Nothing, and why.
    Nothing(&'static str),
}

use Fate::{Nothing, Served, Told};

/// A contract that was replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replaced {
    pub(crate) slug: &'static str,
    pub(crate) what: &'static str,
    pub(crate) fate: Fate,
}

const fn replaced(slug: &'static str, what: &'static str, fate: Fate) -> Replaced {
    Replaced { slug, what, fate }
}

/// Ordered by protocol.
pub(crate) const REPLACED: &[Replaced] = &[
    replaced("aave_v2", "stakes of the safety module's first pool token", Served("stk-abpt")),
    replaced("aerodrome", "the first manager of concentrated positions", Served("positions")),
    replaced("angle", "staking contracts before gauges", Nothing("two sources of them were not looked up")),
    replaced("apeswap", "the first chef on BSC", Served("main")),
    replaced("aura", "the first booster and its stakes of auraBAL", Served("pools-v1")),
    replaced("aura", "the first stakes of auraBAL, for two weeks", Told("first-aurabal-stakes")),
    replaced("balancer", "the first distributor of fees for veBAL", Served("locks")),
    replaced("baseswap", "the first chef", Served("main")),
    replaced("compound", "markets of the second version", Served("v2-markets")),
    replaced("convex", "the first locker", Served("locker-v1")),
    replaced(
        "cooler-loans",
        "loans of the first version",
        Nothing("each borrower has a contract of its own, which is not read"),
    ),
    replaced("curve", "the first distributor of fees, in 3CRV", Served("locks")),
    replaced("curve", "factories of gauges on other networks", Served("old")),
    replaced(
        "curve",
        "gauges on other networks before factories",
        Nothing("each is a contract by itself, which no contract lists"),
    ),
    replaced("equalizer", "the first voter on Fantom and its gauges", Served("gauges-v1")),
    replaced(
        "frax",
        "distributors of yields for veFXS before the present one",
        Nothing("two sources of them were not looked up"),
    ),
    replaced("liquiddriver", "the first chef", Served("v1")),
    replaced("metavault", "vesters of MVX and MVLP", Nothing("one source alone lists them")),
    replaced("morpho", "optimizers of Aave and Compound", Nothing("no kit reads positions in them")),
    replaced("pancakeswap", "the first chef", Served("farms-v1")),
    replaced("pancakeswap", "the pool of CAKE, and veCAKE", Told("former-stakes")),
    replaced("pangolin", "farms before its MiniChef", Nothing("two sources of them were not looked up")),
    replaced("qidao", "the first chef", Served("main")),
    replaced("qidao", "other chefs on Polygon, Avalanche, Fantom and Optimism", Nothing("one source alone lists them")),
    replaced("quickswap", "the first factory of farms", Served("deprecated-farms")),
    replaced("quickswap", "the first Dragon's Lair", Served("old-dquick")),
    replaced("silo", "silos of the first version", Nothing("no kit reads positions in them")),
    replaced("spookyswap", "the first chef", Served("farms-v1")),
    replaced("spookyswap", "the second chef", Served("farms-v2")),
    replaced("stake-dao", "the first farms of SDT", Served("chef")),
    replaced(
        "stake-dao",
        "distributors of fees before the present one",
        Nothing("two sources of them were not looked up"),
    ),
    replaced("stargate", "farms of the first version", Served("lp-staking")),
    replaced("sushiswap", "the first chef on Ethereum", Served("master-chef")),
    replaced("thena", "the second voter and its gauges", Served("gauges-v1")),
    replaced("thena", "the first voter", Nothing("its gauges were handed to the second")),
    replaced("trader-joe", "the chef of the second version", Served("v2")),
    replaced("trader-joe", "the chef of the third version", Served("v3")),
    replaced("trader-joe", "stakes of JOE for veJOE and rJOE", Told("former-stakes")),
    replaced("velodrome_v1", "the first voter and its gauges", Served("main")),
    replaced("velodrome_v2", "the first manager of concentrated positions", Served("first-positions")),
    replaced("wombat", "the chef of the second version", Served("v2")),
    replaced("yearn", "vaults of the first version", Nothing("their registry has no list of their tokens")),
    replaced("yearn", "gauges and locks of YFI, before stYFI", Served("gauges")),
];

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Served(market) => write!(f, "read: `{market}`"),
            Told(market) => write!(f, "told, where an account has something there: `{market}`"),
            Nothing(why) => write!(f, "nothing: {why}"),
        }
    }
}

/// Compares the table with the markets of catalogues, by slug.
///
/// # Errors
/// Every row whose market is served by no plugin.
pub(crate) fn check(markets: &BTreeSet<(String, String)>) -> Result<()> {
    let is_there = |row: &&Replaced| match row.fate {
        Served(market) | Told(market) => markets.contains(&(row.slug.to_owned(), market.to_owned())),
        Nothing(_) => markets.iter().any(|(slug, _)| slug == row.slug),
    };
    let wrong: Vec<String> =
        REPLACED.iter().filter(|row| !is_there(row)).map(|row| format!("{}: {}", row.slug, row.what)).collect();
    ensure!(wrong.is_empty(), "no deployment has the market of a row of what was replaced: {}", wrong.join("; "));
    Ok(())
}
