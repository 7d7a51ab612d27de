//! Fuzz target for plugin output: frames, catalogues and findings.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use alloy::primitives::{Address, U256, keccak256};
use portolan_abi::frame::{FrameWriter, resume_out};
use portolan_abi::map::{Catalogue, ClaimTemplate, Deployment, Finding, Protocol, Role, caller, role};
use portolan_abi::row::{JobOut, state};
use portolan_base::network::Networks;
use portolan_base::sanitize::fuzzing::{require_sentence, require_shown};
use portolan_plugins::{Instance, fuzzing as registry};
use portolan_validation::{
    Addresses, ClaimReads, ClaimTransaction, Rejections, ValidFinding, validate_compositions, validate_events,
};

use super::job;
use super::plan::{JobPlan, JobQuestion, Question};
use super::validate::validate_findings;

const SLUG: &str = "fuzzed";
const CHAIN_ID: u64 = 1;
const ACCOUNT: Address = Address::repeat_byte(0xaa);
const FARM: Address = Address::repeat_byte(0xfa);
const TOKEN: Address = Address::repeat_byte(0x70);

/// Maximum bytes of the rejection reasons of one job.
const REJECTIONS_BYTES_MAX: usize = 16 << 10;

static NETWORKS: LazyLock<Networks> = LazyLock::new(|| Networks::new([]));

/// Parses arbitrary bytes as a plugin's findings, after a catalogue whose length is in the first two bytes. Findings
/// that pass follow the catalogue, no claim goes elsewhere, and the sizes stay bounded.
pub fn findings(bytes: &[u8]) {
    let Some((length, rest)) = bytes.split_first_chunk() else { return };
    let (declared, found) = rest.split_at(usize::from(u16::from_be_bytes(*length)).min(rest.len()));
    job::fuzzing::step(found);
    let Some(findings) = job::fuzzing::step(&frame(found)) else { return };
    let instance = if declared.is_empty() {
        registry::serving(catalogue())
    } else {
        let Some(instance) = registry::instance(declared) else { return };
        instance
    };
    let instance = Arc::new(instance);
    require_compositions(&findings);
    require_events(&findings);
    for protocol in instance.catalogue.protocols.iter().take(2) {
        for question in
            [Question::Claimables, Question::Farming, Question::Lending, Question::Pooling, Question::Locked]
        {
            require_findings(&plan(&instance, &protocol.slug, question), findings.clone(), found.len());
        }
    }
}

/// Builds the last frame of a job with these findings.
fn frame(found: &[u8]) -> Vec<u8> {
    let mut frame = FrameWriter::default();
    let (findings_offset, findings_len) = frame.bytes(found).unwrap_or_default();
    frame.row(resume_out::JOBS, &JobOut { state: state::COMPLETE, findings_offset, findings_len, ..JobOut::default() });
    frame.finish().unwrap_or_else(|error| unreachable!("{error}"))
}

/// The catalogue of a plugin that declares none: a claim of each form.
fn catalogue() -> Catalogue {
    let claim = |signature: &str, roles: Vec<Role>| ClaimTemplate {
        signature: signature.to_owned(),
        roles,
        ..ClaimTemplate::default()
    };
    let (number, bytes) = (Role::NUMBER, Role::BYTES);
    let claims = vec![
        claim("getReward()", vec![]),
        claim("getReward(address)", vec![Role::ACCOUNT]).by_anyone(),
        claim("claim(address,uint256,bytes32[])", vec![Role::ACCOUNT, number.clone(), Role::array(Role::PROOF)]),
        claim("claim(address[],bytes)", vec![Role::array(Role::MARKET), bytes.clone()]),
        claim("claim((address,uint256),string)", vec![Role::tuple([Role::TOKEN, number.clone()]), bytes]),
        claim("claim(bytes32[][])", vec![Role::array(Role::array(number.clone()))]),
        claim("claim(uint256)", vec![Role::constant(&U256::from(7))]),
        claim("claim(uint8[3],bool)", vec![Role::array(number.clone()), number]),
    ];
    let deployment = Deployment {
        protocol: SLUG.to_owned(),
        chain_id: CHAIN_ID,
        market: "main".to_owned(),
        questions: Vec::new(),
        contracts: vec![FARM, TOKEN],
        tokens: None,
    };
    let protocol = Protocol { slug: SLUG.to_owned(), name: "FUZZED".to_owned(), ..Protocol::default() };
    Catalogue { protocols: vec![protocol], deployments: vec![deployment], claims, ..Catalogue::default() }
}

fn plan(instance: &Arc<Instance>, slug: &str, question: Question) -> JobPlan {
    let network = NETWORKS.with_chain_id(CHAIN_ID).cloned().unwrap_or_else(|| unreachable!("no network"));
    let protocol = portolan_plugins::protocol::Protocol { slug: slug.to_owned(), ..Default::default() };
    JobPlan {
        protocol: Arc::new(protocol),
        instance: Arc::clone(instance),
        network,
        question: JobQuestion::Account(question),
        account: ACCOUNT,
        is_traced: false,
        renews_zeros: false,
        records: None,
    }
}

fn deployments(plan: &JobPlan) -> impl Iterator<Item = &Deployment> {
    let rows = plan.instance.catalogue.deployments.iter();
    rows.filter(|row| row.protocol == plan.protocol.slug && row.chain_id == CHAIN_ID)
}

/// Reads of a job that returned every small number, in one reply about the account.
fn reads() -> ClaimReads {
    let mut reads = ClaimReads::new(ACCOUNT);
    let numbers: Vec<u8> = (0..=255_u8).flat_map(|number| U256::from(number).to_be_bytes::<32>()).collect();
    reads.take(FARM, [&[0; 4], ACCOUNT.into_word().as_slice()].concat().into(), numbers.into(), true);
    reads
}

fn require_findings(plan: &JobPlan, findings: Vec<Finding>, bytes: usize) {
    let trusted: BTreeSet<Address> = deployments(plan).flat_map(|row| row.contracts.iter().copied()).collect();
    let addresses = Addresses::listed(&plan.instance.catalogue, &plan.protocol.slug, CHAIN_ID, |_| false);
    let count = findings.len();
    let validated = validate_findings(plan, findings, &addresses, &reads());
    require_rejections(&validated.rejections);
    assert!(validated.findings.len() <= count && (!validated.nothing_left() || count > 0));
    let keys: BTreeSet<String> = validated.findings.iter().map(ValidFinding::key).collect();
    assert_eq!(keys.len(), validated.findings.len(), "{keys:?}");
    let mut claims_bytes = 0;
    for finding in &validated.findings {
        let (name, market) = match finding {
            ValidFinding::Claim(found, transactions) => {
                assert!(!found.payments.is_empty() && found.payments.iter().all(|payment| !payment.amount.is_zero()));
                assert_eq!(found.steps.len(), transactions.len(), "{finding:?}");
                for (step, transaction) in found.steps.iter().zip(transactions) {
                    assert_eq!(step.to, transaction.to, "{finding:?}");
                    require_claim(plan, transaction, &trusted);
                    claims_bytes += transaction.data.len();
                }
                (&found.name, &found.market)
            }
            ValidFinding::Position(found) => {
                assert!(!found.legs.is_empty() && found.legs.iter().all(|leg| !leg.amount.is_zero()), "{finding:?}");
                (&found.name, &found.market)
            }
        };
        require_shown(name);
        assert!((1..=202).contains(&name.chars().count()), "{finding:?}");
        assert!(deployments(plan).any(|row| row.market == *market), "{finding:?}");
    }
    // Each step has a selector and up to one word of padding.
    assert!(claims_bytes <= 36 * 4 * count + bytes, "{claims_bytes} bytes of claims in {bytes}");
}

/// Requires a claim on a contract of the catalogue, by a declared function, for the account only.
fn require_claim(plan: &JobPlan, claim: &ClaimTransaction, trusted: &BTreeSet<Address>) {
    assert!(trusted.contains(&claim.to), "{claim:?}");
    let declared = plan.instance.catalogue.claims.iter();
    let mut declared = declared.filter(|template| keccak256(&template.signature)[..4] == claim.data[..4]);
    let fits = |template: &ClaimTemplate| {
        let is_sent_by = (template.caller == caller::ANYONE) == claim.is_by_anyone;
        is_sent_by && template.roles.len() == claim.inputs.len() && template.signature.starts_with(&claim.function)
    };
    assert!(declared.any(fits), "{claim:?}");
    assert!(claim.from == ACCOUNT && claim.value.is_zero(), "{claim:?}");
    let approve =
        [[0x09, 0x5e, 0xa7, 0xb3], [0xa9, 0x05, 0x9c, 0xbb], [0x23, 0xb8, 0x72, 0xdd], [0xa2, 0x2c, 0xb4, 0x65]];
    assert!(!approve.iter().any(|selector| claim.data[..4] == *selector), "{claim:?}");
    for (kind, text) in &claim.inputs {
        let named = text.parse::<Address>().ok().filter(|_| kind == "address");
        let is_constant = |of: &Role| of.kind == role::CONSTANT;
        let has_constant = || plan.instance.catalogue.claims.iter().any(|claim| claim.roles.iter().any(is_constant));
        assert!(named.is_none_or(|named| named == ACCOUNT || trusted.contains(&named) || has_constant()), "{claim:?}");
    }
}

fn require_compositions(findings: &[Finding]) {
    let (valid, rejections) = validate_compositions(findings, &[TOKEN, FARM]);
    require_rejections(&rejections);
    let tokens: BTreeSet<Address> = valid.iter().map(|composition| composition.token).collect();
    assert_eq!(tokens.len(), valid.len());
    for composition in valid {
        let token = composition.token;
        assert!([TOKEN, FARM].contains(&token) && !composition.supply.is_zero());
        let parts: BTreeSet<Address> = composition.parts.iter().map(|part| part.token).chain([token]).collect();
        assert_eq!(parts.len(), 1 + composition.parts.len(), "{composition:?}");
    }
}

fn require_events(findings: &[Finding]) {
    const LOGS: usize = 3;
    let (events, rejections) = validate_events(findings, LOGS, &BTreeSet::from([SLUG]));
    require_rejections(&rejections);
    let mut counts = BTreeMap::<usize, usize>::new();
    for event in events {
        *counts.entry(event.log).or_default() += 1;
        assert!(event.log < LOGS && event.protocol.as_deref().is_none_or(|slug| slug == SLUG), "{event:?}");
        let names: BTreeSet<&str> = event.members.iter().map(|(name, _)| *name).collect();
        assert_eq!(names.len(), event.members.len(), "{event:?}");
    }
    assert!(counts.values().all(|count| *count <= 256), "{counts:?}");
}

fn require_rejections(rejections: &Rejections) {
    for line in [rejections.broken(), rejections.of_replies()].into_iter().flatten() {
        assert!(line.len() <= REJECTIONS_BYTES_MAX, "{} bytes", line.len());
        require_sentence(&line);
    }
}
