//! Validates the catalogues of plugins.
//!
//! Invariant: a valid catalogue is bounded, its slugs can be used in paths, and each deployment names one of its
//! protocols. Claim templates and lineages are checked where they are parsed.

use std::collections::BTreeSet;

use alloy::primitives::Address;
use portolan_abi::limits::{
    CATALOGUE_BYTES_MAX, CLAIMS_MAX, CONSTANT_BYTES_MAX, CONTRACTS_MAX, DEPLOYMENTS_MAX, NAME_BYTES_MAX,
    PRIMITIVE_BYTES_MAX, PRIMITIVES_MAX, PROTOCOLS_MAX, QUESTIONS_MAX, ROLES_MAX, SLUG_BYTES_MAX, TEXT_BYTES_MAX,
    TOPICS_MAX,
};
use portolan_abi::map::{Catalogue, ClaimTemplate, Deployment, Lineage, Protocol, Role};
use portolan_abi::off_chain::{self, HostError};
use portolan_abi::{codec, is_invisible};

/// First path segments of the gateway, present or reserved; no protocol may have them as its slug.
pub const RESERVED_WORDS: [&str; 14] = [
    "networks",
    "protocols",
    "claimables",
    "positions",
    "ens",
    "events",
    "balance",
    "logos",
    "openapi.json",
    "docs",
    "problems",
    "llms.txt",
    "assets",
    "mcp",
];

/// Bytes of a URL that clients may open.
const URL_BYTES_MAX: usize = 1_024;

/// Why a catalogue is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogueError {
    /// Not a valid map.
    #[error("its catalogue is not a CBOR map: {0}")]
    Malformed(String),
    /// Too many of something.
    #[error("its catalogue has {count} {what}, at most {max} are taken")]
    TooMany { what: &'static str, count: usize, max: usize },
    /// An unprintable text.
    #[error("its catalogue has a {0} that is empty, too long or not printable")]
    Text(&'static str),
    /// An unprintable text of a protocol.
    #[error("the {what} of protocol {slug:?} is empty, too long or not printable")]
    ProtocolText { slug: String, what: &'static str },
    /// A URL of a protocol with a scheme that clients may not open.
    #[error("the {what} of protocol {slug:?} is not an http, https or ipfs URL")]
    ProtocolUrl { slug: String, what: &'static str },
    /// A slug that cannot be used in a path.
    #[error("slug {0:?} is not of a-z, 0-9, _ and -, at most {SLUG_BYTES_MAX}")]
    Slug(String),
    /// A slug that is one of [`RESERVED_WORDS`].
    #[error("slug {0:?} is a reserved word")]
    Reserved(String),
    /// A slug that parses as an address.
    #[error("slug {0:?} reads as an address")]
    Address(String),
    /// Two protocols with one slug.
    #[error("slug {0:?} appears twice in its catalogue")]
    Twice(String),
    /// A primitive that [`is_primitive`] does not take.
    #[error(
        "protocol {slug:?} has the primitive {primitive:?}, which is not a word of A-Z, 0-9 and _, at most {PRIMITIVE_BYTES_MAX}"
    )]
    Primitive { slug: String, primitive: String },
    /// A deployment of an undeclared protocol.
    #[error("a deployment names the protocol {0:?}, which its catalogue does not have")]
    NoProtocol(String),
    /// Two deployments with the same protocol, network and market.
    #[error("{protocol:?} has two deployments on chain {chain_id} with market {market:?}")]
    SameMarket { protocol: String, chain_id: u64, market: String },
    /// An invalid host.
    #[error(transparent)]
    Host(#[from] HostError),
    /// A duplicate host.
    #[error("its catalogue declares the host {0:?} twice")]
    HostTwice(String),
}

impl CatalogueError {
    /// Returns the slug of the faulty protocol, if one is at fault.
    pub fn slug(&self) -> Option<&str> {
        match self {
            Self::Slug(slug) | Self::Reserved(slug) | Self::Address(slug) | Self::Twice(slug) => Some(slug),
            Self::Primitive { slug, .. } | Self::ProtocolText { slug, .. } | Self::ProtocolUrl { slug, .. } => {
                Some(slug)
            }
            _ => None,
        }
    }
}

/// Returns true if it names what a protocol does: an upper-case word such as `LENDING`, `POOLING` or `STREAM`.
pub fn is_primitive(text: &str) -> bool {
    let is_letter = |letter: u8| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == b'_';
    text.len() <= PRIMITIVE_BYTES_MAX
        && text.starts_with(|first: char| first.is_ascii_uppercase())
        && text.bytes().all(is_letter)
}

/// Returns true if clients may open it: `http`, `https` or `ipfs`, printable ASCII, bounded length.
pub fn is_web_url(text: &str) -> bool {
    let is_plain = text.len() <= URL_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_graphic());
    let is_shown = |url: http::Uri| matches!(url.scheme_str(), Some("http" | "https" | "ipfs"));
    is_plain && text.parse().is_ok_and(is_shown)
}

/// Decodes and validates a catalogue.
///
/// # Errors
/// Reason to refuse the plugin.
pub fn validate_catalogue(bytes: &[u8]) -> Result<Catalogue, CatalogueError> {
    at_most("bytes", bytes.len(), CATALOGUE_BYTES_MAX)?;
    let decoded = codec::decode::<Catalogue>(bytes);
    let catalogue = decoded.map_err(|error| CatalogueError::Malformed(error.to_string()))?;
    check_protocols(&catalogue.protocols)?;
    check_deployments(&catalogue.protocols, &catalogue.deployments)?;
    check_claims(&catalogue.claims)?;
    check_lineages(catalogue.lineages.as_deref().unwrap_or_default())?;
    check_hosts(catalogue.hosts.as_deref().unwrap_or_default())?;
    at_most("event topics", catalogue.event_topics.as_ref().map_or(0, Vec::len), TOPICS_MAX)?;
    Ok(catalogue)
}

fn check_protocols(protocols: &[Protocol]) -> Result<(), CatalogueError> {
    at_most("protocols", protocols.len(), PROTOCOLS_MAX)?;
    let mut slugs = BTreeSet::new();
    for protocol in protocols {
        check_slug(&protocol.slug)?;
        if !slugs.insert(&protocol.slug) {
            return Err(CatalogueError::Twice(protocol.slug.clone()));
        }
        check_texts(protocol)?;
        at_most("primitives", protocol.primitives.len(), PRIMITIVES_MAX)?;
        if let Some(wrong) = protocol.primitives.iter().find(|primitive| !is_primitive(primitive)) {
            let primitive = wrong.chars().take(PRIMITIVE_BYTES_MAX).collect();
            return Err(CatalogueError::Primitive { slug: protocol.slug.clone(), primitive });
        }
    }
    Ok(())
}

fn check_texts(protocol: &Protocol) -> Result<(), CatalogueError> {
    let Protocol { slug, name, website, logo, company, .. } = protocol;
    let texts = [
        ("name", name.as_str(), NAME_BYTES_MAX),
        ("website", website, TEXT_BYTES_MAX),
        ("logo", logo.as_deref().unwrap_or("-"), TEXT_BYTES_MAX),
        ("company name", &company.name, NAME_BYTES_MAX),
        ("company slug", &company.slug, NAME_BYTES_MAX),
    ];
    if let Some((what, ..)) = texts.into_iter().find(|(_, text, bytes_max)| !is_sound(text, *bytes_max)) {
        return Err(CatalogueError::ProtocolText { slug: slug.clone(), what });
    }
    let urls = [("website", Some(website)), ("logo", logo.as_ref())];
    let is_no_url = |url: &Option<&String>| url.is_some_and(|url| !is_web_url(url));
    match urls.into_iter().find(|(_, url)| is_no_url(url)) {
        Some((what, _)) => Err(CatalogueError::ProtocolUrl { slug: slug.clone(), what }),
        None => Ok(()),
    }
}

/// Returns true if the text is a valid slug.
pub fn is_slug(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-';
    !text.is_empty() && text.len() <= SLUG_BYTES_MAX && text.bytes().all(allowed)
}

fn check_slug(slug: &str) -> Result<(), CatalogueError> {
    // Checked before the characters: `openapi.json` has a dot.
    if RESERVED_WORDS.contains(&slug) {
        return Err(CatalogueError::Reserved(slug.to_owned()));
    }
    if !is_slug(slug) {
        return Err(CatalogueError::Slug(slug.chars().take(SLUG_BYTES_MAX).collect()));
    }
    if slug.parse::<Address>().is_ok() {
        return Err(CatalogueError::Address(slug.to_owned()));
    }
    Ok(())
}

fn check_deployments(protocols: &[Protocol], deployments: &[Deployment]) -> Result<(), CatalogueError> {
    at_most("deployments", deployments.len(), DEPLOYMENTS_MAX)?;
    let slugs: BTreeSet<&str> = protocols.iter().map(|protocol| protocol.slug.as_str()).collect();
    let mut seen = BTreeSet::new();
    for deployment in deployments {
        let Deployment { protocol, chain_id, market, questions, contracts, tokens } = deployment;
        if !slugs.contains(protocol.as_str()) {
            return Err(CatalogueError::NoProtocol(protocol.chars().take(SLUG_BYTES_MAX).collect()));
        }
        text("market", market, NAME_BYTES_MAX)?;
        at_most("questions of a deployment", questions.len(), QUESTIONS_MAX)?;
        at_most("contracts of a deployment", contracts.len(), CONTRACTS_MAX)?;
        at_most("tokens of a deployment", tokens.as_ref().map_or(0, Vec::len), CONTRACTS_MAX)?;
        if !seen.insert((protocol, chain_id, market)) {
            let (protocol, market) = (protocol.clone(), market.clone());
            return Err(CatalogueError::SameMarket { protocol, chain_id: *chain_id, market });
        }
    }
    Ok(())
}

fn check_claims(claims: &[ClaimTemplate]) -> Result<(), CatalogueError> {
    at_most("claim templates", claims.len(), CLAIMS_MAX)?;
    for claim in claims {
        text("claim signature", &claim.signature, TEXT_BYTES_MAX)?;
        text("fee view of a claim template", claim.fee.as_deref().unwrap_or("-"), TEXT_BYTES_MAX)?;
        at_most("roles of a claim template", count_roles(&claim.roles)?, ROLES_MAX)?;
    }
    Ok(())
}

fn check_lineages(lineages: &[Lineage]) -> Result<(), CatalogueError> {
    at_most("lineages", lineages.len(), CLAIMS_MAX)?;
    lineages.iter().try_for_each(|lineage| text("view of a lineage", &lineage.view, TEXT_BYTES_MAX))
}

fn check_hosts(hosts: &[String]) -> Result<(), CatalogueError> {
    at_most("hosts", hosts.len(), off_chain::HOSTS_MAX)?;
    let mut seen = BTreeSet::new();
    for host in hosts {
        off_chain::check_host(host)?;
        if !seen.insert(host) {
            return Err(CatalogueError::HostTwice(host.clone()));
        }
    }
    Ok(())
}

/// Recurses safely: the codec has bounded the nesting.
fn count_roles(roles: &[Role]) -> Result<usize, CatalogueError> {
    let mut count = roles.len();
    for role in roles {
        let constant_bytes = role.constant.as_ref().map_or(0, Vec::len);
        at_most("bytes of a constant argument", constant_bytes, CONSTANT_BYTES_MAX)?;
        count += count_roles(role.members.as_deref().unwrap_or_default())?;
    }
    Ok(count)
}

fn at_most(what: &'static str, count: usize, max: usize) -> Result<(), CatalogueError> {
    if count > max { Err(CatalogueError::TooMany { what, count, max }) } else { Ok(()) }
}

fn text(what: &'static str, text: &str, bytes_max: usize) -> Result<(), CatalogueError> {
    if is_sound(text, bytes_max) { Ok(()) } else { Err(CatalogueError::Text(what)) }
}

fn is_sound(text: &str, bytes_max: usize) -> bool {
    !text.is_empty() && text.len() <= bytes_max && !text.chars().any(is_invisible)
}

#[cfg(test)]
mod tests {
    use alloy::primitives::B256;
    use portolan_abi::map::Company;

    use super::*;

    fn catalogue() -> Catalogue {
        let protocol = Protocol {
            slug: "acme".into(),
            name: "ACME".into(),
            website: "https://acme.example".into(),
            logo: None,
            primitives: vec!["FARMING".into()],
            company: Company { name: "Acme".into(), slug: "acme".into() },
        };
        let deployment =
            Deployment { protocol: "acme".into(), chain_id: 137, market: "main".into(), ..Deployment::default() };
        let claim = ClaimTemplate { signature: "getReward()".into(), ..ClaimTemplate::default() };
        Catalogue {
            protocols: vec![protocol],
            deployments: vec![deployment],
            claims: vec![claim],
            hosts: Some(vec!["merkle.acme.example".into()]),
            ..Catalogue::default()
        }
    }

    fn checked(change: impl FnOnce(&mut Catalogue)) -> Result<Catalogue, CatalogueError> {
        let mut changed = catalogue();
        change(&mut changed);
        validate_catalogue(&codec::encode(&changed))
    }

    type Change = Box<dyn FnOnce(&mut Catalogue)>;

    #[test]
    fn a_sound_catalogue_passes_as_it_is() {
        assert_eq!(checked(|_| {}), Ok(catalogue()));
    }

    #[test]
    fn slugs_that_cannot_stand_in_paths_are_refused() {
        let slug = |slug: &str| check_slug(slug);
        for good in ["aave_v3", "0x", "a", "velodrome-v2"] {
            assert_eq!(slug(good), Ok(()), "{good}");
        }
        for bad in ["", "Aave", "a b", "a/b", "a.b", "é", &"a".repeat(65)] {
            assert!(matches!(slug(bad), Err(CatalogueError::Slug(_))), "{bad}");
        }
        for word in ["networks", "protocols", "claimables", "ens", "events", "balance", "openapi.json", "docs"] {
            assert_eq!(slug(word), Err(CatalogueError::Reserved(word.into())));
        }
        for address in [format!("0x{}", "ab".repeat(20)), "12".repeat(20)] {
            assert_eq!(slug(&address), Err(CatalogueError::Address(address.clone())));
        }
    }

    #[test]
    fn a_primitive_is_a_word_in_upper_case() {
        for word in ["LENDING", "BORROWING", "POOLING", "FARMING", "QUEUE", "STREAM", "REAL_WORLD_ASSET", "L2"] {
            assert!(is_primitive(word), "{word}");
        }
        for wrong in ["", "lending", "2L", "_L", "A B", "A-B", "É", "A\n", &"A".repeat(33)] {
            assert!(!is_primitive(wrong), "{wrong:?}");
        }
    }

    #[test]
    fn an_invalid_catalogue_is_refused() {
        let many = |what, count, max| CatalogueError::TooMany { what, count, max };
        let of_acme = |what| CatalogueError::ProtocolText { slug: "acme".into(), what };
        let role = |members| Role { kind: 7, constant: None, members };
        let no_url = |what| CatalogueError::ProtocolUrl { slug: "acme".into(), what };
        let host = |host: &str| CatalogueError::from(off_chain::check_host(host).unwrap_err());
        let cases: [(Change, CatalogueError); 20] = [
            (Box::new(|c| c.hosts = Some(vec!["127.0.0.1".into()])), host("127.0.0.1")),
            (Box::new(|c| c.hosts = Some(vec!["a.example".into(); 2])), CatalogueError::HostTwice("a.example".into())),
            (Box::new(|c| c.hosts = Some(vec!["a.example".into(); 9])), many("hosts", 9, 8)),
            (Box::new(|c| c.protocols[0].name = "A\u{202e}B".into()), of_acme("name")),
            (Box::new(|c| c.protocols[0].website = "javascript:alert(1)".into()), no_url("website")),
            (Box::new(|c| c.protocols[0].logo = Some("data:text/html,x".into())), no_url("logo")),
            (Box::new(|c| c.protocols.push(c.protocols[0].clone())), CatalogueError::Twice("acme".into())),
            (Box::new(|c| c.protocols[0].name = "A\u{1b}[2J".into()), of_acme("name")),
            (Box::new(|c| c.protocols[0].website = "x".repeat(1_025)), of_acme("website")),
            (Box::new(|c| c.protocols[0].logo = Some(String::new())), of_acme("logo")),
            (
                Box::new(|c| c.protocols[0].primitives = vec!["STREAM".into(), "Mining".into()]),
                CatalogueError::Primitive { slug: "acme".into(), primitive: "Mining".into() },
            ),
            (Box::new(|c| c.protocols[0].primitives = vec!["BRIDGE".into(); 9]), many("primitives", 9, 8)),
            (Box::new(|c| c.deployments[0].protocol = "other".into()), CatalogueError::NoProtocol("other".into())),
            (Box::new(|c| c.deployments[0].market = "a\nb".into()), CatalogueError::Text("market")),
            (
                Box::new(|c| c.deployments.push(c.deployments[0].clone())),
                CatalogueError::SameMarket { protocol: "acme".into(), chain_id: 137, market: "main".into() },
            ),
            (
                Box::new(|c| c.deployments[0].contracts = vec![Default::default(); 4_097]),
                many("contracts of a deployment", 4_097, 4_096),
            ),
            (Box::new(|c| c.claims = vec![c.claims[0].clone(); 257]), many("claim templates", 257, 256)),
            (
                Box::new(move |c| c.claims[0].roles = vec![role(Some(vec![role(None); 64]))]),
                many("roles of a claim template", 65, 64),
            ),
            (
                Box::new(|c| c.claims[0].roles = vec![Role { constant: Some(vec![0; 4_097]), ..Role::default() }]),
                many("bytes of a constant argument", 4_097, 4_096),
            ),
            (Box::new(|c| c.event_topics = Some(vec![B256::ZERO; 1_025])), many("event topics", 1_025, 1_024)),
        ];
        for (change, refusal) in cases {
            assert_eq!(checked(change), Err(refusal));
        }
    }

    #[test]
    fn bytes_that_are_no_catalogue_are_refused() {
        assert!(matches!(validate_catalogue(b""), Err(CatalogueError::Malformed(_))));
        assert!(matches!(validate_catalogue(b"\xff\xff"), Err(CatalogueError::Malformed(_))));
        let large = vec![0; CATALOGUE_BYTES_MAX + 1];
        assert!(matches!(validate_catalogue(&large), Err(CatalogueError::TooMany { what: "bytes", .. })));
    }
}
