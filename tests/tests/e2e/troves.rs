//! A trove, deposits whose two gains one claim pays, and collateral left over. What they have to be is said here by
//! arithmetic; `tests/chain/profiles/troves.mjs` has the history.
//!
//! Deposits of 300 and 100 share 40 of the reward, and then 0.05 of the native token for 100 of their tokens: each keeps
//! three quarters, less the smallest units that the pool rounds off. Stakes of 8 and of one smallest unit get as much of
//! the native token, and twice as much of the other.

use std::collections::BTreeSet;

use anyhow::ensure;
use portolan_tests::fork::{Fork, NATIVE, SharedFork, pays};
use portolan_tests::gateway::IN_FORCE_WITHIN;
use portolan_tests::json::Json;
use portolan_tests::wait;

const ONE: u128 = 1_000_000_000_000_000_000;

static FORK: SharedFork = SharedFork::new("troves");

/// Token and raw amount of each claimable.
fn claimables(fork: &Fork, who: &str) -> Vec<(String, u128)> {
    let row = |row: &Json| {
        (row.text_at("token/address").unwrap().to_owned(), row.text_at("amountRaw").unwrap().parse().unwrap())
    };
    let mut rows: Vec<_> = fork.items("{}/claimables", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

/// Role and raw amount of each leg.
fn legs(position: &Json) -> Vec<(String, u128)> {
    let leg =
        |leg: &Json| (leg.text_at("role").unwrap().to_owned(), leg.text_at("amountRaw").unwrap().parse().unwrap());
    position.at("legs").unwrap().items().unwrap().iter().map(leg).collect()
}

fn leg(role: &str, amount: u128) -> (String, u128) {
    (role.to_owned(), amount)
}

#[test]
fn a_trove_is_one_position_with_its_collateral_its_debt_and_its_health() {
    let fixture = FORK.get().unwrap();
    let positions = fixture.items("borrowing/{}/positions", "farmer").unwrap();
    let [trove] = positions.as_slice() else { panic!("{} troves", positions.len()) };
    // 9,800 were borrowed, and 200 are kept for whoever liquidates it.
    assert_eq!(legs(trove), [leg("supplied", 10 * ONE), leg("borrowed", 10_000 * ONE)]);
    assert_eq!(trove.at("legs").unwrap().items().unwrap()[0].at("isCollateral").unwrap().to_string(), "true");
    // Ten at 2,200 are 2.2 times the debt, of at least 1.1; at 1,100 they are 1.1 times the debt.
    assert_eq!(trove.at("health/factor").unwrap().to_string(), "2");
    let price = trove.at("health/liquidationPrice").unwrap();
    assert_eq!((price.text_at("quote").unwrap(), price.at("price").unwrap().to_string()), ("LUSD", "1100".to_owned()));
    for who in ["exited", "nothing", "odd", "whale"] {
        assert_eq!(fixture.items("borrowing/{}/positions", who).unwrap(), [], "{who}");
    }
}

#[test]
fn deposits_and_stakes_are_positions_with_what_they_are_owed() {
    let fixture = FORK.get().unwrap();
    let held = |who| {
        let mut all: Vec<_> = fixture.items("farming/{}/positions", who).unwrap();
        all.sort_by_key(|row| row.text_at("id").unwrap().to_owned());
        let position = |row: &Json| row.at("position").unwrap().clone();
        let owed = |position: &Json| -> Vec<u128> {
            let rows = position.at("owed").unwrap().items().unwrap().to_vec();
            rows.iter().map(|leg| leg.text_at("amountRaw").unwrap().parse().unwrap()).collect()
        };
        let mut rows: Vec<_> = all
            .iter()
            .map(|row| (row.text_at("amountRaw").unwrap().parse::<u128>().unwrap(), owed(&position(row))))
            .collect();
        rows.sort();
        rows
    };
    let (deposit, stake) = (225 * ONE - 300, 8 * ONE);
    assert_eq!(held("farmer"), [(stake, vec![8 * ONE, 16 * ONE]), (deposit, vec![ONE / 10_000 * 375, 30 * ONE])]);
    assert_eq!(held("whale"), [(75 * ONE - 100, vec![ONE / 10_000 * 125, 10 * ONE])]);
    assert_eq!(held("odd"), [(7 * ONE, vec![])], "a leg that is not owed");
    assert_eq!(held("dust"), [(1, vec![1, 2])]);
    assert_eq!(held("nothing"), []);
}

#[test]
fn two_gains_of_one_claim_are_paid_by_one_transaction_and_nothing_is_left() {
    // The other tests read a chain on which nothing happens.
    let fixture = FORK.start().unwrap();
    let (chain, lqty) = (&fixture.chain, fixture.address("liquity/reward_token").unwrap());
    let (native, reward) = (ONE / 10_000 * 125, 10 * ONE);
    assert_eq!(claimables(&fixture, "whale"), [(NATIVE.0.to_owned(), native), (lqty.to_owned(), reward)]);
    let claims = fixture.claims("whale").unwrap();
    let [claim] = claims.as_slice() else { panic!("{} claims", claims.len()) };
    assert_eq!(claim.rows.len(), 2);
    let sent = claim.rows[0].at("claimTransaction").unwrap();
    let [to, data] = ["to", "data"].map(|member| sent.text_at(member).unwrap());
    assert_eq!(to, fixture.address("liquity/stability_pool").unwrap());
    assert_eq!(sent.at("function/inputParameters").unwrap().items().unwrap()[0].text_at("value").unwrap(), "0");
    assert_eq!(claim.rows[0].at("pays").unwrap().items().unwrap().len(), 2);
    // And none of the debt token: the deposit stays where it was.
    let paid = pays([(NATIVE.1, native), ("lqty", reward)]);
    assert_eq!((&claim.said, &claim.received), (&paid, &paid));

    chain.send_as(fixture.account("whale").unwrap(), to, data, chain.block_timestamp).unwrap();
    wait::until("the next block", IN_FORCE_WITHIN, || {
        let left = fixture.items("{}/claimables", "whale")?;
        ensure!(left.is_empty(), "{left:?}");
        Ok(())
    })
    .unwrap();
}

#[test]
fn other_claims_are_those_of_stakes_and_of_collateral_left_over() {
    // Claims are sent.
    let fixture = FORK.start().unwrap();
    let native = |amount| (NATIVE.0.to_owned(), amount);
    let mut dust = vec![native(1), (fixture.address("liquity/debt_token").unwrap().to_owned(), 2)];
    dust.sort();
    assert_eq!(claimables(&fixture, "dust"), dust);
    assert_eq!(claimables(&fixture, "exited"), [native(3 * ONE)]);
    assert_eq!((claimables(&fixture, "odd"), claimables(&fixture, "nothing")), (vec![], vec![]));
    let surplus = fixture.items("{}/claimables", "exited").unwrap()[0].clone();
    let operations = fixture.address("liquity/borrower_operations").unwrap();
    assert_eq!(surplus.text_at("claimTransaction/to").unwrap(), operations);
    let mut to = BTreeSet::new();
    for (who, claims, rows) in [("farmer", 2, 4), ("dust", 1, 2), ("exited", 1, 1)] {
        let found = fixture.claims(who).unwrap();
        assert_eq!((found.len(), found.iter().map(|claim| claim.rows.len()).sum::<usize>()), (claims, rows), "{who}");
        for claim in found {
            assert_eq!(claim.said, claim.received, "{who}: {:?}", claim.rows);
            to.insert(claim.rows[0].text_at("claimTransaction/to").unwrap().to_owned());
        }
    }
    let all = ["stability_pool", "staking", "borrower_operations"];
    let all = all.map(|key| fixture.address(&format!("liquity/{key}")).unwrap().to_owned());
    assert_eq!(to, BTreeSet::from(all));
}
