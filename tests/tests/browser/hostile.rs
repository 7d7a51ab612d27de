//! Tokens whose names attack the page, one that bears the symbol of a listed one, and claims that do other than they say.

use std::io::Write as _;

use anyhow::Result;
use portolan_tests::chain::Chain;
use portolan_tests::farms::{self, ACCOUNT, CHAIN_ID, DECIMALS, Deed, NETWORK, farm, token};
use portolan_tests::gateway::Gateway;
use portolan_tests::stage::{stage, with_explorer};
use portolan_tests::token_list::token_list;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

/// Tokens that a list has: the first is owed too, of the others the list alone knows.
const LISTED: [(&str, &str); 3] = [("Harbour", "HRB"), ("Quickswap", "QUICK"), ("USD Coin", "USDC")];
/// Listed tokens of which no contract is here.
const ELSEWHERE: [&str; 2] =
    ["0xb5c064f955d8e7f38fe0460c556a72987494ee17", "0x2791bca1f2de4661ed88a30c99a7a9449aa84174"];

/// Name and symbol of each token, and true for those that look like a listed one.
const TOKENS: [(&str, &str, bool); 7] = [
    ("<img src=x onerror=\"document.title='owned'\">", "<b>bold</b>", false),
    ("</script><script>document.title='owned'</script>", "javascript:alert(1)", false),
    ("Right \u{202e}tfel ot\u{202c} \u{2067}isolated", "\u{202e}KCIUQ", false),
    ("Zero\u{200b}\u{200d}\u{feff}width", "US\u{200b}DC", true),
    ("Quickswap", "QUICK", true),
    // The first letter is Cyrillic.
    ("\u{41d}arbour", "\u{41d}RB", true),
    ("\u{5e9}\u{5e7}\u{5dc} \u{627}\u{644}", "\u{5e9}\u{5e7}\u{5dc}", false),
];
/// Letters of one name more.
const LONG: usize = 1000;

/// What farms do, and what claims of them are called.
const DEEDS: [(Deed, &str); 3] = [(Deed::PayNothing, "differs"), (Deed::Fail, "reverted"), (Deed::Approve, "refused")];

#[test]
fn no_token_or_contract_deceives_who_looks() {
    let browser = crate::browser!();
    let chain = Chain::bare(CHAIN_ID).unwrap();
    let farms = place(&chain).unwrap();
    chain.settle().unwrap();
    let mut list = NamedTempFile::with_suffix(".json").unwrap();
    list.write_all(&serde_json::to_vec(&known(&farms)).unwrap()).unwrap();
    let gateway = serve(&chain, &farms, &list).unwrap();
    let tokens = hostile()
        .into_iter()
        .map(|(name, symbol, is_lookalike)| json!({"name": name, "symbol": symbol, "isLookalike": is_lookalike}));
    let verdicts = DEEDS.map(|(_, verdict)| verdict);
    let expected = json!({"address": ACCOUNT, "tokens": tokens.collect::<Vec<_>>(), "verdicts": verdicts});
    browser.check("hostile", stage(&gateway, [(NETWORK, &chain)], expected).unwrap()).unwrap();
}

fn hostile() -> Vec<(String, String, bool)> {
    let long = "Long".repeat(LONG / 4);
    let tokens = TOKENS.into_iter().chain([(long.as_str(), long.as_str(), false)]);
    tokens.map(|(name, symbol, is_lookalike)| (name.to_owned(), symbol.to_owned(), is_lookalike)).collect()
}

/// What stands on the chain.
struct Placed {
    listed: String,
    farms: Vec<String>,
}

/// Places a farm for each token, and one for each deed.
fn place(chain: &Chain) -> Result<Placed> {
    let (name, symbol) = LISTED[0];
    let listed = token(chain, name, symbol)?;
    let mut farms = vec![farm(chain, &listed, Deed::Pay)?];
    for (name, symbol, _) in hostile() {
        farms.push(farm(chain, &token(chain, &name, &symbol)?, Deed::Pay)?);
    }
    let plain = token(chain, "Reward", "RWD")?;
    for (deed, _) in DEEDS {
        farms.push(farm(chain, &plain, deed)?);
    }
    Ok(Placed { listed, farms })
}

/// The list of tokens that are known.
fn known(Placed { listed, .. }: &Placed) -> Value {
    let addresses = [listed.as_str()].into_iter().chain(ELSEWHERE);
    let row = |((name, symbol), address): (&(&str, &str), &str)| json!({"chainId": CHAIN_ID, "address": address, "name": name, "symbol": symbol, "decimals": DECIMALS});
    token_list("Known tokens", &LISTED.iter().zip(addresses).map(row).collect::<Vec<_>>())
}

fn serve(chain: &Chain, Placed { farms, .. }: &Placed, list: &NamedTempFile) -> Result<Gateway> {
    let lists = format!("[tokens]\nshipped = false\nlists = [{:?}]\n", list.path());
    with_explorer(farms::setup(chain, farms)?.config(&lists))?.start()
}
