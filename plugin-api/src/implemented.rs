//! Compares the questions that a plugin implements with those that its catalogue declares.
//!
//! Invariant: none of the author's futures is polled. The trait's default functions report themselves when they are
//! called.

use std::sync::Arc;

use portolan_abi::Question;
use portolan_abi::map::{Catalogue, Start};

use crate::events::Transaction;
use crate::job_context::JobContext;
use crate::panic;
use crate::plugin::Plugin;

/// Questions, with the names of their functions.
const FUNCTIONS: [(Question, &str); 7] = [
    (Question::CLAIMABLES, "claimables"),
    (Question::FARMING, "farming"),
    (Question::LENDING, "lending"),
    (Question::EVENTS, "events"),
    (Question::COMPOSITION, "compositions"),
    (Question::POOLING, "pooling"),
    (Question::LOCKED, "locked"),
];

/// Compares the questions that an instance implements with its catalogue. `further` is the catalogue of another
/// instance, with the questions that these settings exclude.
///
/// # Errors
/// The first question that is only declared or only implemented.
pub(crate) fn check<P: Plugin>(plugin: &P, catalogue: &Catalogue, further: Option<&Catalogue>) -> Result<(), String> {
    let all = || catalogue.deployments.iter().chain(further.iter().flat_map(|further| &further.deployments));
    for (question, function) in FUNCTIONS {
        let implements = implements(plugin, question);
        let declares = |row: &&portolan_abi::map::Deployment| row.questions.contains(&question);
        match catalogue.deployments.iter().find(declares) {
            Some(row) if !implements => {
                let (protocol, market) = (&row.protocol, &row.market);
                return Err(format!(
                    "`{protocol}` ({market}) declares a question whose function `{function}` is not implemented: implement \
                     it, or leave the question out of the catalogue"
                ));
            }
            None if implements && !P::ROWS_DECIDE && all().next().is_some() && !all().any(|row| declares(&row)) => {
                return Err(format!(
                    "`{function}` is implemented, and no deployment declares its question: declare it in the catalogue, or \
                     remove the function"
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Returns true if the plugin overrides the function of a question. A panic counts as an override: the defaults do not
/// panic.
fn implements<P: Plugin>(plugin: &P, question: Question) -> bool {
    let context = JobContext::new(Start::default(), Arc::new([]));
    let (account, transaction) = (context.account(), Transaction::default());
    let called = panic::catch(|| match question {
        Question::CLAIMABLES => drop(plugin.claimables(&context, account)),
        Question::FARMING => drop(plugin.farming(&context, account)),
        Question::LENDING => drop(plugin.lending(&context, account)),
        Question::POOLING => drop(plugin.pooling(&context, account)),
        Question::LOCKED => drop(plugin.locked(&context, account)),
        Question::COMPOSITION => drop(plugin.compositions(&context, &[])),
        Question::EVENTS => drop(plugin.events(&context, &transaction)),
        _ => {}
    });
    called.is_err() || !context.state.met_default()
}
