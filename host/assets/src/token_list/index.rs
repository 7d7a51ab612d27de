//! All lists merged, by network and address.
//!
//! Invariant: the first list that names a token counts. A network's tokens are sorted by address, each once. An index
//! never changes.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use alloy::primitives::Address;
use portolan_base::sanitize::text::Text;
use unicode_security::confusable_detection::skeleton;

use super::list::{ListedToken, TokenList};

/// Maximum tokens of a network; a scan of these takes some twenty requests, the most that an answer has time for.
const NETWORK_TOKENS_MAX: usize = 50_000;

/// The tokens whose balances are looked up.
#[derive(Debug, Default)]
pub struct TokenIndex {
    /// By chain id.
    networks: BTreeMap<u64, NetworkTokens>,
    left_out: usize,
    lists_missing: usize,
}

/// The tokens of one network, sorted, with their descriptions from the lists.
#[derive(Debug, Default)]
struct NetworkTokens {
    tokens: Vec<Address>,
    listed: Vec<Arc<ListedToken>>,
    /// The symbols of all of them, in their comparison forms.
    symbols: HashSet<Box<str>>,
}

impl TokenIndex {
    /// Merges lists in order of precedence; `None` is a list that has not been read yet.
    pub(super) fn merge<'a>(lists: impl IntoIterator<Item = Option<&'a TokenList>>) -> Self {
        Self::bounded(lists, NETWORK_TOKENS_MAX)
    }

    fn bounded<'a>(lists: impl IntoIterator<Item = Option<&'a TokenList>>, network_tokens_max: usize) -> Self {
        let mut merged: BTreeMap<u64, BTreeMap<Address, Arc<ListedToken>>> = BTreeMap::new();
        let (mut left_out, mut lists_missing) = (0, 0);
        for list in lists {
            lists_missing += usize::from(list.is_none());
            for entry in list.into_iter().flat_map(|list| &list.entries) {
                let network = merged.entry(entry.chain_id).or_default();
                if network.len() < network_tokens_max {
                    network.entry(entry.token).or_insert_with(|| Arc::clone(&entry.listed));
                } else if !network.contains_key(&entry.token) {
                    left_out += 1;
                }
            }
        }
        let network = |(chain_id, network): (u64, BTreeMap<Address, Arc<ListedToken>>)| {
            let (tokens, listed): (_, Vec<Arc<ListedToken>>) = network.into_iter().unzip();
            let named = listed.iter().filter(|listed| !listed.symbol.is_empty());
            let symbols = named.flat_map(|listed| forms(listed.symbol.as_str())).map(Into::into).collect();
            (chain_id, NetworkTokens { tokens, listed, symbols })
        };
        Self { networks: merged.into_iter().map(network).collect(), left_out, lists_missing }
    }

    /// The network's tokens, sorted; empty if no list has any.
    pub fn tokens(&self, chain_id: u64) -> &[Address] {
        self.networks.get(&chain_id).map_or(&[], |network| &network.tokens)
    }

    /// The description of a token in the first list that names it; `None` if no list does.
    pub(crate) fn get(&self, chain_id: u64, token: Address) -> Option<&ListedToken> {
        let network = self.networks.get(&chain_id)?;
        let place = network.tokens.binary_search(&token).ok()?;
        network.listed.get(place).map(AsRef::as_ref)
    }

    /// Returns true if a listed token has this symbol, or one that looks like it.
    pub(crate) fn has_symbol(&self, chain_id: u64, symbol: &Text) -> bool {
        let forms = forms(symbol.as_str());
        let has = |network: &NetworkTokens| forms.iter().any(|form| network.symbols.contains(form.as_str()));
        self.networks.get(&chain_id).is_some_and(has)
    }

    /// Returns true if no list that was read has a token.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of tokens on all networks.
    pub(crate) fn len(&self) -> usize {
        self.networks.values().map(|network| network.tokens.len()).sum()
    }

    /// Number of lists' rows that did not fit into their network.
    pub(crate) fn left_out(&self) -> usize {
        self.left_out
    }

    /// Number of configured lists that have never been read: their tokens are unknown, not absent.
    pub fn lists_missing(&self) -> usize {
        self.lists_missing
    }
}

/// The forms by which symbols are compared: lower case, and the letters that theirs look like (UTS 39). Two symbols
/// look alike if they share a form.
pub fn forms(symbol: &str) -> [String; 2] {
    // Some letters look like others in one case only.
    let lower = skeleton(symbol).collect::<String>().to_lowercase();
    [symbol.to_lowercase(), skeleton(&lower).collect()]
}

#[cfg(any(test, feature = "testing"))]
impl TokenIndex {
    /// An index of one list that calls each token LISTED with 18 decimals, and of lists that were never read.
    pub fn listing(tokens: impl IntoIterator<Item = (u64, Address)>, lists_missing: usize) -> Self {
        use super::list::{ListBuilder, ListVersion};
        let tokens: Vec<(u64, Address)> = tokens.into_iter().collect();
        let chain_ids = tokens.iter().map(|(chain_id, _)| *chain_id).collect();
        let (mut entries, listed) =
            (ListBuilder::new(&chain_ids), ListedToken::new("A listed token", "LISTED", 18, None));
        for (chain_id, token) in tokens {
            entries.push(chain_id, token, &listed);
        }
        let list = entries.into_list(ListVersion::default());
        Self::merge(std::iter::once(Some(&list)).chain(std::iter::repeat_n(None, lists_missing)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::token_list::list::{ListBuilder, ListVersion};

    const A: Address = Address::repeat_byte(0xaa);
    const B: Address = Address::repeat_byte(0xbb);
    const C: Address = Address::repeat_byte(0xcc);

    fn list(tokens: &[(u64, Address, &str)]) -> TokenList {
        let chain_ids = BTreeSet::from([1, 10, 80001]);
        let mut entries = ListBuilder::new(&chain_ids);
        for (chain_id, token, symbol) in tokens {
            let logo = symbol.starts_with("https").then(|| (*symbol).into());
            entries.push(*chain_id, *token, &ListedToken::new("a token", symbol, 18, logo));
        }
        entries.into_list(ListVersion::default())
    }

    fn symbol(index: &TokenIndex, chain_id: u64, token: Address) -> Option<&str> {
        index.get(chain_id, token).map(|listed| listed.symbol.as_str())
    }

    #[test]
    fn the_first_list_that_names_a_token_counts_and_tokens_are_sorted() {
        let (first, second) = (list(&[(1, C, "c1"), (1, A, "a1")]), list(&[(1, B, "b2"), (1, A, "a2"), (10, A, "x")]));
        let index = TokenIndex::merge([Some(&first), Some(&second)]);
        assert_eq!(index.tokens(1), [A, B, C]);
        assert_eq!([A, B, C].map(|token| symbol(&index, 1, token)), [Some("a1"), Some("b2"), Some("c1")]);
        assert_eq!(symbol(&index, 10, A), Some("x"), "the same address on another network is another token");
        assert_eq!((index.len(), index.left_out()), (4, 0));
        assert_eq!(symbol(&TokenIndex::merge([Some(&second), Some(&first)]), 1, A), Some("a2"));
    }

    #[test]
    fn a_symbol_is_known_on_its_network_whatever_its_letters_are_made_of() {
        let index = TokenIndex::merge([Some(&list(&[(1, A, "WETH"), (10, B, "OP"), (1, C, "")]))]);
        let has = |chain_id, symbol: &str| index.has_symbol(chain_id, &symbol.into());
        let quick = TokenIndex::merge([Some(&list(&[(1, A, "QUICK")]))]);
        for alike in ["quick", "Quick", "QUlCK", "QU\u{406}CK", "Qu1ck"] {
            assert!(quick.has_symbol(1, &alike.into()), "{alike}");
        }
        assert!(!quick.has_symbol(1, &"QUACK".into()));
        assert!(has(1, "WETH") && has(1, "weth") && has(10, "Op"));
        // Cyrillic letters, a Greek one, and a digit.
        assert!(has(1, "W\u{415}TH") && has(1, "WE\u{422}h") && has(1, "W\u{395}TH") && has(10, "0P"));
        assert!(!has(10, "WETH") && !has(1, "WETH2") && !has(1, "") && !has(137, "WETH"));
    }

    #[test]
    fn a_token_on_no_list_is_in_no_book() {
        let index = TokenIndex::merge([Some(&list(&[(1, A, "a")]))]);
        assert_eq!((index.get(1, B), index.get(10, A)), (None, None));
        assert!(index.tokens(10).is_empty());
    }

    #[test]
    fn a_list_that_was_not_read_is_counted_and_hides_no_other() {
        let index = TokenIndex::merge([None, Some(&list(&[(1, A, "a")])), None]);
        assert_eq!((index.lists_missing(), index.tokens(1)), (2, &[A][..]));
    }

    #[test]
    fn a_network_that_is_full_takes_no_more_and_counts_those_left_out() {
        let lists = [list(&[(1, A, "a"), (1, B, "b"), (1, C, "c")]), list(&[(1, A, "other"), (10, C, "x")])];
        let index = TokenIndex::bounded(lists.iter().map(Some), 2);
        assert_eq!((index.tokens(1), index.tokens(10)), (&[A, B][..], &[C][..]));
        assert_eq!(index.left_out(), 1);
    }
}
