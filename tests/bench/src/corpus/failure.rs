//! Failures, for whoever mends decoders: where, what was expected, what is told instead.

use serde::Serialize;
use serde_json::{Value, json};

use super::answer::Event;
use super::files::{Corpus, ReceiptLog, Transaction};
use super::judgement::{Judgement, Subject, Wrong};

/// A line of the file of failures.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Failure {
    /// That of the judgement; `undecoded` of a log that nothing tells.
    pub(super) tier: &'static str,
    pub(super) kind: String,
    pub(super) lacks: String,
    /// The family of the contract, or who the wallet dealt with.
    pub(super) family: String,
    /// As far as the truth knows it.
    pub(super) event: String,
    pub(super) topic: Option<String>,
    pub(super) network: String,
    pub(super) hash: String,
    log: Option<u64>,
    contract: Option<String>,
    expected: Value,
    told: Vec<String>,
    detail: String,
}

/// The failure of a judgement, where it is one.
pub(super) fn of(mined: &Transaction, events: &[Event], judgement: &Judgement) -> Option<Failure> {
    let Wrong { lacks, detail } = judgement.wrong.clone()?;
    let index = match judgement.subject {
        Subject::Log(index) => Some(index),
        Subject::Value | Subject::Leg(_) => None,
    };
    let told = |is_about: &dyn Fn(&Event) -> bool| -> Vec<String> {
        events
            .iter()
            .filter(|event| is_about(event))
            .map(|event| format!("{:?} {}", event.log_index, event.short()))
            .collect()
    };
    let of_log = |index: u64| at(mined, index, told(&|event| event.log_index == Some(index)));
    let place = match judgement.subject {
        Subject::Value => Place { told: told(&|event| event.log_index.is_none()), ..Place::default() },
        Subject::Log(index) => of_log(index),
        Subject::Leg(leg) => {
            let leg = mined.legs.get(leg)?;
            let expected = json!({
                "direction": format!("{:?}", leg.direction), "account": leg.account, "with": leg.with,
                "asset": leg.asset, "alsoAsset": leg.also_asset, "raw": leg.raw, "alsoRaw": leg.also_raw,
                "logs": leg.logs.iter().map(|log| of_log(*log).line()).collect::<Vec<String>>(),
            });
            let told = told(&|event| leg.action.contains(&event.kind));
            Place { family: leg.counterparty.clone(), expected, told, ..Place::default() }
        }
    };
    Some(Failure {
        tier: judgement.tier.name(),
        kind: judgement.kind.clone(),
        lacks,
        family: place.family,
        event: place.event,
        topic: place.topic,
        network: mined.network.clone(),
        hash: mined.hash.clone(),
        log: index,
        contract: place.contract,
        expected: place.expected,
        told: place.told,
        detail,
    })
}

/// The logs that nothing tells, though they are no bookkeeping.
pub(super) fn undecoded(corpus: &Corpus, mined: &Transaction, events: &[Event]) -> Vec<Failure> {
    let is_untold = |log: &&ReceiptLog| {
        !corpus.is_bookkeeping(mined, log) && events.iter().all(|event| event.log_index != Some(log.index))
    };
    let failure = |log: &ReceiptLog| {
        let place = at(mined, log.index, Vec::new());
        Failure {
            tier: "undecoded",
            kind: place.kind,
            lacks: "untold".to_owned(),
            family: place.family,
            event: place.event,
            topic: place.topic,
            network: mined.network.clone(),
            hash: mined.hash.clone(),
            log: Some(log.index),
            contract: place.contract,
            expected: place.expected,
            told: Vec::new(),
            detail: format!("{} topics, data {}", log.topics.len(), log.data),
        }
    };
    mined.logs.iter().filter(is_untold).map(failure).collect()
}

/// The facts that are known of a place.
#[derive(Default)]
struct Place {
    kind: String,
    family: String,
    event: String,
    topic: Option<String>,
    contract: Option<String>,
    expected: Value,
    told: Vec<String>,
}

impl Place {
    fn line(&self) -> String {
        let (topic, contract) =
            (self.topic.as_deref().unwrap_or_default(), self.contract.as_deref().unwrap_or_default());
        format!("{} {topic} of {contract}, told as {}", self.event, self.told.join(" and "))
    }
}

fn at(mined: &Transaction, index: u64, told: Vec<String>) -> Place {
    let (row, log) = (mined.rows.get(&index), mined.logs.iter().find(|log| log.index == index));
    let expected = row.map(|row| {
        let expect = row.expect.iter().flatten();
        let expect: Vec<Value> = expect.map(|one| json!({"type": one.types, "members": one.members})).collect();
        json!({"args": row.args, "expect": expect, "protocol": row.protocol, "notProtocols": row.not_protocols})
    });
    Place {
        kind: row.map(|row| row.kind.clone()).unwrap_or_default(),
        family: row.map(|row| row.family.clone()).unwrap_or_default(),
        event: row.map(|row| row.event.clone()).unwrap_or_default(),
        topic: log.and_then(|log| log.topics.first().cloned()),
        contract: log.map(|log| log.address.clone()),
        expected: expected.unwrap_or_default(),
        told,
    }
}
