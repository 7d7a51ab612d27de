//! `portolan state`: sends requests to the running gateway, or opens the file of facts itself if none runs.

use std::fmt::Write as _;

use portolan_base::network::{FORMS, Networks};
use portolan_base::rfc3339;
use portolan_reader::{StoredReplies, StoredRepliesError, StoredReply, StoredReplyFilter};
use serde_json::{Value, json};

use super::client::{ControlError, send, unexpected};
use super::{ControlReply, ControlRequest, socket};
use crate::address;
use crate::cli::{ColorWhen, FactFlags, StateCommand};
use crate::config::Config;
use crate::text_table::{self, TableStyle, TextColumn};

/// Runs the command; returns the text for stdout.
pub(crate) fn run(command: &StateCommand, config: &Config) -> Result<String, ControlError> {
    let networks = &config.gateway.networks;
    match command {
        StateCommand::Show { facts, json } => {
            let request = ControlRequest::ShowFacts(filter(facts, networks)?);
            match reply(&request, config)? {
                ControlReply::Facts { facts, more } if *json => Ok(format!("{}\n", document(&facts, more, networks))),
                ControlReply::Facts { facts, more } => {
                    Ok(table(&facts, more, networks, TableStyle::of_stdout(ColorWhen::Auto)))
                }
                other => Err(unexpected(&other)),
            }
        }
        StateCommand::Purge { facts } => match reply(&ControlRequest::PurgeFacts(filter(facts, networks)?), config)? {
            ControlReply::Purged { memory, disk } => {
                Ok(format!("purged {memory} facts from memory and {disk} from disk\n"))
            }
            other => Err(unexpected(&other)),
        },
    }
}

fn filter(flags: &FactFlags, networks: &Networks) -> Result<StoredReplyFilter, ControlError> {
    let misuse = |flag: &str, reason: String| ControlError::Misuse(format!("{flag}: {reason}"));
    let network = |name: &String| {
        let network =
            networks.named(name).ok_or_else(|| misuse("--network", format!("unknown network {name}: give {FORMS}")))?;
        Ok(network.chain_id)
    };
    let contract =
        |text: &String| address::parse(text).map_err(|error| misuse("--contract", format!("{text} {error}")));
    Ok(StoredReplyFilter {
        chain_id: flags.network.as_ref().map(network).transpose()?,
        endpoint: flags.endpoint.clone(),
        contract: flags.contract.as_ref().map(contract).transpose()?,
    })
}

/// Gets the reply from the running gateway, or from this process if none runs.
fn reply(request: &ControlRequest, config: &Config) -> Result<ControlReply, ControlError> {
    let folder = config.gateway.state_dir.display();
    let sent = send(&socket(&config.gateway.state_dir), request);
    let reply = match sent.map_err(|error| ControlError::Failed(format!("the running gateway: {error}")))? {
        Some(reply) => reply,
        None => {
            let facts =
                StoredReplies::open(&config.gateway.state_dir, config.gateway.facts.lifetime).map_err(|error| {
                    match error {
                        StoredRepliesError::Missing => ControlError::Failed(format!("{folder} has no stored facts")),
                        error => ControlError::Failed(format!("{folder}: {error}")),
                    }
                })?;
            request.answer_from(&facts)
        }
    };
    match reply {
        ControlReply::Failed(reason) => Err(ControlError::Failed(format!("{folder}: {reason}"))),
        reply => Ok(reply),
    }
}

/// Returns the slug of the fact's network, or its chain id if the network is no longer configured.
fn network(fact: &StoredReply, networks: &Networks) -> String {
    networks.with_chain_id(fact.chain_id).map_or_else(|| fact.chain_id.to_string(), |network| network.slug.clone())
}

fn document(facts: &[StoredReply], more: usize, networks: &Networks) -> Value {
    let row = |fact: &StoredReply| {
        json!({
            "network": network(fact, networks),
            "contract": fact.contract,
            "read": fact.read,
            "endpoint": fact.endpoint,
            "confirmedBy": fact.confirmed_by,
            "block": fact.block,
            "blockTime": rfc3339::of_unix_s(fact.block_time),
            "storedAt": rfc3339::of_unix_s(fact.stored_at),
        })
    };
    json!({"facts": facts.iter().map(row).collect::<Vec<_>>(), "more": more})
}

/// Formats one line per fact.
fn table(facts: &[StoredReply], more: usize, networks: &Networks, style: TableStyle) -> String {
    if facts.is_empty() {
        return "no stored facts\n".to_owned();
    }
    let head = ["network", "contract", "read", "endpoint", "confirmed by", "block", "block time", "stored"];
    let row = |fact: &StoredReply| {
        vec![
            network(fact, networks),
            format!("{:#x}", fact.contract),
            fact.read.to_string(),
            fact.endpoint.clone(),
            fact.confirmed_by.clone(),
            fact.block.to_string(),
            rfc3339::of_unix_s(fact.block_time),
            rfc3339::of_unix_s(fact.stored_at),
        ]
    };
    let mut text = text_table::table(&head.map(TextColumn::text), facts.iter().map(row), style);
    if more > 0 {
        let _ = writeln!(text, "and {more} more");
    }
    text
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, bytes};

    use super::*;

    #[test]
    fn facts_are_shown_with_their_origin() {
        let fact = |chain_id| StoredReply {
            chain_id,
            contract: Address::repeat_byte(0xfc),
            read: bytes!("01020304"),
            endpoint: "node.example".to_owned(),
            confirmed_by: "other.example:8545".to_owned(),
            block: 21_000_000,
            block_time: 1_700_000_000,
            stored_at: 1_700_001_000,
        };
        let (networks, facts) = (Networks::new([]), [fact(1), fact(999)]);
        let shown = table(&facts, 7, &networks, TableStyle::default());
        let lines: Vec<&str> = shown.lines().collect();
        let contract = "0xfcfcfcfcfcfcfcfcfcfcfcfcfcfcfcfcfcfcfcfc";
        assert_eq!(lines[0].split("  ").filter(|cell| !cell.is_empty()).count(), 8, "{shown}");
        let origin =
            "0x01020304  node.example  other.example:8545  21000000  2023-11-14T22:13:20Z  2023-11-14T22:30:00Z";
        assert_eq!(
            lines[1..],
            [
                format!("ethereum  {contract}  {origin}").as_str(),
                format!("999       {contract}  {origin}").as_str(),
                "and 7 more",
            ]
        );
        assert_eq!(table(&[], 0, &networks, TableStyle::default()), "no stored facts\n");
        let first = &document(&facts, 7, &networks)["facts"][0];
        assert_eq!((&first["network"], &first["endpoint"]), (&json!("ethereum"), &json!("node.example")));
    }
}
