//! Images of tokens: what a list names, else the address that a token has in a public collection.
//!
//! Invariant: a logo is an `http` or `https` URL without control characters. Nothing here checks that an image is
//! there.

use alloy::primitives::Address;

/// Bytes of a logo's URL.
const BYTES_MAX: usize = 1024;

/// A list's `logoURI` where it is one that a browser shows; `ipfs:` and `data:` are not.
pub(super) fn of_list(uri: Option<&str>) -> Option<Box<str>> {
    let uri = uri?;
    let is_short = uri.len() <= BYTES_MAX && uri.bytes().all(|byte| byte.is_ascii_graphic());
    let is_shown = |url: url::Url| matches!(url.scheme(), "http" | "https");
    (is_short && url::Url::parse(uri).is_ok_and(is_shown)).then(|| uri.into())
}

/// Where the public collection has the token's logo, if it has one; `None` for a network that it has no folder of.
pub(super) fn of_collection(chain_id: u64, token: Address) -> Option<String> {
    let folder = portolan_networks::network(chain_id)?.logo_folder?;
    let base = "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains";
    Some(format!("{base}/{folder}/assets/{}/logo.png", token.to_checksum(None)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_collection_names_tokens_by_their_checksummed_address() {
        // The first example of EIP-55.
        let token: Address = "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed".parse().unwrap();
        let expected = "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/avalanchec/assets/\
                        0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed/logo.png";
        assert_eq!(of_collection(43114, token).as_deref(), Some(expected));
        assert_eq!(of_collection(80001, token), None);
    }

    #[test]
    fn a_lists_logo_is_taken_only_where_a_browser_shows_it() {
        let long = format!("https://l/{}", "x".repeat(BYTES_MAX));
        let cases = [
            ("https://l.example/a.png?x=1", true),
            ("http://l.example/a.png", true),
            ("ipfs://QmXfzKRvjZz3u5JRgC4v5mGVbm9ahrUiB4DgzHBsnWbTMM", false),
            ("data:image/png;base64,AAAA", false),
            ("javascript:alert(1)", false),
            ("https://l.example/a b.png", false),
            ("https://l.example/\u{202e}gnp.a", false),
            ("/a.png", false),
            ("", false),
            (&long, false),
        ];
        for (uri, taken) in cases {
            assert_eq!(of_list(Some(uri)).as_deref(), taken.then_some(uri), "{uri}");
        }
        assert_eq!(of_list(None), None);
    }
}
