//! The scorer on two made-up transactions: a right answer has every point, and each way to be wrong costs its own.

use anyhow::Result;

use super::contract::{self, DECIMALS, NAME};
use super::files::Corpus;
use super::score::{self, Judgement, Tier};
use super::table::Table;
use portolan_tests::chain::Chain;
use portolan_tests::json::Json;

const COIN: &str = "0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0";
const ODD: &str = "0xd0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0d0";
const POOL: &str = "0xb0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0b0";
const LEND: &str = "0x1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e";
const NFT: &str = "0x4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f4f";
const ALICE: &str = "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1";
const BOB: &str = "0xb2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2b2";
const ZERO: &str = "0x0000000000000000000000000000000000000000";

fn sample() -> Corpus {
    Corpus::read(&portolan_tests::build::workspace().join("tests/bench/corpus-sample")).unwrap()
}

/// What must be answered for each of the two.
fn right() -> [String; 2] {
    let first = format!(
        r#"{{"items":[
          {{"type":"TRANSFER","logIndex":null,"metadata":{{"from":"{ALICE}","to":"{LEND}","asset":{{"address":"0x0","type":"NATIVE"}},"amount":0.001,"amountRaw":"1000000000000000"}}}},
          {{"type":"MINT","logIndex":3,"metadata":{{"from":"{ZERO}","to":"{ALICE}","asset":{{"address":"{COIN}"}},"amount":1.5,"amountRaw":"1500000"}}}},
          {{"type":"SUPPLY","logIndex":4,"metadata":{{"user":"{ALICE}","onBehalfOf":"{BOB}","asset":{{"address":"{COIN}"}},"amount":2.5,"amountRaw":"2500000"}}}}]}}"#
    );
    let batch = |id: u32, raw: u32| {
        format!(
            r#"{{"type":"NFT_TRANSFER","logIndex":0,"metadata":{{"from":"{ALICE}","to":"{BOB}","collection":"{NFT}","tokenId":"{id}","amount":{raw},"amountRaw":"{raw}"}}}}"#
        )
    };
    let second = format!(
        r#"{{"items":[{},{},
          {{"type":"SWAP","logIndex":1,"metadata":{{"user":"{ALICE}","recipient":"{BOB}","pool":"{POOL}","fromToken":{{"address":"{COIN}"}},"fromAmount":0.0003,"fromAmountRaw":"300","toToken":{{"address":"{ODD}"}},"toAmount":299,"toAmountRaw":"299"}}}}]}}"#,
        batch(5, 1),
        batch(6, 9),
    );
    [first, second]
}

fn verdicts(corpus: &Corpus, answers: &[String; 2]) -> Vec<Judgement> {
    let judged = corpus.transactions.iter().zip(answers);
    judged.flat_map(|(mined, answer)| score::transaction(corpus, mined, Ok(Json::parse(answer).unwrap()))).collect()
}

fn is_enough(corpus: &Corpus, answers: &[String; 2]) -> bool {
    let mut table = Table::default();
    for (mined, answer) in corpus.transactions.iter().zip(answers) {
        table.add(mined, &score::transaction(corpus, mined, Ok(Json::parse(answer).unwrap())));
    }
    table.is_enough()
}

#[test]
fn a_right_answer_has_every_point() {
    let (corpus, answers) = (sample(), right());
    let verdicts = verdicts(&corpus, &answers);
    let counted: Vec<(Tier, &str)> = verdicts.iter().map(|verdict| (verdict.tier, verdict.kind.as_str())).collect();
    let expected = [
        (Tier::Core, "TRANSFER of value"),
        (Tier::Core, "TRANSFER"),
        (Tier::Protocol, "SUPPLY"),
        (Tier::Core, "NFT_TRANSFER"),
        (Tier::Protocol, "SWAP"),
    ];
    assert_eq!(counted, expected);
    assert!(verdicts.iter().all(|verdict| verdict.wrong.is_none()), "{verdicts:?}");
    assert!(is_enough(&corpus, &answers));
}

#[test]
fn each_way_to_be_wrong_fails_and_costs_its_own_tier() {
    let corpus = sample();
    let extra = |kind: &str, log: u32| {
        format!(r#"{{"items":[{{"type":"{kind}","logIndex":{log},"metadata":{{"amountRaw":"7"}}}},"#)
    };
    let cases = [
        // Which transaction, what is exchanged in its answer, and the tier that it costs.
        (0, r#""MINT""#, r#""TRANSFER""#.to_owned(), Tier::Core),
        (0, r#""amount":1.5"#, r#""amount":1.50000001"#.to_owned(), Tier::Core),
        (0, r#""1500000""#, r#""1500001""#.to_owned(), Tier::Core),
        (0, r#""amountRaw":"1000000000000000""#, r#""amountRaw":"1""#.to_owned(), Tier::Core),
        (0, r#""logIndex":null"#, r#""logIndex":5"#.to_owned(), Tier::Core),
        (0, r#""logIndex":3"#, r#""logIndex":9"#.to_owned(), Tier::Core),
        (0, r#"{"items":["#, extra("TRANSFER", 5), Tier::Core),
        (0, r#"{"items":["#, extra("WRAP", 5), Tier::Mistold),
        (0, r#""SUPPLY""#, r#""BORROW""#.to_owned(), Tier::Protocol),
        (0, r#""2500000""#, r#""2500001""#.to_owned(), Tier::Protocol),
        (0, &format!(r#""onBehalfOf":"{BOB}""#), format!(r#""onBehalfOf":"{ALICE}""#), Tier::Protocol),
        (1, r#""tokenId":"6""#, r#""tokenId":"5""#.to_owned(), Tier::Core),
        (1, r#""amountRaw":"9""#, r#""amountRaw":"8""#.to_owned(), Tier::Core),
        (1, r#""type":"NFT_TRANSFER","logIndex":0"#, r#""type":"TRANSFER","logIndex":0"#.to_owned(), Tier::Core),
        (1, r#""fromAmountRaw":"300""#, r#""fromAmountRaw":"301""#.to_owned(), Tier::Protocol),
        (1, &format!(r#""recipient":"{BOB}""#), r#""recipient":null"#.to_owned(), Tier::Protocol),
    ];
    for (place, from, to, tier) in cases {
        let mut answers = right();
        assert!(answers[place].contains(from), "{from}");
        answers[place] = answers[place].replacen(from, &to, 1);
        let wrong: Vec<Judgement> = verdicts(&corpus, &answers).into_iter().filter(|one| one.wrong.is_some()).collect();
        assert!(wrong.iter().any(|one| one.tier == tier), "{from} → {to}: {wrong:?}");
        assert!(!is_enough(&corpus, &answers), "{from} → {to}");
    }
}

#[test]
fn a_swap_of_a_pool_with_unknown_tokens_counts_by_its_type_alone() {
    let mut corpus = sample();
    corpus.pools.clear();
    let mut answers = right();
    answers[1] = answers[1].replace(r#""toAmountRaw":"299""#, r#""toAmountRaw":"1""#);
    assert!(is_enough(&corpus, &answers));
    answers[1] = answers[1].replace(r#""SWAP""#, r#""WRAP""#);
    assert!(!is_enough(&corpus, &answers));
}

#[test]
fn no_answer_has_no_point() {
    let corpus = sample();
    let refused = |mined| score::transaction(&corpus, mined, Err("502".to_owned()));
    let verdicts: Vec<Judgement> = corpus.transactions.iter().flat_map(refused).collect();
    assert_eq!(verdicts.len(), 5);
    assert!(verdicts.iter().all(|verdict| verdict.wrong.is_some()), "{verdicts:?}");
}

#[test]
fn an_assembled_contract_answers_its_views_and_reverts_on_all_others() -> Result<()> {
    const LONG: &str = "a name of more bytes than a word of them has";
    let chain = Chain::bare(1)?;
    let views = [(NAME, contract::text(LONG)), (DECIMALS, contract::number(6))];
    chain.rpc("anvil_setCode", serde_json::json!([COIN, contract::code(&views)?]))?;
    let call = |selector: &str| {
        let call = serde_json::json!([{"to": COIN, "data": format!("0x{selector}")}, "latest"]);
        chain.rpc("eth_call", call).map(|word| word.as_str().unwrap_or_default().to_owned())
    };
    assert_eq!(call(DECIMALS)?, format!("0x{:064x}", 6));
    let name = call(NAME)?;
    let bytes: Vec<u8> =
        (2..name.len()).step_by(2).map(|at| u8::from_str_radix(&name[at..at + 2], 16).unwrap()).collect();
    // Where it begins, its length, its bytes, zeros up to a word.
    assert_eq!((bytes[31], usize::from(bytes[63]), bytes.len()), (32, LONG.len(), 128));
    assert_eq!(std::str::from_utf8(&bytes[64..64 + LONG.len()])?, LONG);
    assert!(bytes[64 + LONG.len()..].iter().all(|byte| *byte == 0));
    assert!(call(contract::SYMBOL).unwrap_err().to_string().contains("revert"));
    Ok(())
}
