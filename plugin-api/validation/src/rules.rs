//! Context that findings are checked against, and rules that claims and positions share.

use alloy::primitives::Address;
use portolan_abi::Question;
use portolan_abi::map::Catalogue;

use crate::addresses::Addresses;
use crate::reads::ClaimReads;
use crate::rejections::FindingError;
use crate::templates::ClaimTemplates;

/// Bytes of a mechanism.
pub const MECHANISM_BYTES_MAX: usize = 64;

/// Context of the findings of a job about an account.
#[derive(Clone, Copy, Debug)]
pub struct JobRules<'a> {
    /// Catalogue of the instance.
    pub catalogue: &'a Catalogue,
    /// Templates of the catalogue.
    pub templates: &'a ClaimTemplates,
    /// Question of the job.
    pub question: Question,
    /// Protocol slug.
    pub protocol: &'a str,
    /// EIP-155 chain id.
    pub chain_id: u64,
    /// Account of the question.
    pub account: Address,
    /// Addresses that the job's claims may call and name.
    pub addresses: &'a Addresses,
    /// Reads that its claims rely on.
    pub reads: &'a ClaimReads,
}

pub(crate) fn check_texts(rules: &JobRules<'_>, market: &str, mechanism: &str) -> Result<(), FindingError> {
    let deployed = rules
        .catalogue
        .deployments
        .iter()
        .any(|row| row.protocol == rules.protocol && row.chain_id == rules.chain_id && row.market == market);
    if !deployed {
        return Err("it names a market that the catalogue does not have on this network".to_owned().into());
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if mechanism.is_empty() || mechanism.len() > MECHANISM_BYTES_MAX || !mechanism.chars().all(plain) {
        let reason = format!("its mechanism is not a word of at most {MECHANISM_BYTES_MAX} letters, digits, - and _");
        return Err(reason.into());
    }
    Ok(())
}
