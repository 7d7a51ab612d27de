//! Tables of the service's paths and of its endpoints' parameters.
//!
//! Invariant: a path matches at most one endpoint, and the first words of paths are reserved. No parameter outside of
//! these tables is read.

mod operations;
mod parameters;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use portolan_validation::RESERVED_WORDS;

pub(crate) use self::operations::TAGS;
pub(crate) use self::parameters::{PARAMETERS, PATH_VALUES, Parameter, ParameterKind};
use crate::address;

/// An endpoint of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Networks,
    Protocols,
    Coverage,
    AllClaimables,
    AllPositions,
    ClaimablesOfAccounts,
    PositionsOfAccounts,
    ClaimPlan,
    Watch,
    AddressOfName,
    NameOfAccount,
    Events,
    NativeBalance,
    TokenBalances,
    Approvals,
    RevokePlan,
    Claimables,
    Farming,
    Lending,
    Borrowing,
    Pooling,
    Locked,
    ClearSigning,
    ProtocolLogo,
    Description,
    Explorer,
    Docs,
    Problems,
    LlmsTxt,
}

impl Endpoint {
    /// Returns the metrics' label.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Networks => "networks",
            Self::Protocols => "protocols",
            Self::Coverage => "coverage",
            Self::AllClaimables => "all-claimables",
            Self::AllPositions => "all-positions",
            Self::ClaimablesOfAccounts => "claimables-of-accounts",
            Self::PositionsOfAccounts => "positions-of-accounts",
            Self::ClaimPlan => "claim-plan",
            Self::Watch => "watch",
            Self::AddressOfName => "address-of-name",
            Self::NameOfAccount => "name-of-account",
            Self::Events => "events",
            Self::NativeBalance => "native-balance",
            Self::TokenBalances => "token-balances",
            Self::Approvals => "approvals",
            Self::RevokePlan => "revoke-plan",
            Self::Claimables => "claimables",
            Self::Farming => "farming",
            Self::Lending => "lending",
            Self::Borrowing => "borrowing",
            Self::Pooling => "pooling",
            Self::Locked => "locked",
            Self::ClearSigning => "clear-signing",
            Self::ProtocolLogo => "protocol-logo",
            Self::Description => "description",
            Self::Explorer => "explorer",
            Self::Docs => "docs",
            Self::Problems => "problems",
            Self::LlmsTxt => "llms-txt",
        }
    }

    /// Returns the parameters that it takes besides [`OF_EVERY_ENDPOINT`].
    pub(crate) fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Networks | Self::Protocols | Self::Coverage | Self::ClearSigning | Self::Description => &[],
            // Their parameters are not read: a page's own script has some, and links from elsewhere gain others.
            Self::ProtocolLogo | Self::Explorer | Self::Docs | Self::Problems | Self::LlmsTxt => &[],
            Self::AllClaimables => {
                &["include", "exclude", "network", "simulate", "worth", "block", "min-block", "currency"]
            }
            Self::AllPositions => {
                &["include", "exclude", "network", "kind", "simulate", "worth", "block", "min-block", "currency"]
            }
            Self::ClaimablesOfAccounts => {
                &["accounts", "include", "exclude", "network", "simulate", "worth", "block", "min-block", "currency"]
            }
            Self::PositionsOfAccounts => &[
                "accounts",
                "include",
                "exclude",
                "network",
                "kind",
                "simulate",
                "worth",
                "block",
                "min-block",
                "currency",
            ],
            Self::ClaimPlan => &["network", "include", "exclude", "worth", "block", "min-block", "currency"],
            Self::RevokePlan => &["network", "token", "spender", "block", "min-block", "currency"],
            Self::Watch => &["include", "exclude", "network", "kind", "simulate", "worth"],
            Self::AddressOfName | Self::NameOfAccount => &["network", "block", "min-block"],
            Self::Events => &["network", "type", "max-logs", "account", "currency"],
            Self::NativeBalance | Self::TokenBalances | Self::Approvals => {
                &["network", "block", "min-block", "currency"]
            }
            Self::Claimables => &["network", "simulate", "worth", "block", "min-block", "currency"],
            Self::Farming | Self::Lending | Self::Borrowing | Self::Pooling | Self::Locked => {
                &["network", "block", "min-block", "currency"]
            }
        }
    }

    /// Returns the parameters that have to be given, unless the account is a CAIP-10 id.
    pub(crate) fn required(self) -> &'static [&'static str] {
        match self {
            Self::ClaimPlan | Self::Events => &["network"],
            Self::RevokePlan => &["network", "token", "spender"],
            Self::ClaimablesOfAccounts | Self::PositionsOfAccounts => &["accounts"],
            _ => &[],
        }
    }

    /// Returns true if its answers are about an account, a name or a transaction.
    pub(crate) fn is_about_accounts(self) -> bool {
        let has_no_subject = matches!(self, Self::Networks | Self::Protocols | Self::Coverage | Self::ClearSigning);
        self.has_rows() && !has_no_subject
    }

    /// Returns true if its answer is a stream of events and nothing else.
    pub(crate) fn is_stream(self) -> bool {
        self == Self::Watch
    }

    /// Returns true if its answer is made of rows about one account, and so may be a stream of events.
    pub(crate) fn may_be_stream(self) -> bool {
        let of_one_protocol = matches!(
            self,
            Self::Claimables | Self::Farming | Self::Lending | Self::Borrowing | Self::Pooling | Self::Locked
        );
        of_one_protocol || matches!(self, Self::AllClaimables | Self::AllPositions)
    }

    /// Returns true if it answers rows, in the form that the client chooses.
    pub(crate) fn has_rows(self) -> bool {
        let is_page = matches!(self, Self::Explorer | Self::Docs | Self::Problems | Self::LlmsTxt);
        !is_page && !matches!(self, Self::ProtocolLogo | Self::Description)
    }

    /// Returns all parameters that it takes.
    pub(crate) fn taken(self) -> impl Iterator<Item = &'static str> {
        self.parameters().iter().chain(OF_EVERY_ENDPOINT).copied().filter(move |_| self.has_rows())
    }
}

/// Parameters of every endpoint with rows: they change how an answer is written, not what is in it.
pub(crate) const OF_EVERY_ENDPOINT: &[&str] = &["detail", "amounts"];

/// Paths of the operators' listener that refuse parameters. Health and readiness ignore them: to a probe that sends
/// some, a refusal would look like a gateway that is down.
pub(crate) const WITHOUT_PARAMETERS: [&str; 5] = ["/metrics", "/plugins", "/lists", "/networks", "/history"];

/// Path patterns: words match themselves, names in braces match a value. A slug is neither reserved nor an address,
/// and an account in first place is not a reserved word.
pub(crate) static PATHS: [(&[&str], Endpoint); 26] = [
    (&["networks"], Endpoint::Networks),
    (&["protocols"], Endpoint::Protocols),
    (&["protocols", "coverage"], Endpoint::Coverage),
    (&["openapi.json"], Endpoint::Description),
    (&["logos", "protocol", "{file}"], Endpoint::ProtocolLogo),
    (&["claimables"], Endpoint::ClaimablesOfAccounts),
    (&["positions"], Endpoint::PositionsOfAccounts),
    (&["claimables", "{account}"], Endpoint::AllClaimables),
    (&["positions", "{account}"], Endpoint::AllPositions),
    (&["ens", "by-name", "{name}"], Endpoint::AddressOfName),
    (&["ens", "by-address", "{account}"], Endpoint::NameOfAccount),
    (&["events", "decode", "{hash}"], Endpoint::Events),
    (&["balance", "{account}", "native-balance"], Endpoint::NativeBalance),
    (&["balance", "{account}", "token-balances"], Endpoint::TokenBalances),
    (&["{account}", "native-balance"], Endpoint::NativeBalance),
    (&["{account}", "approvals"], Endpoint::Approvals),
    (&["{account}", "approvals", "plan"], Endpoint::RevokePlan),
    (&["{account}", "claim-plan"], Endpoint::ClaimPlan),
    (&["{account}", "watch"], Endpoint::Watch),
    (&["{slug}", "clear-signing.json"], Endpoint::ClearSigning),
    (&["{slug}", "{account}", "claimables"], Endpoint::Claimables),
    (&["{slug}", "farming", "{account}", "positions"], Endpoint::Farming),
    (&["{slug}", "lending", "{account}", "positions"], Endpoint::Lending),
    (&["{slug}", "borrowing", "{account}", "positions"], Endpoint::Borrowing),
    (&["{slug}", "pooling", "{account}", "positions"], Endpoint::Pooling),
    (&["{slug}", "locked", "{account}", "positions"], Endpoint::Locked),
];

/// The end of a pattern that matches all segments that are left, at least one.
const REST: &str = "{page}";

/// Path patterns of pages for people, in the same form.
pub(crate) static PAGES: [(&[&str], Endpoint); 7] = [
    (&[""], Endpoint::Explorer),
    (&["assets", REST], Endpoint::Explorer),
    (&["docs"], Endpoint::Docs),
    (&["docs", REST], Endpoint::Docs),
    (&["problems"], Endpoint::Problems),
    (&["problems", "{problem}"], Endpoint::Problems),
    (&["llms.txt"], Endpoint::LlmsTxt),
];

/// Returns true if a path begins with this word, so that it cannot be a protocol's slug.
pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED_WORDS.contains(&word)
}

/// Finds the endpoint on the claimables listener, whose only path is an account.
pub(crate) fn find_claimables<'a>(segments: &[&'a str]) -> Option<(Endpoint, Vec<&'a str>)> {
    match *segments {
        [account] if !account.is_empty() => Some((Endpoint::AllClaimables, vec![account])),
        _ => None,
    }
}

/// Finds the endpoint of a path, and returns it with the path's values in order.
pub(crate) fn find<'a>(segments: &[&'a str]) -> Option<(Endpoint, Vec<&'a str>)> {
    let (path, endpoint) = PATHS.iter().chain(&PAGES).find(|(path, _)| is_match(path, segments))?;
    let values = path.iter().zip(segments).filter(|(part, _)| is_value(part));
    Some((*endpoint, values.map(|(_, segment)| *segment).collect()))
}

/// Characters that are escaped in what [`request`] writes.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// Returns the path and query of a request for an endpoint, with the path's values in order.
pub(crate) fn request(endpoint: Endpoint, values: &[&str], parameters: &[(&str, &str)]) -> String {
    let has_room = |path: &[&str]| path.iter().filter(|part| is_value(part)).count() == values.len();
    let path = PATHS.iter().find(|(path, of)| *of == endpoint && has_room(path)).map_or(&[][..], |(path, _)| path);
    let mut values = values.iter();
    let mut text = String::new();
    for part in path {
        let value = if is_value(part) { values.next() } else { None };
        text.push('/');
        text.extend(value.map_or_else(|| vec![*part], |value| utf8_percent_encode(value, ESCAPED).collect()));
    }
    for (place, (name, value)) in parameters.iter().enumerate() {
        text.push(if place == 0 { '?' } else { '&' });
        text.push_str(name);
        text.push('=');
        text.extend(utf8_percent_encode(value, ESCAPED));
    }
    text
}

fn is_match(path: &[&str], segments: &[&str]) -> bool {
    let fits = |(place, (part, segment)): (usize, (&&str, &&str))| match *part {
        "{slug}" => !segment.is_empty() && !is_reserved(segment) && address::parse(segment).is_err(),
        part if is_value(part) => place > 0 || !is_reserved(segment),
        part => part == *segment,
    };
    let is_as_long = match path.last() {
        Some(&REST) => segments.len() >= path.len(),
        _ => segments.len() == path.len(),
    };
    is_as_long && path.iter().zip(segments).enumerate().all(fits)
}

pub(crate) fn is_value(part: &str) -> bool {
    part.starts_with('{')
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// First words reserved for future paths.
    const FUTURE: [&str; 1] = ["mcp"];

    #[test]
    fn a_request_is_found_at_its_endpoint() {
        let parameters = [("network", "eip155:137"), ("max-logs", "5")];
        let text = request(Endpoint::Events, &["0x1/2"], &parameters);
        assert_eq!(text, "/events/decode/0x1%2F2?network=eip155%3A137&max-logs=5");
        for (path, endpoint) in &PATHS {
            let values = vec!["0x00"; path.iter().filter(|part| is_value(part)).count()];
            let text = request(*endpoint, &values, &[]);
            let segments: Vec<&str> = text.split('/').skip(1).collect();
            let slug = path.contains(&"{slug}");
            assert!(slug || find(&segments).is_some_and(|(found, _)| found == *endpoint), "{text}");
        }
    }

    #[test]
    fn the_reserved_words_are_those_that_paths_begin_with() {
        let first = PATHS
            .iter()
            .chain(&PAGES)
            .filter_map(|(path, _)| path.first())
            .filter(|word| !is_value(word) && !word.is_empty());
        let words: BTreeSet<&str> = first.chain(&FUTURE).copied().collect();
        assert_eq!(words, RESERVED_WORDS.into());
    }

    #[test]
    fn pages_of_the_book_are_at_any_depth() {
        let found = |segments: &[&'static str]| find(segments).map(|(endpoint, values)| (endpoint, values.len()));
        for path in [&["docs"][..], &["docs", "a"], &["docs", "a", "b", "c", "d"]] {
            assert_eq!(found(path), Some((Endpoint::Docs, path.len().min(2) - 1)), "{path:?}");
        }
        assert_eq!(found(&[""]), Some((Endpoint::Explorer, 0)));
        assert_eq!(found(&["assets", "main-a1.js"]), Some((Endpoint::Explorer, 1)));
        assert_eq!(found(&["assets"]), None);
        assert_eq!(found(&["problems", "deadline"]), Some((Endpoint::Problems, 1)));
        assert_eq!(found(&["problems", "a", "b"]), None);
        assert_eq!(found(&["llms.txt", "a"]), None);
    }
}
