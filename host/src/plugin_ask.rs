//! `portolan plugin ask`: asks one plugin a question as a client of the gateway would, and prints its answers, its jobs
//! with their batches, and what became of its findings and claims.

mod answer;
mod record_files;
mod show;

use std::collections::BTreeSet;
use std::sync::Arc;

use alloy::primitives::Address;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use portolan_abi::Question;
use portolan_base::network::Networks;
use portolan_plugins::Served;
use serde_json::Value;

pub(crate) use self::answer::PluginAnswer;
use crate::address;
use crate::cli::{QuestionFlags, QuestionName};
use crate::config::Environment;
use crate::gateway::Gateway;
use crate::jobs::record::JobRecords;
use crate::lone_plugin::{LonePlugin, LonePluginError};

/// Asks; returns the text for stdout, and true if every answer is complete and every claim pays what it states.
pub(crate) async fn run(flags: &QuestionFlags, environment: &Environment) -> Result<(String, bool), LonePluginError> {
    let records = Arc::<JobRecords>::default();
    let LonePlugin { gateway, .. } = &LonePlugin::start(&flags.of, environment, Some(Arc::clone(&records))).await?;
    let mut answers = Vec::new();
    match flags.question {
        QuestionName::Events => {
            refuse_flags(flags, &["--block", "--protocol"])?;
            answers = transaction(gateway, &records, &flags.about).await?;
        }
        QuestionName::Composition => {
            let tokens = tokens(flags, gateway)?;
            answers.push(PluginAnswer::compositions(gateway, &records, &tokens, flags.protocol.as_deref()).await);
        }
        _ => {
            for path in paths(flags, gateway)? {
                answers.push(PluginAnswer::request(gateway, &records, path).await?);
            }
        }
    }
    if let Some(folder) = &flags.record {
        record_files::write(folder, &mut answers)?;
    }
    let is_sound = answers.iter().all(PluginAnswer::is_sound);
    let text = if flags.of.json {
        format!("{}\n", show::document(&answers))
    } else {
        show::table(&answers) + &claim_failures(gateway)
    };
    Ok((text, is_sound))
}

/// Requests the events of a transaction on each network with an endpoint; returns the answers of those that have it, or
/// else all.
pub(crate) async fn transaction(
    gateway: &Arc<Gateway>,
    records: &JobRecords,
    hash: &str,
) -> Result<Vec<PluginAnswer>, LonePluginError> {
    let hash = utf8_percent_encode(hash, NON_ALPHANUMERIC);
    let mut answers = Vec::new();
    for network in gateway.networks_with_endpoint().iter() {
        let path = format!("/events/decode/{hash}?detail=full&network={}", network.slug);
        answers.push(PluginAnswer::request(gateway, records, path).await?);
    }
    if answers.iter().any(PluginAnswer::has_found) {
        answers.retain(PluginAnswer::has_found);
    }
    Ok(answers)
}

/// The paths to request, one for each protocol and each network with an endpoint.
fn paths(flags: &QuestionFlags, gateway: &Gateway) -> Result<Vec<String>, LonePluginError> {
    let about = utf8_percent_encode(&flags.about, NON_ALPHANUMERIC);
    let question = flags.question.number();
    let block = flags.block.as_deref().map(|block| format!("&block={}", utf8_percent_encode(block, NON_ALPHANUMERIC)));
    let block = block.unwrap_or_default();
    let paths = protocols(flags, gateway)?.into_iter().map(|(slug, network)| match question {
        Question::CLAIMABLES => {
            format!("/{slug}/{about}/claimables?detail=full&simulate=true&network={network}{block}")
        }
        _ => format!("/{slug}/{}/{about}/positions?detail=full&network={network}{block}", question.name()),
    });
    Ok(paths.collect())
}

/// The tokens of a question about compositions.
fn tokens(flags: &QuestionFlags, gateway: &Gateway) -> Result<Vec<Address>, LonePluginError> {
    refuse_flags(flags, &["--block"])?;
    protocols(flags, gateway)?;
    let token = |text: &str| {
        address::parse(text).map_err(|error| LonePluginError::Argument(format!("the token {text} {error}")))
    };
    flags.about.split(',').map(token).collect()
}

/// Refuses flags that say nothing about this question.
fn refuse_flags(flags: &QuestionFlags, names: &[&str]) -> Result<(), LonePluginError> {
    let given = [("--block", flags.block.is_some()), ("--protocol", flags.protocol.is_some())];
    let refused = given.into_iter().find(|(name, is_given)| *is_given && names.contains(name));
    let reason = |(name, _)| format!("{name} does not go with the question `{}`", flags.question.number().name());
    refused.map_or(Ok(()), |refused| Err(LonePluginError::Argument(reason(refused))))
}

/// The chosen protocols that answer the question, each with a network where it does; at least one.
fn protocols(flags: &QuestionFlags, gateway: &Gateway) -> Result<Vec<(String, String)>, LonePluginError> {
    let question = flags.question.number();
    let snapshot = gateway.admin().registry.snapshot();
    let declares = |served: &&Served| served.deployments().any(|row| row.questions.contains(&question));
    let is_chosen = |served: &&&Served| flags.protocol.as_ref().is_none_or(|chosen| *chosen == served.protocol.slug);
    let declaring: Vec<&Served> = snapshot.iter().filter(declares).collect();
    let chosen: Vec<&&Served> = declaring.iter().filter(is_chosen).collect();
    let (of, name) = (flags.protocol.as_deref(), question.name());
    let of = of.map_or_else(String::new, |slug| format!(" of `{slug}`"));
    if chosen.is_empty() {
        let slugs: Vec<&str> = declaring.iter().map(|served| served.protocol.slug.as_str()).collect();
        let known = if slugs.is_empty() { "none".to_owned() } else { slugs.join(", ") };
        let unknown = unknown_networks(gateway);
        let reason = format!("no deployment{of} declares the question `{name}`; protocols with it: {known}{unknown}");
        return Err(LonePluginError::Argument(reason));
    }
    let on = |networks: &Networks| -> Vec<(String, String)> {
        let of = |served: &Served| {
            let slug = &served.protocol.slug;
            let networks = networks.iter().filter(|network| served.answers(question, network.chain_id));
            networks.map(|network| (slug.clone(), network.slug.clone())).collect::<Vec<_>>()
        };
        chosen.iter().flat_map(|served| of(served)).collect()
    };
    let answered = on(&gateway.networks_with_endpoint());
    if answered.is_empty() {
        let elsewhere: BTreeSet<String> = on(gateway.networks()).into_iter().map(|(_, network)| network).collect();
        let elsewhere = elsewhere.into_iter().collect::<Vec<_>>().join(", ");
        let reason =
            format!("no deployment{of} on the networks of --rpc declares `{name}`; networks with it: {elsewhere}");
        return Err(LonePluginError::Argument(reason));
    }
    Ok(answered)
}

/// Formats a line for each kind of claims that did not pay what they state, with the words for their author.
fn claim_failures(gateway: &Gateway) -> String {
    let rows = status(gateway);
    let failures = rows.iter().flat_map(|row| row["failures"].as_array().into_iter().flatten());
    let of_claims =
        failures.filter(|failure| matches!(failure["reason"].as_str(), Some("differs" | "reverted" | "refused")));
    let word = |failure: &Value, member: &str| failure[member].as_str().unwrap_or_default().to_owned();
    of_claims.map(|failure| format!("{}: {}\n", word(failure, "reason"), word(failure, "message"))).collect()
}

/// Says which deployments are left out for their chain ids; empty if none is.
fn unknown_networks(gateway: &Gateway) -> String {
    let rows = status(gateway);
    let chains = rows.iter().flat_map(|row| row["unknownNetworks"].as_array().into_iter().flatten());
    let chains: Vec<String> = chains.map(Value::to_string).collect();
    if chains.is_empty() {
        return String::new();
    }
    format!(
        "; deployments on the chain {} are left out, as no network has this id: correct their rows, or add a \
         [networks.SLUG] table",
        chains.join(", ")
    )
}

/// The rows of `/plugins`.
fn status(gateway: &Gateway) -> Vec<Value> {
    let rows = gateway.admin().registry.status();
    rows.iter().filter_map(|row| serde_json::to_value(row).ok()).collect()
}
