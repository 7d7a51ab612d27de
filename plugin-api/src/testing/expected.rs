//! The findings that a recorded job must have, in a file beside the record: one line of text for each finding.
//!
//! The lines come from a chain's arithmetic, not from the run that was recorded. They hold what is true or false about
//! an account, and no name or word of the answer.
#![expect(clippy::panic, reason = "a plugin that answers wrongly is the failure of the test that runs this")]

use std::path::Path;

use alloy::primitives::{Address, U256, hex};
use portolan_abi::map::{Claim, Finding, Leg, LegRole, PaidTo, Part};
use serde::{Deserialize, Serialize};

use super::events::text;
use super::{End, Fixture, FixtureError, Outcome};
use crate::export::Exported;

/// The end of the expectation's file name, after the record's own.
const BESIDE: &str = "expected.json";

/// The findings that a job must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Expected {
    /// True if something must be reported as missing.
    pub partial: bool,
    /// The lines of [`line()`], in any order.
    pub findings: Vec<String>,
}

impl Expected {
    /// Reads the file beside a record.
    ///
    /// # Errors
    /// [`FixtureError`].
    pub fn load(record: impl AsRef<Path>) -> Result<Self, FixtureError> {
        Ok(serde_json::from_str(&std::fs::read_to_string(record.as_ref().with_extension(BESIDE))?)?)
    }

    /// Writes the file beside a record.
    ///
    /// # Errors
    /// [`FixtureError`].
    pub fn save(&self, record: impl AsRef<Path>) -> Result<(), FixtureError> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(std::fs::write(record.as_ref().with_extension(BESIDE), text)?)
    }

    /// Everything in which a job's outcome is another one.
    pub fn differences(&self, outcome: &Outcome) -> Vec<String> {
        let mut wrong = Vec::new();
        let end = if self.partial { End::Partial } else { End::Complete };
        if outcome.end != end {
            wrong.push(format!("ended {:?} instead of {end:?}: {}", outcome.end, outcome.message));
        }
        let mut open = self.findings.clone();
        for found in outcome.findings.iter().map(line) {
            match open.iter().position(|line| *line == found) {
                Some(place) => drop(open.swap_remove(place)),
                None => wrong.push(format!("found {found}")),
            }
        }
        wrong.extend(open.into_iter().map(|line| format!("did not find {line}")));
        wrong
    }
}

/// Replays every record of a folder and compares it with the expectation beside it; how many there are.
///
/// # Panics
/// If an outcome is another one, or a file is not what it should be.
pub fn replay_all<P: Exported>(folder: impl AsRef<Path>) -> usize {
    let folder = folder.as_ref();
    let files = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = files.filter_map(|file| Some(file.ok()?.path()));
    let is_record = |path: &std::path::PathBuf| {
        let name = path.to_string_lossy();
        name.ends_with(".json") && !name.ends_with(BESIDE)
    };
    let records: Vec<_> = paths.filter(is_record).collect();
    for record in &records {
        let wrong = replay::<P>(record).unwrap_or_else(|error| panic!("{}: {error}", record.display()));
        assert!(wrong.is_empty(), "{}:\n{}", record.display(), wrong.join("\n"));
    }
    records.len()
}

fn replay<P: Exported>(record: &Path) -> Result<Vec<String>, FixtureError> {
    let (fixture, expected) = (Fixture::load(record)?, Expected::load(record)?);
    Ok(expected.differences(&fixture.replay::<P>(fixture.settings()?)?))
}

/// A finding as a line of an expectation.
pub fn line(finding: &Finding) -> String {
    match finding {
        Finding { claimable: Some(found), .. } => {
            let place = place(found.contract, found.number);
            let pays = found.payments.iter().map(|payment| {
                let into = match payment.paid_to {
                    PaidTo::ACCOUNT => "",
                    PaidTo::LOCK => " into a lock",
                    _ => " into a vault",
                };
                format!("{} of {:#x}{into}", payment.amount, payment.token)
            });
            let call = |step: &Claim| format!("{:#x} with {}", step.to, hex::encode_prefixed(&step.arguments));
            let steps: Vec<String> = found.steps.iter().map(call).collect();
            let pays: Vec<String> = pays.collect();
            format!("claim {} from {place} by calling {}", pays.join(" and "), steps.join(", then "))
        }
        Finding { position: Some(found), .. } => {
            let legs: Vec<String> = found.legs.iter().map(leg).collect();
            let rewards: Vec<String> = found.rewards.iter().map(|reward| format!("{:#x}", reward.token)).collect();
            let rewards = if rewards.is_empty() { String::new() } else { format!(", for {}", rewards.join(", ")) };
            let lock = found.lock.and_then(|lock| lock.unlocks_at);
            let lock = lock.map(|seconds| format!(", until {seconds}")).unwrap_or_default();
            let health = found.health.and_then(|health| health.factor_wad);
            let health = health.map(|wad| format!(", health {wad}")).unwrap_or_default();
            let place = place(found.contract, found.number);
            format!("hold in {place}: {}{rewards}{lock}{health}", legs.join("; "))
        }
        Finding { composition: Some(found), .. } => {
            let part = |part: &Part| format!("{} of {:#x}", part.amount, part.token);
            let parts: Vec<String> = found.parts.iter().map(part).collect();
            format!("redeem {} of {:#x} to {}", found.supply, found.token, parts.join(", "))
        }
        Finding { event: Some(found), .. } => format!("log {} is {}", found.log, text(found)),
        _ => "nothing".to_owned(),
    }
}

fn leg(leg: &Leg) -> String {
    let deed = match leg.role {
        LegRole::SUPPLIED => "supply",
        LegRole::BORROWED => "owe",
        LegRole::STAKED => "stake",
        LegRole::POOLED => "pool",
        LegRole::LOCKED => "lock",
        LegRole::VESTING => "wait for",
        LegRole::REWARD_OWED => "are owed the reward",
        _ => "are owed the fee",
    };
    let parts = leg.redeems_to.iter().flatten().map(|part| format!("{} of {:#x}", part.amount, part.token));
    let parts: Vec<String> = parts.collect();
    let redeems = if parts.is_empty() { String::new() } else { format!(" that redeem to {}", parts.join(", ")) };
    let rate = leg.rate_ray.map(|rate| format!(" at {rate}")).unwrap_or_default();
    let receipt = leg.receipt.map(|receipt| format!(" by {receipt:#x}")).unwrap_or_default();
    format!("{deed} {} of {:#x}{receipt}{redeems}{rate}", leg.amount, leg.token)
}

fn place(contract: Address, pool: Option<U256>) -> String {
    let pool = pool.map(|pool| format!(" pool {pool}")).unwrap_or_default();
    format!("{contract:#x}{pool}")
}
