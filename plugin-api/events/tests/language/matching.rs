//! Selection of the row that decodes a log.

use crate::*;

const TRANSFERS: &str = "\
[fungible]
TRANSFER Transfer(address indexed from, address indexed to, uint256 value) from=from to=to asset=contract amount=value
[unique]
NFT_TRANSFER Transfer(address indexed from, address indexed to, uint256 indexed id)
    from=from to=to collection=contract tokenId=id
[early]
TRANSFER Transfer(address from, address to, uint256 value) from=from to=to asset=contract amount=value
";

fn sections(topics: &[B256], data: &[B256]) -> Vec<String> {
    let sent = transaction(vec![log("Transfer(address,address,uint256)", topics, data)]);
    decode_with(&table(TRANSFERS), &sent, &[]).events.into_iter().map(|(_, section)| section).collect()
}

#[test]
fn events_with_one_topic_are_distinguished_by_their_indexing() {
    let words = [address(1), address(2), number(3)];
    assert_eq!(sections(&words[..2], &words[2..]), ["fungible"]);
    assert_eq!(sections(&words, &[]), ["unique"]);
    assert_eq!(sections(&[], &words), ["early"]);
}

#[test]
fn a_note_has_the_selector_of_the_call_as_its_topic() {
    let row = "STAKE 0x3b4da69f(address indexed usr, uint256 indexed wad) user=usr amount=wad";
    let note = |selector: u32| {
        let topics = vec![B256::right_padding_from(&selector.to_be_bytes()), address(1), number(7)];
        Log { topics, ..log("", &[], &[]) }
    };
    assert_eq!(member(&decode(row, vec![note(0x3b4d_a69f)]), "amount"), Some(raw(7, None)));
    assert!(decode(row, vec![note(0xef69_3bed)]).is_empty());
}

#[test]
fn a_log_of_the_wrong_length_is_not_decoded() {
    let words = [address(1), address(2), number(3)];
    assert_eq!(sections(&words[..2], &[]), [""; 0]);
    assert_eq!(sections(&words[..1], &words[1..]), [""; 0]);
    assert_eq!(sections(&words[..2], &words), [""; 0], "data that is longer than its type");
    assert_eq!(sections(&[words[0], words[1], words[2], words[2]], &[]), [""; 0]);
    let mut cut = log("Transfer(address,address,uint256)", &words[..2], &words[2..]);
    cut.data = Bytes::copy_from_slice(&cut.data[..31]);
    assert_eq!(decode(TRANSFERS, vec![cut]), []);
}

#[test]
fn a_word_that_is_not_padded_as_its_type_is_not_decoded() {
    let narrow = "VOTE Cast(uint8 a, int8 b, bool c, bytes4 d, address e) support=a";
    let cast = |at: usize, word: B256| {
        let mut words = [number(1), below_zero(1), number(1), B256::right_padding_from(&[1, 2, 3, 4]), address(1)];
        words[at] = word;
        decode(narrow, vec![log("Cast(uint8,int8,bool,bytes4,address)", &[], &words)]).len()
    };
    assert_eq!(cast(0, number(255)), 1);
    assert_eq!(cast(0, number(256)), 0);
    assert_eq!(cast(1, below_zero(128)), 1);
    assert_eq!(cast(1, below_zero(129)), 0);
    assert_eq!(cast(1, number(127)), 1);
    assert_eq!(cast(1, number(128)), 0);
    assert_eq!(cast(2, number(2)), 0);
    assert_eq!(cast(3, B256::right_padding_from(&[1, 2, 3, 4, 5])), 0);
    assert_eq!(cast(4, B256::repeat_byte(1)), 0);
}

#[test]
fn anonymous_logs_and_unknown_topics_are_left_alone() {
    let mut anonymous = transfer(1, 2, 3, 4);
    anonymous.topics.clear();
    assert_eq!(decode(TRANSFERS, vec![anonymous, log("Other()", &[], &[])]), []);
}

#[test]
fn the_first_row_that_matches_decodes_the_log() {
    let rows = "\
STAKE Deposit(uint256 pid, uint256 amount) amount=amount if pid > 2
UNSTAKE Deposit(uint256 pid, uint256 amount) amount=amount if pid < 2
CLAIM Deposit(uint256 pid, uint256 amount) amount=amount if pid = 2 and amount != 9
LOCK Deposit(uint256 pid, uint256 amount) amount=amount";
    let kind = |pid: u64, amount: u64| {
        let events = decode(rows, vec![log("Deposit(uint256,uint256)", &[], &[number(pid), number(amount)])]);
        events.iter().map(|event| event.kind.name()).collect::<Vec<_>>().join(",")
    };
    assert_eq!([kind(3, 1), kind(1, 1), kind(2, 1), kind(2, 9)], ["STAKE", "UNSTAKE", "CLAIM", "LOCK"]);
}

#[test]
fn events_are_in_the_order_of_their_logs_whenever_they_were_decoded() {
    let rows = "\
STAKE Slow(uint256 amount) amount=amount asset=contract.token()
UNSTAKE Quick(uint256 amount) amount=amount";
    let logs = ["Slow(uint256)", "Quick(uint256)", "Slow(uint256)"].map(|of| log(of, &[], &[number(1)]));
    let chain = [(view(0xcc, "token()", &[]), reply(&[address(1)]))];
    let decoded = decode_with(&table(rows), &transaction(logs.to_vec()), &chain);
    assert_eq!(decoded.events.iter().map(|(event, _)| event.log).collect::<Vec<_>>(), [0, 1, 2]);
}
