//! Tokens whose balances are missing: counted by reason for the header, named for the report.

use std::collections::BTreeMap;

use alloy::primitives::{Address, U256};
use portolan_assets::resolve::TokenFailure;
use portolan_reader::{Outcome, ReadFailure};

use crate::jobs::failure::Reason;
use crate::jobs::report::{JobReport, JobStatus};
use crate::jobs::stats::JobStats;

/// Maximum number of tokens that a report names. With more, the endpoint or the list is at fault.
const NAMED_MAX: usize = 100;

/// Reason why a balance is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BalanceFailure {
    /// The contract reverted, or returned fewer than 32 bytes.
    Refused,
    Unread(ReadFailure),
}

impl BalanceFailure {
    /// Returns the balance in the outcome of a read: the first word returned.
    pub(super) fn or_balance(outcome: &Outcome) -> Result<U256, Self> {
        match outcome {
            Outcome::Ok(bytes) => bytes.first_chunk::<32>().map(|word| U256::from_be_bytes(*word)).ok_or(Self::Refused),
            Outcome::Failed(failure) => Err(Self::Unread(*failure)),
            _ => Err(Self::Refused),
        }
    }
}

/// Reason why a token is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Why {
    NoBalance(BalanceFailure),
    NoToken(TokenFailure),
}

impl Why {
    pub(super) fn reason(self) -> Reason {
        match self {
            Self::NoBalance(BalanceFailure::Refused) => Reason::Upstream,
            Self::NoBalance(BalanceFailure::Unread(failure)) => failure.into(),
            Self::NoToken(failure) => failure.into(),
        }
    }

    fn text(self) -> String {
        match self {
            Self::NoBalance(BalanceFailure::Refused) => "the contract returned no balance".into(),
            Self::NoBalance(BalanceFailure::Unread(failure)) => format!("balance not read: {failure}"),
            Self::NoToken(failure) => failure.to_string(),
        }
    }
}

/// The tokens whose balances are missing.
#[derive(Debug, Default)]
pub(super) struct MissingTokens(Vec<(Address, Why)>);

impl MissingTokens {
    pub(super) fn push(&mut self, token: Address, why: Why) {
        self.0.push((token, why));
    }

    pub(super) fn extend(&mut self, tokens: impl IntoIterator<Item = (Address, Why)>) {
        self.0.extend(tokens);
    }

    /// Adds what is missing to the report of so many reads that left in one batch.
    pub(super) fn report(&self, blank: JobReport, reads: usize) -> JobReport {
        let by_reason = self.by_reason();
        JobReport {
            status: if by_reason.is_empty() { JobStatus::Ok } else { JobStatus::Partial },
            reason: by_reason.first().map(|(reason, _)| *reason),
            detail: self.detail(),
            stats: JobStats {
                batches: u32::from(reads > 0),
                reads: u32::try_from(reads).unwrap_or(u32::MAX),
                ..JobStats::default()
            },
            missing_tokens: by_reason,
            ..blank
        }
    }

    /// Counts the tokens for each reason, ordered by the reasons' words.
    fn by_reason(&self) -> Vec<(Reason, usize)> {
        let mut counts: BTreeMap<&str, (Reason, usize)> = BTreeMap::new();
        for (_, why) in &self.0 {
            let reason = why.reason();
            counts.entry(reason.as_str()).or_insert((reason, 0)).1 += 1;
        }
        counts.into_values().collect()
    }

    /// Lists up to [`NAMED_MAX`] tokens after the reason why each is missing.
    fn detail(&self) -> String {
        let mut named: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (token, why) in self.0.iter().take(NAMED_MAX) {
            named.entry(why.text()).or_default().push(format!("{token:#x}"));
        }
        let named = named.into_iter().map(|(text, tokens)| format!("{text}: {}", tokens.join(", ")));
        let more = self.0.len().saturating_sub(NAMED_MAX);
        let rest = (more > 0).then(|| format!("and {more} more tokens"));
        named.chain(rest).collect::<Vec<_>>().join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REFUSED: Why = Why::NoBalance(BalanceFailure::Refused);

    fn missing(tokens: impl IntoIterator<Item = (u8, Why)>) -> MissingTokens {
        MissingTokens(tokens.into_iter().map(|(byte, why)| (Address::repeat_byte(byte), why)).collect())
    }

    #[test]
    fn each_token_is_counted_under_its_reason_and_named_with_what_became_of_it() {
        let unread = Why::NoBalance(BalanceFailure::Unread(ReadFailure::Timeout));
        let missing = missing([
            (1, REFUSED),
            (2, unread),
            (3, Why::NoToken(TokenFailure::Unread(ReadFailure::Upstream))),
            (4, REFUSED),
        ]);
        assert_eq!(missing.by_reason(), [(Reason::Timeout, 1), (Reason::Upstream, 3)]);
        let [one, two, three, four] = [1, 2, 3, 4].map(|byte| format!("{:#x}", Address::repeat_byte(byte)));
        let expected = format!(
            "balance not read: no endpoint answered in time: {two}; \
             metadata not read: every endpoint refused or answered wrongly: {three}; \
             the contract returned no balance: {one}, {four}"
        );
        assert_eq!(missing.detail(), expected);
    }

    #[test]
    fn where_nothing_is_missing_nothing_is_reported() {
        assert_eq!(
            (MissingTokens::default().by_reason(), MissingTokens::default().detail()),
            (Vec::new(), String::new())
        );
    }

    #[test]
    fn many_are_counted_all_but_named_up_to_a_bound() {
        let missing = missing((0..=u8::MAX).map(|byte| (byte, REFUSED)));
        assert_eq!(missing.by_reason(), [(Reason::Upstream, 256)]);
        let detail = missing.detail();
        assert_eq!(detail.matches("0x").count(), 100);
        assert!(detail.ends_with("; and 156 more tokens"), "{detail}");
    }
}
