//! A claim and a plan, sent as a wallet would send them, and what they paid.
//!
//! Invariant: it comes after all comparisons, because the chains go on from here.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use bigdecimal::num_bigint::BigInt;
use serde_json::{Value, json};

use super::check::fetch;
use super::{Output, Stage};
use crate::chain::Chain;
use crate::json::Json;
use crate::protocol::Question;
use crate::truth::Truth;
use crate::wait;

/// It has left every farm, so that what it is owed does not grow with the blocks.
pub(super) const WHO: &str = "exited";
/// Anvil's key of this account, which everybody knows.
pub(super) const KEY: &str = "0x92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e";
/// Where it sends claim by claim, and where it sends a plan.
const EACH: &str = "ethereum";
const PLAN: &str = "polygon";
/// For a block to be mined, and for the gateway to see it.
const SEEN_WITHIN: Duration = Duration::from_secs(20);

/// Raw amounts by token.
type Amounts = BTreeMap<String, BigInt>;

/// Sends every claim on one network and a plan on another, compares balances before and after with the arithmetic, and
/// waits until the gateway sees that nothing is left.
pub(super) fn sent(stage: &Stage, out: &mut Output<'_>) -> Result<()> {
    stage.mine_automatically()?;
    let account = stage.world.address(WHO)?;
    let rows = format!("/claimables/{account}?network=");
    let each = fetch(&stage.gateway, &format!("{rows}{EACH}"), out)?.json()?;
    // Rows of one claim are paid by one transaction.
    let mut claims = BTreeMap::new();
    for row in each.items()? {
        claims.insert(row.text_at("claimId")?, row.at("claimTransaction")?);
    }
    pays(stage, EACH, claims.values().copied())?;
    let plan = fetch(&stage.gateway, &format!("/{account}/claim-plan?network={PLAN}"), out)?.json()?;
    let transactions = plan.at("transactions")?.items()?;
    pays(stage, PLAN, transactions)?;
    for network in [EACH, PLAN] {
        let path = format!("{rows}{network}");
        let is_empty = || {
            let left = stage.gateway.get(&path)?.json()?;
            ensure!(left.items()?.is_empty(), "{path} still has {left}");
            Ok::<_, anyhow::Error>(())
        };
        wait::until("the gateway sees that all is claimed", SEEN_WITHIN, is_empty)?;
    }
    let (claims, steps) = (claims.len(), transactions.len());
    out.line(format_args!(
        "{claims} claims and a plan of {steps} transactions paid {WHO} what they said, to the last digit"
    ))
}

/// Sends transactions and compares what the account has more than before with what the build says that it was owed.
fn pays<'a>(stage: &Stage, network: &str, transactions: impl IntoIterator<Item = &'a Json>) -> Result<()> {
    let (chain, truth) = stage.world.chain(network)?;
    let owed = owed(truth)?;
    ensure!(!owed.is_empty(), "{WHO} is owed nothing on {network}");
    let before = held(chain, truth, &owed)?;
    transactions.into_iter().try_for_each(|transaction| send(chain, transaction))?;
    let after = held(chain, truth, &owed)?;
    let more: Amounts = after.iter().map(|(token, amount)| (token.clone(), amount - &before[token])).collect();
    if more != owed {
        bail!("the claims of {WHO} on {network} paid {more:?} instead of {owed:?}");
    }
    Ok(())
}

fn owed(truth: &Truth) -> Result<Amounts> {
    let mut owed = Amounts::new();
    for row in truth.shown_rows(WHO, Question::Claimables, None)? {
        *owed.entry(row.text_at("token")?.to_owned()).or_default() += row.text_at("amountRaw")?.parse::<BigInt>()?;
    }
    Ok(owed)
}

fn held(chain: &Chain, truth: &Truth, tokens: &Amounts) -> Result<Amounts> {
    let account = truth.address(WHO)?;
    tokens.keys().map(|token| Ok((token.clone(), chain.token_balance(token, account)?.parse()?))).collect()
}

/// Sends a transaction as it was answered, and waits for its block. Anvil has the account's key.
fn send(chain: &Chain, transaction: &Json) -> Result<()> {
    let text = |name: &str| transaction.text_at(name);
    let gas: u64 = transaction.at("gas")?.to_string().parse()?;
    let value: u128 = transaction.get("value").map_or(Ok(0), |_| text("value")?.parse().context("value"))?;
    let sent = json!({
        "from": text("from")?, "to": text("to")?, "data": text("data")?,
        "gas": format!("{gas:#x}"), "value": format!("{value:#x}"),
    });
    let hash = chain.rpc("eth_sendTransaction", json!([sent]))?;
    let receipt = || -> Result<Value> {
        let receipt = chain.rpc("eth_getTransactionReceipt", json!([hash]))?;
        ensure!(receipt.is_object(), "{hash} has no receipt");
        Ok(receipt)
    };
    let (receipt, _) = wait::until("a claim is mined", SEEN_WITHIN, receipt)?;
    ensure!(receipt["status"] == "0x1", "{transaction} reverted");
    Ok(())
}
