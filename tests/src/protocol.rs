//! Which plugins serve the chains' protocols, and what answers say of a protocol.
//!
//! Documents come from the specification's table, or from the settings row that makes a fork; never from a plugin.

use anyhow::{Context as _, Result};

use crate::gateway::PUBLIC_URL;
use crate::json::Json;

/// A question about an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    Claimables,
    Farming,
    Lending,
}

impl Question {
    pub const ALL: [Self; 3] = [Self::Claimables, Self::Farming, Self::Lending];

    /// The member of the build's accounts with the rows.
    pub fn member(self) -> &'static str {
        match self {
            Self::Claimables => "claimables",
            Self::Farming => "farming",
            Self::Lending => "lending",
        }
    }

    /// The call of one protocol.
    pub fn path(self, slug: &str, account: &str) -> String {
        match self {
            Self::Claimables => format!("/{slug}/{account}/claimables"),
            Self::Farming => format!("/{slug}/farming/{account}/positions"),
            Self::Lending => format!("/{slug}/lending/{account}/positions"),
        }
    }
}

/// A plugin that the tests' gateways run.
#[derive(Clone, Copy, Debug)]
pub struct Plugin {
    pub name: &'static str,
    pub file: &'static str,
    pub questions: &'static [Question],
    /// True if all of its shipped rows of the chains' networks stand on the chains.
    pub shipped: bool,
}

const STAKES: &[Question] = &[Question::Claimables, Question::Farming];
const LOANS: &[Question] = &[Question::Claimables, Question::Lending];

/// The plugins that serve every protocol of the chains.
pub const PLUGINS: [Plugin; 3] = [
    Plugin { name: "aave-v3", file: "libaave_v3.so", questions: LOANS, shipped: false },
    Plugin { name: "quickswap", file: "libquickswap.so", questions: STAKES, shipped: true },
    Plugin { name: "sushiswap", file: "libsushiswap.so", questions: STAKES, shipped: false },
];

/// The specification's row of a protocol.
struct Row {
    slug: &'static str,
    /// Its file in the repository of logos.
    logo: &'static str,
    primitives: &'static [&'static str],
    website: &'static str,
    company: (&'static str, &'static str),
}

const TABLE: [Row; 6] = [
    Row {
        slug: "aave_v3",
        logo: "aave.png",
        primitives: &["LENDING", "BORROWING", "POOLING", "FARMING"],
        website: "https://aave.com/",
        company: ("Aave", "aave"),
    },
    Row {
        slug: "hop",
        logo: "hop.jpg",
        primitives: &["POOLING", "FARMING"],
        website: "https://hop.exchange",
        company: ("Hop", "hop"),
    },
    Row {
        slug: "quickswap",
        logo: "quickswap.png",
        primitives: &["POOLING", "FARMING"],
        website: "https://quickswap.exchange/",
        company: ("QuickSwap", "quickswap"),
    },
    Row {
        slug: "spookyswap",
        logo: "spooky.png",
        primitives: &["POOLING", "FARMING"],
        website: "https://spooky.fi",
        company: ("SpookySwap", "spookyswap"),
    },
    Row {
        slug: "sushiswap",
        logo: "sushiswap.png",
        primitives: &["POOLING", "FARMING"],
        website: "https://sushi.com",
        company: ("SushiSwap", "sushiswap"),
    },
    Row {
        slug: "velodrome_v2",
        logo: "velodrome.svg",
        primitives: &["POOLING", "FARMING"],
        website: "https://app.velodrome.finance",
        company: ("Velodrome", "velodrome"),
    },
];

/// A protocol of the specification's table, with its company.
///
/// # Errors
/// Where the table does not have it.
pub fn listed(slug: &str) -> Result<Json> {
    let row = TABLE.iter().find(|row| row.slug == slug).with_context(|| format!("no protocol {slug}"))?;
    let primitives = row.primitives.iter().map(|primitive| Json::text(*primitive)).collect();
    let company = Json::object([("name", Json::text(row.company.0)), ("slug", Json::text(row.company.1))]);
    let logo = format!("https://github.com/decentri-fi/data/raw/master/logo/protocol/{}", row.logo);
    Ok(document((slug, &slug.to_uppercase()), logo, Json::Array(primitives), row.website, company))
}

/// A protocol that a `[[protocol]]` of a settings file makes, with its company.
///
/// # Errors
/// Where the row is incomplete.
pub fn made(row: &Json) -> Result<Json> {
    let (primitives, company) = (row.at("primitives")?.clone(), row.at("company")?.clone());
    let slug = row.text_at("slug")?;
    // The gateway draws what nobody published.
    let logo = format!("{PUBLIC_URL}/logos/protocol/{slug}.svg");
    Ok(document((slug, row.text_at("name")?), logo, primitives, row.text_at("website")?, company))
}

fn document((slug, name): (&str, &str), logo: String, primitives: Json, website: &str, company: Json) -> Json {
    Json::object([
        ("name", Json::text(name)),
        ("logo", Json::text(logo)),
        ("slug", Json::text(slug)),
        ("primitives", primitives),
        ("website", Json::text(website)),
        ("company", company),
    ])
}
