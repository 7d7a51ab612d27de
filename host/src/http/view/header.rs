//! Portolan's own headers: the blocks an answer is read at, the parts it lacks, the account that a name resolved to,
//! and the rate of the currency.

use alloy::primitives::Address;
use hyper::header::HeaderName;

use super::parts::lower;
use crate::gateway::answer::{Answer, AnswerCurrency, MissingEntry};
use crate::http::view::number;

pub(in crate::http) const ACCOUNT: HeaderName = HeaderName::from_static("portolan-account");
pub(in crate::http) const BLOCKS: HeaderName = HeaderName::from_static("portolan-blocks");
pub(in crate::http) const CURRENCY: HeaderName = HeaderName::from_static("portolan-currency");
pub(in crate::http) const PARTIAL: HeaderName = HeaderName::from_static("portolan-partial");

/// Maximum size, by the API's contract: proxies in front of Portolan refuse longer headers.
const PARTIAL_BYTES_MAX: usize = 4 * 1024;

/// Stands for all networks.
pub(super) const ALL: &str = "*";

const SEPARATOR: &str = ", ";

/// Returns the address that the path's name resolved to; `None` if the path has an address.
pub(in crate::http) fn account(named: Option<Address>) -> Option<String> {
    named.map(lower)
}

/// Formats `ethereum=21000000, polygon=70000000`; `None` for answers that are not about an account.
pub(in crate::http) fn blocks(answer: &Answer) -> Option<String> {
    let each = answer.blocks.iter().map(|(network, block)| format!("{}={}", network.slug, block.number));
    answer.about_account.then(|| each.collect::<Vec<_>>().join(SEPARATOR))
}

/// Formats `EUR=1.0837`: the price of one euro in dollars; `EUR` if it could not be read, `None` if the client wants
/// no currency.
pub(in crate::http) fn currency(answer: &Answer) -> Option<String> {
    let AnswerCurrency { currency, rate, .. } = answer.currency.as_ref()?;
    let rate = rate.as_ref().map(|rate| format!("={}", number::rounded(&rate.usd)));
    Some(format!("{}{}", currency.code, rate.unwrap_or_default()))
}

/// Formats `aave_v3/ethereum;reason=timeout, */polygon;reason=upstream`; `None` if nothing is missing.
pub(in crate::http) fn partial(missing: &[MissingEntry]) -> Option<String> {
    if missing.is_empty() {
        return None;
    }
    let whole = missing.iter().map(member).collect::<Vec<_>>().join(SEPARATOR);
    if whole.len() <= PARTIAL_BYTES_MAX { Some(whole) } else { Some(truncated(missing)) }
}

/// Formats as many members as fit, then the number of the others.
fn truncated(missing: &[MissingEntry]) -> String {
    let trailer = |left_out: usize| format!("truncated;count={left_out}");
    // The count has the most digits when everything is left out.
    let room_bytes = PARTIAL_BYTES_MAX - trailer(missing.len()).len();
    let mut text = String::new();
    let mut fitting: usize = 0;
    for member in missing.iter().map(member) {
        if text.len() + member.len() + SEPARATOR.len() > room_bytes {
            break;
        }
        text.push_str(&member);
        text.push_str(SEPARATOR);
        fitting += 1;
    }
    text + &trailer(missing.len() - fitting)
}

fn member(missing: &MissingEntry) -> String {
    let network = missing.network.as_ref().map_or(ALL, |network| &network.slug);
    let count = missing.count.map(|count| format!(";count={count}")).unwrap_or_default();
    format!("{}/{network};reason={}{count}", missing.subject, missing.reason.as_str())
}

#[cfg(test)]
mod tests {
    use portolan_base::network::Networks;

    use super::*;
    use crate::jobs::failure::Reason;

    fn missing(subject: &str, chain_id: u64, reason: Reason) -> MissingEntry {
        let network = Networks::new([]).with_chain_id(chain_id).cloned();
        MissingEntry { subject: subject.into(), network, reason, count: None }
    }

    #[test]
    fn what_is_missing_has_its_reason() {
        let all = [missing("aave_v3", 1, Reason::Timeout), missing("*", 137, Reason::Upstream)];
        let expected = "aave_v3/ethereum;reason=timeout, */polygon;reason=upstream";
        assert_eq!(partial(&all).as_deref(), Some(expected));
        assert_eq!(partial(&[]), None);
    }

    #[test]
    fn tokens_are_counted_and_those_of_a_list_that_was_never_read_are_on_any_network() {
        let all = [
            MissingEntry { count: Some(3), ..missing("tokens", 1, Reason::Upstream) },
            MissingEntry { network: None, ..missing("tokens", 1, Reason::Upstream) },
        ];
        let expected = "tokens/ethereum;reason=upstream;count=3, tokens/*;reason=upstream";
        assert_eq!(partial(&all).as_deref(), Some(expected));
    }

    #[test]
    fn a_long_list_ends_with_the_count_of_what_is_left_out() {
        // Each member has 47 bytes with its separator: "protocol_000/ethereum;reason=not-configured" and ", ".
        let all: Vec<_> =
            (0..500).map(|number| missing(&format!("protocol_{number:03}"), 1, Reason::NotConfigured)).collect();
        let text = partial(&all).unwrap();
        let members: Vec<_> = text.split(", ").collect();
        let (last, named) = members.split_last().unwrap();
        assert!(text.len() <= 4096);
        assert!(text.len() > 4096 - 47 - "truncated;count=500".len());
        assert_eq!(*last, format!("truncated;count={}", 500 - named.len()));
        assert_eq!(named[0], "protocol_000/ethereum;reason=not-configured");
    }

    #[test]
    fn a_list_that_just_fits_is_whole() {
        let fill = 4096 - "/ethereum;reason=timeout".len();
        let fits = [missing(&"a".repeat(fill), 1, Reason::Timeout)];
        assert_eq!(partial(&fits).unwrap().len(), 4096);
        let too_long = [missing(&"a".repeat(fill + 1), 1, Reason::Timeout)];
        assert_eq!(partial(&too_long).as_deref(), Some("truncated;count=1"));
    }
}
