//! The built-in list, which `host/tokens` generates; its sources and licence are noted there.
//!
//! Invariant: the rows match the checksum in their head. A test checks the counts in it.

use std::collections::BTreeSet;

use alloy::primitives::hex;
use sha2::{Digest, Sha256};

use super::list::{ListBuilder, ListVersion, ListedToken, TokenList, evm_address};
use super::logo;

const TEXT: &str = include_str!("../../../tokens/shipped.tsv");

/// Version of the file's format; the source lists have versions of their own.
const VERSION: ListVersion = ListVersion { major: 1, minor: 0, patch: 0 };

/// A defect of the built-in list, from its generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ShippedError {
    #[error("the built-in list's rows do not match the checksum in its head")]
    Sum,
    #[error("row {0} of the built-in list is not a valid token")]
    Row(usize),
}

/// Parses the built-in list, reduced to the networks with these chain ids.
pub(super) fn read(chain_ids: &BTreeSet<u64>) -> Result<TokenList, ShippedError> {
    parse(TEXT, chain_ids)
}

fn parse(text: &str, chain_ids: &BTreeSet<u64>) -> Result<TokenList, ShippedError> {
    let (head, rows) = split(text).ok_or(ShippedError::Sum)?;
    if claim(head, "sha256") != Some(&hex::encode(Sha256::digest(rows))) {
        return Err(ShippedError::Sum);
    }
    let mut entries = ListBuilder::new(chain_ids);
    for (place, row) in rows.lines().enumerate() {
        push(&mut entries, row).ok_or(ShippedError::Row(place))?;
    }
    Ok(entries.into_list(VERSION))
}

fn push(entries: &mut ListBuilder<'_>, row: &str) -> Option<()> {
    let mut cells = row.split('\t');
    let mut cell = || cells.next();
    let (chain_id, token, decimals) = (cell()?.parse().ok()?, evm_address(cell()?)?, cell()?.parse().ok()?);
    let (symbol, name, logo) = (cell()?, cell()?, logo::of_list(cell().filter(|logo| !logo.is_empty())));
    entries.push(chain_id, token, &ListedToken::new(name, symbol, decimals, logo));
    Some(())
}

/// Splits the leading lines that begin with `#` from the others.
fn split(text: &str) -> Option<(&str, &str)> {
    let mut end = 0;
    for line in text.split_inclusive('\n').take_while(|line| line.starts_with('#')) {
        end += line.len();
    }
    text.split_at_checked(end)
}

/// The value after `# key` in the head.
fn claim<'a>(head: &'a str, key: &str) -> Option<&'a str> {
    head.lines().find_map(|line| line.strip_prefix("# ")?.strip_prefix(key)?.strip_prefix(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token_list::index::TokenIndex;

    /// Chain ids and counts as claimed in the head.
    fn claimed() -> Vec<(u64, usize)> {
        let (head, _) = split(TEXT).unwrap();
        let pair = |claim: &str| {
            let (chain_id, count) = claim.split_once(':').unwrap();
            (chain_id.parse().unwrap(), count.parse().unwrap())
        };
        claim(head, "tokens").unwrap().split(' ').map(pair).collect()
    }

    #[test]
    fn the_built_in_list_holds_what_its_head_claims() {
        let claimed = claimed();
        let chain_ids: Vec<u64> = claimed.iter().map(|(chain_id, _)| *chain_id).collect();
        let expected = [
            1, 10, 56, 100, 130, 137, 146, 250, 324, 480, 5000, 8453, 42161, 42220, 43114, 57073, 59144, 80094, 81457,
            534352,
        ];
        assert_eq!(chain_ids, expected);
        let list = read(&chain_ids.into_iter().collect()).unwrap();
        let index = TokenIndex::merge([Some(&list)]);
        for (chain_id, count) in &claimed {
            assert_eq!(index.tokens(*chain_id).len(), *count, "{chain_id}");
        }
        let (_, rows) = split(TEXT).unwrap();
        assert_eq!(list.entries.len(), rows.lines().count(), "a row is doubled or a placeholder");
        assert_eq!(list.entries.len(), claimed.iter().map(|(_, count)| count).sum::<usize>());
        assert!(list.entries.len() > 1000, "{}", list.entries.len());
    }

    #[test]
    fn a_well_known_token_of_each_network_is_built_in() {
        // The wrapped native tokens of the built-in networks, which `network.rs` takes from another source.
        let networks = portolan_base::network::Networks::new([]);
        let chain_ids = networks.iter().map(|network| network.chain_id).collect();
        let index = TokenIndex::merge([Some(&read(&chain_ids).unwrap())]);
        let without_tokens =
            ["polygon_mumbai", "base", "mantle", "sonic", "unichain", "worldchain", "ink", "berachain"];
        for network in networks.iter().filter(|network| !without_tokens.contains(&network.slug.as_str())) {
            // CELO has no wrapper.
            let Some(wrapper) = network.wrapped_native else { continue };
            let listed = index.get(network.chain_id, wrapper);
            assert_eq!(listed.map(|listed| listed.decimals), Some(18), "{}", network.slug);
        }
        assert!(index.tokens(80001).is_empty() && index.tokens(8453).is_empty());
    }

    #[test]
    fn each_source_is_listed_with_version_date_licence_and_sum() {
        let (head, _) = split(TEXT).unwrap();
        let sources: Vec<&str> = head.lines().filter_map(|line| line.strip_prefix("# source ")).collect();
        assert!(!sources.is_empty());
        for source in sources {
            let [name, version, date, licence, sum] = *source.split(' ').collect::<Vec<_>>() else {
                panic!("{source}");
            };
            assert!(include_str!("../../../tokens/package-lock.json").contains(sum), "{name}");
            assert!(include_str!("../../../tokens/package.json").contains(&format!("\"{name}\": \"{version}\"")));
            assert!(humantime::parse_rfc3339(date).is_ok(), "{date}");
            assert_eq!(licence, "MIT", "{name}");
        }
    }

    #[test]
    fn a_changed_row_is_found() {
        let one = BTreeSet::from([1]);
        assert_eq!(parse(&TEXT.replacen("\t18\t", "\t19\t", 1), &one), Err(ShippedError::Sum));
        assert_eq!(parse("", &one), Err(ShippedError::Sum));
        let rows = "1\t0x00\t18\tA\tA\t\n";
        let text = format!("# sha256 {}\n{rows}", hex::encode(Sha256::digest(rows)));
        assert_eq!(parse(&text, &one), Err(ShippedError::Row(0)));
    }
}
