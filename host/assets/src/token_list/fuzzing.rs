//! Fuzz target of token lists.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use portolan_base::network::Networks;
use portolan_base::sanitize::fuzzing::{require_sentence, require_shown};
use portolan_base::sanitize::text::Text;

use super::TokenIndex;
use super::list::{ListedToken, TokenList};
use super::schema;
use crate::token::TEXT_CHARS_MAX;

/// Maximum bytes of a refusal: the place and the broken rule.
const REFUSAL_BYTES_MAX: usize = 2048;

static CHAIN_IDS: LazyLock<BTreeSet<u64>> =
    LazyLock::new(|| Networks::new([]).iter().map(|network| network.chain_id).collect());

/// Parses any bytes as a token list. The result has each token of the gateway's networks once, as in the document and
/// with clean texts, or is an error in one bounded line that names the place.
pub fn token_list(bytes: &[u8]) {
    match schema::read(bytes, &CHAIN_IDS) {
        Ok(list) => require_tokens(&list, bytes),
        Err(error) => {
            let line = error.to_string();
            assert!(line.len() <= REFUSAL_BYTES_MAX && line.contains(": "), "{line:?}");
            require_sentence(&line);
        }
    }
}

fn require_tokens(list: &TokenList, document: &[u8]) {
    // The shortest entry is a bridged address; an escape makes it longer.
    assert!(list.entries.len() <= document.len() / 42, "{} tokens", list.entries.len());
    let has_escapes = document.contains(&b'\\');
    let text = String::from_utf8_lossy(document).to_lowercase();
    let mut tokens = BTreeSet::new();
    for entry in &list.entries {
        assert!(CHAIN_IDS.contains(&entry.chain_id) && !entry.token.is_zero(), "{entry:?}");
        assert!(tokens.insert((entry.chain_id, entry.token)), "{entry:?} is there twice");
        assert!(has_escapes || text.contains(&format!("{:#x}", entry.token)), "{entry:?} is not in the document");
        require_token(&entry.listed);
    }
    let index = TokenIndex::merge([Some(list), None]);
    assert_eq!((index.len(), index.left_out(), index.lists_missing()), (list.entries.len(), 0, 1));
    for entry in &list.entries {
        assert_eq!(index.get(entry.chain_id, entry.token), Some(&*entry.listed));
        let symbol = &entry.listed.symbol;
        assert!(symbol.is_empty() || index.has_symbol(entry.chain_id, symbol), "{entry:?}");
    }
    assert!(CHAIN_IDS.iter().all(|chain_id| index.tokens(*chain_id).is_sorted()));
}

fn require_token(listed: &ListedToken) {
    for text in [&listed.name, &listed.symbol] {
        require_shown(text.as_str());
        assert!(text.as_str().chars().count() <= TEXT_CHARS_MAX + 2, "{text:?}");
        assert_eq!(&Text::clean(text.as_str(), TEXT_CHARS_MAX), text, "cleaning again changes it");
    }
    if let Some(logo) = &listed.logo {
        let is_shown = logo.len() <= 1024 && logo.bytes().all(|byte| byte.is_ascii_graphic());
        let scheme = logo.to_ascii_lowercase();
        assert!(is_shown && (scheme.starts_with("http:") || scheme.starts_with("https:")), "{logo:?}");
    }
}
