//! Any bytes are decoded or skipped: nothing panics, and nothing outgrows the input.

use std::sync::LazyLock;

use portolan_events::ViewCall;
use proptest::prelude::*;

use crate::*;

/// Rows of every form of the language.
const ROWS: &str = "\
const Z = 5
const Y ethereum=7 base=9
SWAP A(address indexed a, uint256 b, int256 c) user=a
    swap_deltas=b-c of contract.token0() or none, c of contract.token1() pool=contract if b != c and c != Y+Z
NFT_TRANSFER B(address indexed a, uint256[] b, uint256[] c) from=a tokenId=b amount=c collection=contract
ADD_LIQUIDITY C(address[] a, int256[] b, bytes d) pool=contract
    assets=b of a.token() or none, b of contract.coins(uint256 index) user=address(d) or none
VOTE D(string a, (bytes32 x, (uint8 y, string z)[] w)[2] b, bytes[] c) reason=a node=b[0].x support=b[-1].w.y
CLAIM E(uint256[][] a, bytes32 b, int8 c) node=b amount=a[0][1]*c number=a[-1] or c
    asset=transfer_token(any, contract, a[0][0]) or none
STAKE F(uint64 a) amount=contract.rate().of(uint64 a)[2]/a+transfer_amount(any, any) recipient=tx.to or none
    remoteNetwork=layerzero_chain_id(a) or cctp_chain_id(a) or none
UNSTAKE F amount=a asset=wrapped if contract.stakes(uint64 a) > a and contract.stakes(uint64 a) exists
TRANSFER Transfer(address indexed a, address indexed b, uint256 c) from=a to=b asset=contract amount=c
CLAIM G(uint256[N] a) for N from 1 to 3 amount=a
";

/// Words and signs of rows.
const WORDS: &[&str] = &[
    "a",
    "c",
    "e.d",
    "B",
    "contract",
    "alone",
    "index",
    "native",
    "wrapped",
    "tx.from",
    "tx.value",
    "any",
    "none",
    "or",
    "of",
    "and",
    "if",
    "exists",
    "for N from 1 to 3",
    "amount=",
    "assets=",
    "swap_deltas=",
    "asset=",
    "transfer_token(",
    "transfer_amount(",
    "address(",
    "low(",
    "little_endian(",
    "sum(",
    "cctp_chain_id(",
    ".view(",
    "uint256",
    "(",
    ")",
    "[0]",
    "[-1]",
    ",",
    "+",
    "-",
    "*",
    "/",
    "=",
    "!=",
    "<",
    ">",
    "1",
    "0x0101010101010101010101010101010101010101",
    "\n",
    "\n ",
    "#",
    "[s]",
    "table t",
    "const",
];

static TABLE: LazyLock<Table> = LazyLock::new(|| table(ROWS));

/// Words of ABI data: small numbers, offsets, addresses, and arbitrary ones.
fn word() -> impl Strategy<Value = B256> {
    prop_oneof![
        (0_u64..8).prop_map(number),
        (0_u64..16).prop_map(|words| number(32 * words)),
        any::<u8>().prop_map(address),
        any::<[u8; 32]>().prop_map(B256::from),
        Just(B256::repeat_byte(0xff)),
    ]
}

fn any_log() -> impl Strategy<Value = Log> {
    let topics = TABLE.topics().collect::<Vec<_>>();
    let first = prop_oneof![9 => proptest::sample::select(topics), 1 => any::<[u8; 32]>().prop_map(B256::from)];
    let rest = (proptest::collection::vec(word(), 0..4), proptest::collection::vec(word(), 0..24));
    (any::<bool>(), first, rest, 0_usize..32).prop_map(|(named, first, (topics, data), cut)| {
        let mut data: Vec<u8> = data.iter().flat_map(|word| word.0).collect();
        data.truncate(data.len().saturating_sub(cut / 4));
        let topics = named.then_some(first).into_iter().chain(topics).collect();
        Log { index: 0, address: account(0xcc), topics, data: data.into() }
    })
}

fn result() -> impl Strategy<Value = ViewResult> {
    prop_oneof![
        proptest::collection::vec(word(), 0..5).prop_map(|words| reply(&words)),
        proptest::collection::vec(any::<u8>(), 0..80).prop_map(|bytes| ViewResult::Returned(bytes.into())),
        Just(ViewResult::Reverted),
        Just(ViewResult::ReadFailed),
    ]
}

proptest! {
    #[test]
    fn any_logs_and_any_results_are_decoded_or_left(
        logs in proptest::collection::vec(any_log(), 0..12),
        results in proptest::collection::vec(result(), 1..40),
    ) {
        let transaction = transaction(logs);
        let mut decoding = Decoding::new(&TABLE, &transaction, network());
        let mut results = results.into_iter().cycle();
        let mut known = Vec::<ViewCall>::new();
        for _round in 0..4 {
            let calls = decoding.next_calls();
            prop_assert!(calls.iter().all(|call| !known.contains(call)));
            known.extend(calls.iter().cloned());
            decoding.record(results.by_ref().take(calls.len()).collect());
        }
        let decoded = decoding.finish();
        prop_assert!(decoded.events.is_sorted_by_key(|(event, _)| event.log));
        for (event, _) in &decoded.events {
            let names: std::collections::BTreeSet<_> = event.members.iter().map(|(name, _)| name).collect();
            prop_assert_eq!(names.len(), event.members.len());
        }
    }

    #[test]
    fn any_words_are_a_table_or_rejected(words in proptest::collection::vec(proptest::sample::select(WORDS), 0..24)) {
        let text = words.join(" ");
        let _ = Table::parse(&format!("const B base=1\nSTAKE Put(uint256 a, address[] c, (bytes d) e) {text}"));
        let _ = Table::parse(&format!("STAKE Put(uint256 a, address[] c, (bytes d) e) amount={text}\nCLAIM Put {text}"));
    }

    #[test]
    fn any_text_is_a_table_or_rejected(text in "[A-Za-z0-9 \n\\[\\]().,:=#*/+<>!-]{0,120}") {
        let _ = Table::parse(&text);
        let _ = Table::parse(&format!("STAKE Put(uint256 a, bytes b) {text}"));
        let _ = Table::parse(&format!("STAKE Put(uint256[] a) amount={text}"));
        let _ = Table::parse(&format!("table t\nconst A {text}\nSTAKE Put(uint256[N] a) for N from {text}"));
    }
}

#[test]
fn lengths_and_offsets_beyond_the_data_are_not_followed() {
    let row = "VOTE Cast(string a) reason=a";
    let decoded = |words: &[B256]| decode(row, vec![log("Cast(string)", &[], words)]).len();
    assert_eq!(decoded(&[number(32), number(3), B256::right_padding_from(b"abc")]), 1);
    assert_eq!(decoded(&[number(32), number(0)]), 1);
    assert_eq!(decoded(&[number(32), number(33), B256::ZERO]), 0);
    assert_eq!(decoded(&[number(64), number(0)]), 0);
    assert_eq!(decoded(&[number(32), number(u64::MAX)]), 0);
    assert_eq!(decoded(&[B256::repeat_byte(0xff), number(0)]), 0);
    assert_eq!(decoded(&[]), 0);
}

#[test]
fn the_last_bytes_may_lack_their_padding_as_old_compilers_leave_it() {
    let mut cast = log("Cast(string)", &[], &[number(32), number(3)]);
    cast.data = cast.data.iter().chain(b"abc").copied().collect::<Vec<_>>().into();
    assert_eq!(decode("VOTE Cast(string a) reason=a", vec![cast]).len(), 1);
}

#[test]
fn arrays_that_share_their_bytes_are_rejected() {
    // 64 offsets to one array of 64 numbers: 4,096 values in 131 words.
    let row = "CLAIM Paid(uint256[][] a) amount=a[0][0]";
    let mut data = vec![number(32), number(64)];
    data.extend((0..64).map(|_| number(64 * 32)));
    data.push(number(64));
    data.extend((0..64).map(number));
    assert_eq!(decode(row, vec![log("Paid(uint256[][])", &[], &data)]), []);
    // One offset to it is a plain encoding.
    let mut data = vec![number(32), number(1), number(32), number(64)];
    data.extend((0..64).map(number));
    assert_eq!(decode(row, vec![log("Paid(uint256[][])", &[], &data)]).len(), 1);
}

#[test]
fn no_more_views_are_read_than_one_decoding_may_read() {
    let row = "STAKE Put(uint256 a) asset=contract.at(uint256 a)";
    let logs = (0..5_000).map(|place| log("Put(uint256)", &[], &[number(place)])).collect();
    let (table, put) = (table(row), transaction(logs));
    let mut decoding = Decoding::new(&table, &put, network());
    let calls = decoding.next_calls();
    assert_eq!(calls.len(), 4_096);
    decoding.record(calls.iter().map(|_| reply(&[address(1)])).collect());
    assert_eq!(decoding.next_calls(), []);
    let decoded = decoding.finish();
    assert_eq!((decoded.events.len(), decoded.incomplete_logs), (4_096, 5_000 - 4_096));
}
