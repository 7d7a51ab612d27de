//! Which questions a plugin implements, compared with those that its catalogue declares.
//!
//! Invariant: none of the author's futures is polled. A function that the plugin does not implement is the trait's own,
//! which says so when it is called.

use std::sync::Arc;

use portolan_abi::Question;
use portolan_abi::map::{Catalogue, Start};

use crate::chain::Chain;
use crate::events::Transaction;
use crate::panic;
use crate::plugin::Plugin;

/// The questions, with the names of their functions.
const FUNCTIONS: [(Question, &str); 7] = [
    (Question::CLAIMABLES, "claimables"),
    (Question::FARMING, "farming"),
    (Question::LENDING, "lending"),
    (Question::EVENTS, "events"),
    (Question::COMPOSITION, "compositions"),
    (Question::POOLING, "pooling"),
    (Question::LOCKED, "locked"),
];

/// Compares what an instance implements with what its catalogue declares. `further` are catalogues of other instances of
/// the plugin, which declare what this one's settings leave out.
///
/// # Errors
/// The first question that stands on one side alone, in words.
pub(crate) fn check<P: Plugin>(plugin: &P, catalogue: &Catalogue, further: Option<&Catalogue>) -> Result<(), String> {
    let all = || catalogue.deployments.iter().chain(further.iter().flat_map(|further| &further.deployments));
    for (question, function) in FUNCTIONS {
        let implements = implements(plugin, question);
        let declares = |row: &&portolan_abi::map::Deployment| row.questions.contains(&question);
        match catalogue.deployments.iter().find(declares) {
            Some(row) if !implements => {
                let (protocol, market) = (&row.protocol, &row.market);
                return Err(format!(
                    "`{protocol}` ({market}) declares a question whose function `{function}` is not implemented"
                ));
            }
            None if implements && !P::ROWS_DECIDE && all().next().is_some() && !all().any(|row| declares(&row)) => {
                return Err(format!("`{function}` is implemented, and no deployment declares its question"));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Whether the plugin's function for a question is its own. A panic of it is: the trait's functions have none.
fn implements<P: Plugin>(plugin: &P, question: Question) -> bool {
    let chain = Chain::new(Start::default(), Arc::new([]));
    let (account, transaction) = (chain.account(), Transaction::default());
    let called = panic::catch(|| match question {
        Question::CLAIMABLES => drop(plugin.claimables(&chain, account)),
        Question::FARMING => drop(plugin.farming(&chain, account)),
        Question::LENDING => drop(plugin.lending(&chain, account)),
        Question::POOLING => drop(plugin.pooling(&chain, account)),
        Question::LOCKED => drop(plugin.locked(&chain, account)),
        Question::COMPOSITION => drop(plugin.compositions(&chain, &[])),
        Question::EVENTS => drop(plugin.events(&chain, &transaction)),
        _ => {}
    });
    called.is_err() || !chain.state.met_default()
}
