//! Liquid staking tokens, the ways out of them, and restaked ones. What they have to be is said here by arithmetic;
//! `tests/chain/profiles/staked.mjs` has the history.

use portolan_tests::fork::{Fork, NATIVE, SharedFork, pays};
use portolan_tests::json::Json;

const ONE: u128 = 1_000_000_000_000_000_000;

static FORK: SharedFork = SharedFork::new("staked");

/// Symbol of the staked token, the amount of the held one, and what it stands for, of each position.
fn staked(fork: &Fork, who: &str) -> Vec<(String, u128, u128)> {
    let row = |row: &Json| {
        let raw = |member| row.text_at(member).unwrap().parse().unwrap();
        (row.text_at("stakedToken/symbol").unwrap().to_owned(), raw("amountRaw"), raw("underlyingAmountRaw"))
    };
    let mut rows: Vec<_> = fork.items("farming/{}/positions", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

/// Name, number and amount of each leg of the locked positions.
fn locked(fork: &Fork, who: &str) -> Vec<(String, String, u128)> {
    let rows = fork.items("locked/{}/positions", who).unwrap();
    let leg = |row: &Json, leg: &Json| {
        let shown = |member| row.text_at(member).unwrap().to_owned();
        (shown("name"), shown("number"), leg.text_at("amountRaw").unwrap().parse().unwrap())
    };
    let legs = |row: &Json| row.at("legs").unwrap().items().unwrap().iter().map(|it| leg(row, it)).collect::<Vec<_>>();
    let mut found: Vec<_> = rows.iter().flat_map(legs).collect();
    found.sort();
    found
}

fn row(name: &str, number: &str, amount: u128) -> (String, String, u128) {
    (name.to_owned(), number.to_owned(), amount)
}

fn held(symbol: &str, amount: u128, stands_for: u128) -> (String, u128, u128) {
    (symbol.to_owned(), amount, stands_for)
}

#[test]
fn a_token_stands_for_what_its_view_returns() {
    let fork = FORK.get().unwrap();
    // stETH is one for one; 10 wstETH by 6/5.
    assert_eq!(staked(&fork, "farmer"), [held("stETH", 8 * ONE, 8 * ONE), held("stETH", 10 * ONE, 12 * ONE)]);
    // 4 by a ratio of 4/5; 3 and one smallest unit by 11/10, which the contract rounds down.
    let ether = [held("ETH", 3 * ONE + 1, 33 * ONE / 10 + 1), held("ETH", 4 * ONE, 5 * ONE)];
    assert_eq!(staked(&fork, "whale"), ether);
    for who in ["exited", "nothing"] {
        assert_eq!(staked(&fork, who), [], "{who}");
    }
    // 18 less 3, 4, 1 and 2, at five fourths.
    assert_eq!(staked(&fork.of("benqi"), "farmer"), [held("ETH", 8 * ONE, 10 * ONE)]);
}

#[test]
fn claims_pay_what_they_say() {
    // The other tests read a chain on which nothing happens.
    let fork = FORK.start().unwrap();
    let ether = |amount| pays([(NATIVE.1, amount)]);
    // 2 at nine tenths.
    assert_eq!(fork.payments("farmer").unwrap(), [ether(18 * ONE / 10)]);
    // 4 at the rate of the request, 2 at that of the processing, 11/10.
    let swell = fork.of("swell");
    assert_eq!(swell.payments("farmer").unwrap(), [ether(22 * ONE / 10), ether(4 * ONE)]);
    // 6 at nine tenths: the last one that is not young.
    let renzo = fork.of("renzo");
    assert_eq!(renzo.payments("farmer").unwrap(), [pays([("steth", 54 * ONE / 10)])]);
    assert_eq!(renzo.payments("whale").unwrap(), [ether(18 * ONE / 10)]);
    // 1 and 2 shares by 3/2; of the slashed operator 10 and 4 shares by 3/2, less a tenth.
    let eigen = fork.of("eigenlayer");
    assert_eq!(eigen.payments("farmer").unwrap(), [pays([("steth", ONE), ("reth", 3 * ONE)])]);
    assert_eq!(eigen.payments("whale").unwrap(), [ether(9 * ONE), pays([("reth", 54 * ONE / 10)])]);
    // The third request is the last one that is over; one that was taken away would move it.
    let lista = fork.of("lista");
    assert_eq!(lista.payments("farmer").unwrap(), [ether(33 * ONE / 10)]);
    assert_eq!(lista.payments("whale").unwrap(), [ether(21 * ONE / 10)]);
    // What was finalized, each by itself.
    let stader = fork.of("stader");
    assert_eq!(stader.payments("farmer").unwrap(), [ether(105 * ONE / 100), ether(2 * ONE)]);
    assert_eq!(stader.payments("whale").unwrap(), [ether(ONE / 2)]);
    // The oldest of each asset.
    let kelp = fork.of("kelp");
    assert_eq!(kelp.payments("farmer").unwrap(), [ether(3 * ONE), pays([("steth", 4 * ONE)])]);
    assert_eq!(kelp.payments("whale").unwrap(), [ether(ONE)]);
    // 4 and 1 at five fourths, and 3 that were left too long.
    let benqi = fork.of("benqi");
    assert_eq!(benqi.payments("farmer").unwrap(), [ether(625 * ONE / 100), pays([("savax", 3 * ONE)])]);
    assert_eq!(benqi.payments("whale").unwrap(), []);
    for fork in [&fork, &swell, &renzo, &eigen, &lista, &stader, &kelp, &benqi] {
        for who in ["exited", "nothing"] {
            assert_eq!(fork.payments(who).unwrap(), [], "{who}");
        }
    }
}

#[test]
fn what_cannot_be_claimed_is_locked() {
    let fork = FORK.get().unwrap();
    assert_eq!(locked(&fork, "farmer"), [row("stETH withdrawal", "3", 5 * ONE)]);
    assert_eq!(locked(&fork.of("swell"), "farmer"), [row("stETH withdrawal", "3", 3 * ONE)]);
    // 5 at nine tenths waits for the claim behind it; the young one was made at the present rate.
    let renzo = [row("stETH withdrawal", "1", 45 * ONE / 10), row("stETH withdrawal", "4", 9 * ONE / 10)];
    assert_eq!(locked(&fork.of("renzo"), "farmer"), renzo);
    assert_eq!(locked(&fork.of("eigenlayer"), "farmer"), [row("Eigenlayer stETH withdrawal", "1", 3 * ONE)]);
    // The first one waits for the claim behind it, the last one is not over.
    let lista = [row("slisBNB withdrawal", "1", 22 * ONE / 10), row("slisBNB withdrawal", "4", 11 * ONE / 10)];
    assert_eq!(locked(&fork.of("lista"), "farmer"), lista);
    assert_eq!(locked(&fork.of("stader"), "farmer"), [row("ETHx withdrawal", "4", 7 * ONE)]);
    let kelp = locked(&fork.of("kelp"), "farmer");
    assert_eq!(kelp.iter().map(|row| (row.0.as_str(), row.2)).collect::<Vec<_>>(), [("rsETH withdrawal", 5 * ONE)]);
    assert_eq!(locked(&fork.of("benqi"), "farmer"), [row("sAVAX withdrawal", "3", 2 * ONE)]);
    assert_eq!(locked(&fork.of("benqi"), "whale"), [row("sAVAX withdrawal", "0", ONE)]);
    for protocol in ["lido", "swell", "renzo", "eigenlayer", "lista", "stader", "kelp", "benqi"] {
        for who in ["dust", "exited", "nothing"] {
            assert_eq!(locked(&fork.of(protocol), who), [], "{protocol} {who}");
        }
    }
}

#[test]
fn a_young_request_has_the_end_of_its_time() {
    let fork = FORK.get().unwrap().of("renzo");
    let rows = fork.items("locked/{}/positions", "farmer").unwrap();
    let end = |row: &Json| (row.text_at("number").unwrap().to_owned(), row.at("unlocksAt").unwrap().to_string());
    let mut ends: Vec<_> = rows.iter().map(end).collect();
    ends.sort();
    let young = fork.number("ends/request").unwrap().to_string();
    assert_eq!(ends, [("1".to_owned(), "null".to_owned()), ("4".to_owned(), young)]);
    let unlocks = FORK.get().unwrap().of("benqi").items("locked/{}/positions", "whale").unwrap();
    assert_eq!(unlocks[0].at("unlocksAt").unwrap().to_string(), fork.number("ends/unlock").unwrap().to_string());
}

#[test]
fn restaked_tokens_are_those_that_can_be_withdrawn() {
    let fork = FORK.get().unwrap().of("eigenlayer");
    // 10 less 1 and 3 that have left; 6 less 2, by 3/2.
    assert_eq!(staked(&fork, "farmer"), [held("rETH", 6 * ONE, 6 * ONE), held("stETH", 6 * ONE, 6 * ONE)]);
    // A tenth was slashed: of 22 of the validators, and of 16 by 3/2.
    let whale = [held("ETH", 198 * ONE / 10, 198 * ONE / 10), held("rETH", 216 * ONE / 10, 216 * ONE / 10)];
    assert_eq!(staked(&fork, "whale"), whale);
    assert_eq!(staked(&fork, "nothing"), []);
}
