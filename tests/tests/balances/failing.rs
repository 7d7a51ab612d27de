//! Tokens and networks that fail hide nothing else, and are counted and named.

use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::truth::ACCOUNTS;

use super::{assert_equal, joined, partial, scene};

#[test]
fn failing_tokens_are_counted_whoever_asks() {
    let scene = scene!();
    let counts = joined(scene.truths().map(partial));
    assert!(counts.starts_with("tokens/ethereum;reason=upstream;count=4, "), "{counts}");
    for who in ACCOUNTS {
        assert_eq!(scene.tokens(who, "").header("portolan-partial"), Some(counts.as_str()), "{who}");
    }
}

#[test]
fn failing_tokens_are_named_in_full_detail() {
    let scene = scene!();
    let full = scene.tokens("odd", "?detail=full").json().unwrap();
    let jobs = full.at("report/jobs").unwrap().items().unwrap();
    assert_eq!(jobs.len(), scene.truths().count(), "{jobs:?}");
    for (job, truth) in jobs.iter().zip(scene.truths()) {
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
    let scene = scene!();
    let down = RpcFault::before(&scene.world.chain("optimism").unwrap().0.url).unwrap();
    down.set(Fault::Close);
    let others = || scene.world.chains.iter().filter(|(_, truth)| truth.network != "optimism");
    let setup = scene.world.with(&[]).unwrap().rpc("optimism", &down.url());
    let gateway = others().fold(setup, |setup, (chain, truth)| setup.rpc(&truth.network, &chain.url)).start().unwrap();
    let account = scene.account("farmer");

    let response = gateway.get(&format!("/balance/{account}/token-balances")).unwrap();
    assert_eq!(response.status, 200, "{}", response.body);
    let expected: Vec<Json> =
        others().flat_map(|(_, truth)| truth.token_balances("farmer", &truth.prices().unwrap()).unwrap()).collect();
    assert_equal("the other networks", &response.json().unwrap(), &expected);
    let told = response.header("portolan-partial").unwrap();
    for (_, truth) in others() {
        assert!(told.contains(&partial(truth)), "{told}");
    }
    assert!(told.contains("/optimism;reason=upstream"), "{told}");
    assert!(!response.header("portolan-blocks").unwrap().contains("optimism"), "{response:?}");

    for call in ["balance/{}/token-balances", "balance/{}/native-balance", "{}/native-balance"] {
        let path = format!("/{}?network=optimism", call.replace("{}", account));
        problem::detail(&gateway.get(&path).unwrap(), 502, "upstream").unwrap();
    }
    let native = gateway.get(&format!("/{account}/native-balance")).unwrap();
    assert_eq!(native.json().unwrap().items().unwrap().len(), 2, "{}", native.body);
    assert!(native.header("portolan-partial").unwrap().contains("/optimism;reason=upstream"), "{native:?}");
}
