//! A wallet double signs claims and plans: what the account has more afterwards is what the chains' builds say that it was
//! owed, to the last digit.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use bigdecimal::num_bigint::BigInt;
use portolan_tests::protocol::Question;
use portolan_tests::truth::{Call, Truth};
use portolan_tests::world::World;
use serde_json::{Map, Value, json};

use crate::stage::{account, nodes, stage, text, with_explorer};

/// It has left every farm, so that what it is owed does not grow with the blocks; anvil has its key.
const WHO: &str = "exited";
/// Whose claims the wallet cannot sign.
const OTHER: &str = "farmer";
/// Where claims are sent one by one and as transactions of a plan, and where a plan is sent as calls.
const NETWORKS: [&str; 2] = ["ethereum", "polygon"];

#[test]
fn what_a_wallet_signs_pays_what_the_page_says() {
    let browser = crate::browser!();
    // Chains of their own, which the claims change.
    let world = World::of(&NETWORKS).unwrap();
    let gateway = with_explorer(world.setup().unwrap()).unwrap().start().unwrap();
    world.chains.iter().try_for_each(|(chain, _)| chain.mine_automatically()).unwrap();
    let owed = world.chains.iter().map(|(_, truth)| owed(truth)).collect::<Result<Map<_, _>>>().unwrap();
    let other = world.address(OTHER).unwrap();
    let expected = json!({"account": account(&world, WHO).unwrap(), "owed": owed, "other": other});
    browser.check("wallets", stage(&gateway, nodes(&world), expected).unwrap()).unwrap();
}

/// The claims of the account on a network: what each pays, in units of its rows, and raw by token.
fn owed(truth: &Truth) -> Result<(String, Value)> {
    let rows = truth.claimables(WHO, None, Call::Protocol)?;
    let raw = truth.shown_rows(WHO, Question::Claimables, None)?;
    let mut claims: Vec<Owed> = Vec::new();
    for (row, raw) in rows.iter().zip(raw) {
        let (to, data) = (raw.text_at("to")?, raw.text_at("data")?);
        let place = claims.iter().position(|claim| (claim.to, claim.data) == (to, data)).unwrap_or(claims.len());
        if place == claims.len() {
            claims.push(Owed {
                to,
                data,
                function: raw.text_at("function")?,
                amounts: Vec::new(),
                pays: BTreeMap::new(),
            });
        }
        claims[place].amounts.push(text(&row.number_at("amount")?));
        *claims[place].pays.entry(raw.text_at("token")?).or_default() += raw.text_at("amountRaw")?.parse::<BigInt>()?;
    }
    let tokens: BTreeSet<&str> = claims.iter().flat_map(|claim| claim.pays.keys().copied()).collect();
    let decimals = tokens.into_iter().map(|token| Ok((token.to_owned(), json!(truth.decimals(token)?))));
    let decimals = decimals.collect::<Result<Map<_, _>>>()?;
    let claims: Vec<Value> = claims.iter().map(Owed::shown).collect();
    Ok((truth.network.clone(), json!({"claims": claims, "decimals": decimals})))
}

/// One claim, which is one transaction.
struct Owed<'a> {
    to: &'a str,
    data: &'a str,
    function: &'a str,
    amounts: Vec<String>,
    pays: BTreeMap<&'a str, BigInt>,
}

impl Owed<'_> {
    fn shown(&self) -> Value {
        let pays: BTreeMap<&str, String> = self.pays.iter().map(|(token, raw)| (*token, raw.to_string())).collect();
        json!({"to": self.to, "data": self.data, "function": self.function, "amounts": self.amounts, "pays": pays})
    }
}
