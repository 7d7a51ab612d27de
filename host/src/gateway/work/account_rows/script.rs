//! The protocol `acme` of a scripted plugin, on a scripted chain.

use std::sync::Arc;

use alloy::primitives::{Address, U256};
use portolan_abi::Question;
use portolan_abi::map::{self, Catalogue, ClaimTemplate, Deployment};
use portolan_assets::testing::erc20;
use portolan_plugins::{Instance, Snapshot};
use portolan_reader::testing::ScriptedChain;

use super::RowWork;
use crate::gateway::answer::Answer;
use crate::gateway::context::Context;
use crate::gateway::problem::Problem;
use crate::gateway::query::{ClaimOptions, List};
use crate::gateway::work::Work;

pub(in crate::gateway::work) const ACCOUNT: Address = Address::repeat_byte(0xaa);
pub(in crate::gateway::work) const FARM: Address = Address::repeat_byte(0xfa);
pub(in crate::gateway::work) const THIEF: Address = Address::repeat_byte(0x66);
/// A token without decimal places.
pub(in crate::gateway::work) const TOKEN: Address = Address::repeat_byte(0xa1);

/// The catalogue of one market, `main`, whose claims call `getReward()`.
pub(in crate::gateway::work) fn acme(question: Question, contract: Address) -> Catalogue {
    Catalogue {
        protocols: vec![map::Protocol { slug: "acme".to_owned(), ..map::Protocol::default() }],
        deployments: vec![Deployment {
            protocol: "acme".to_owned(),
            chain_id: 1,
            market: "main".to_owned(),
            questions: vec![question],
            contracts: vec![contract],
            tokens: None,
        }],
        claims: vec![ClaimTemplate { signature: "getReward()".to_owned(), ..ClaimTemplate::default() }],
        ..Catalogue::default()
    }
}

/// A chain with the token.
pub(in crate::gateway::work) fn chain() -> ScriptedChain {
    let mut script = ScriptedChain::default();
    erc20(&mut script, TOKEN, "T", 0);
    script
}

/// A claim of seven tokens that goes to `to`.
pub(in crate::gateway::work) fn reward(contract: Address, to: Address) -> map::Claimable {
    let claim = map::Claim { to, ..map::Claim::default() };
    map::Claimable::new("main", contract, claim).named("reward").mechanism("farm").pays(TOKEN, U256::from(7))
}

pub(in crate::gateway::work) fn claimables() -> List {
    List::Claimables(ClaimOptions::default())
}

/// Answers a query to the protocol alone.
pub(in crate::gateway::work) async fn answer(
    script: &ScriptedChain,
    instance: Instance,
    list: List,
) -> Result<Answer, Problem> {
    let context = Context::over(script.reader(), Snapshot::of_test([Arc::new(instance)]));
    let work = RowWork::for_protocol(&context, ACCOUNT, "acme", None, list)?;
    context.open(&work.networks(&context)).await;
    work.answer(context).await
}
