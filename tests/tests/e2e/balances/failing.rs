//! Tokens and networks that fail hide nothing else, and are counted and named.

use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::truth::ACCOUNTS;

use super::{assert_equal, fixture, joined, partial};

#[test]
fn failing_tokens_are_counted_for_every_account() {
    let fixture = fixture();
    for who in ACCOUNTS {
        let counts = joined(fixture.truths().map(partial));
        assert!(counts.starts_with("tokens/ethereum;reason=upstream;count=3, "), "{counts}");
        assert_eq!(fixture.tokens(who, "").header("portolan-partial"), Some(counts.as_str()), "{who}");
    }
}

#[test]
fn failing_tokens_are_named_in_full_detail() {
    let fixture = fixture();
    let full = fixture.tokens("odd", "?detail=full").json().unwrap();
    let jobs = full.at("report/jobs").unwrap().items().unwrap();
    assert_eq!(jobs.len(), fixture.truths().count(), "{jobs:?}");
    for (job, truth) in jobs.iter().zip(fixture.truths()) {
        for (member, expected) in
            [("protocol", "tokens"), ("network", &truth.network), ("status", "partial"), ("reason", "upstream")]
        {
            assert_eq!(job.text_at(member).unwrap(), expected, "{job}");
        }
        for token in truth.failed_tokens().unwrap() {
            assert!(job.text_at("detail").unwrap().contains(token), "{token} is not named: {job}");
        }
        for member in ["durationMs", "waves", "reads"] {
            assert!(job.number_at(member).unwrap().to_string().parse::<u64>().is_ok(), "{job}");
        }
        let block = full.at(&format!("report/blocks/{}", truth.network)).unwrap();
        for member in ["number", "hash", "timestamp"] {
            assert_eq!(block.at(member).unwrap(), truth.block(member).unwrap(), "{block}");
        }
    }
}

#[test]
fn a_network_that_is_down_costs_its_own_rows_alone() {
    let fixture = fixture();
    let down = RpcFault::before(&fixture.world.chain("optimism").unwrap().0.url).unwrap();
    down.set(Fault::Close);
    let others = || fixture.world.chains.iter().filter(|(_, truth)| truth.network != "optimism");
    let setup = fixture.world.with(&[]).unwrap().rpc("optimism", &down.url());
    let gateway = others().fold(setup, |setup, (chain, truth)| setup.rpc(&truth.network, &chain.url)).start().unwrap();
    let account = fixture.account("farmer");

    let response = gateway.get(&format!("/balance/{account}/token-balances")).unwrap();
    assert_eq!(response.status, 200, "{}", response.body);
    let expected: Vec<Json> =
        others().flat_map(|(_, truth)| truth.token_balances("farmer", &truth.prices().unwrap()).unwrap()).collect();
    assert_equal("the other networks", &response.json().unwrap(), &expected);
    let reported = response.header("portolan-partial").unwrap();
    for (_, truth) in others() {
        assert!(reported.contains(&partial(truth)), "{reported}");
    }
    assert!(reported.contains("/optimism;reason=upstream"), "{reported}");
    assert!(!response.header("portolan-blocks").unwrap().contains("optimism"), "{response:?}");

    for call in ["balance/{}/token-balances", "balance/{}/native-balance", "{}/native-balance"] {
        let path = format!("/{}?network=optimism", call.replace("{}", account));
        problem::detail(&gateway.get(&path).unwrap(), 502, "upstream").unwrap();
    }
    let native = gateway.get(&format!("/{account}/native-balance")).unwrap();
    assert_eq!(native.json().unwrap().items().unwrap().len(), 2, "{}", native.body);
    assert!(native.header("portolan-partial").unwrap().contains("/optimism;reason=upstream"), "{native:?}");
}
