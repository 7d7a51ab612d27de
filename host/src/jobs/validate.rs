//! Validates the findings of plugins before anything uses them. The rules are those of [`portolan_validation`], which
//! plugins' tests use too.
//!
//! Invariant: a finding that breaks a rule is rejected with its reason, and no other finding is.

mod native;

use portolan_abi::map;
use portolan_validation::{Addresses, ClaimReads, JobRules, Validated, validate};

use crate::jobs::plan::JobPlan;

/// Validates the findings of a job about an account, without those whose amounts are zero. Claims are judged by the
/// addresses that the plugin named; only then is the native token renamed to its one address.
pub(crate) fn validate_findings(
    plan: &JobPlan,
    findings: Vec<map::Finding>,
    addresses: &Addresses,
    reads: &ClaimReads,
) -> Validated {
    let rules = JobRules {
        catalogue: &plan.instance.catalogue,
        templates: &plan.instance.claim_templates,
        question: plan.question.number(),
        protocol: &plan.protocol.slug,
        chain_id: plan.network.chain_id,
        account: plan.account,
        addresses,
        reads,
    };
    let mut validated = validate(&rules, findings);
    validated.findings.iter_mut().for_each(|finding| native::name_once(&plan.network, finding));
    validated
}
