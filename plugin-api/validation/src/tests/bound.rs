//! Functions that claims may call on some contracts alone.

use super::*;

#[test]
fn a_bound_function_is_called_on_its_contracts_alone() {
    let rows = format!(
        "\"claimFor(address account, address[3] market)\" = {{ source = \"https://example.org\", contracts = [\"{GAUGE}\"] }}"
    );
    let mut job = Job::new().read(LISTED, &gaugesCall { pool: TOKEN }, &GAUGE);
    job.templates = ClaimTemplates::parse(&job.catalogue, &ClaimFunctions::with(&rows).unwrap()).unwrap();
    let bound = |to| call(to, &claimForCall { account: ACCOUNT, gauges: [GAUGE, Address::ZERO, Address::ZERO] });
    let row = format!("contracts = [\"{LISTED:#x}\"] }}");
    let refused = |claimable| {
        let validated = job.validate(Question::CLAIMABLES, vec![claimable]);
        let rejections = validated.rejections;
        assert!(validated.findings.is_empty() && rejections.broken().is_none(), "{rejections}");
        assert!(rejections.left_out().is_some_and(|told| told.contains(&row)), "{rejections}");
    };
    assert_eq!(job.refusal(bound(GAUGE)), "");
    refused(paying(bound(LISTED)).into());
    // A step before the last.
    assert_eq!(job.refusal_of(paying(get_reward(LISTED)).after(bound(GAUGE))), "");
    refused(paying(get_reward(LISTED)).after(bound(LISTED)).into());
    refused(paying(bound(LISTED)).after(bound(GAUGE)).into());
    // The claim stays, and is not merged.
    let merges = |to| {
        let claim = paying(get_reward(GAUGE).mergeable_as(bound(to)));
        let validated = job.validate(Question::CLAIMABLES, vec![claim.into()]);
        let [ValidFinding::Claim(_, transactions)] = &validated.findings[..] else { panic!("the claim stays") };
        transactions[0].mergeable.is_some()
    };
    assert!(merges(GAUGE) && !merges(LISTED));
    // Foreign to the deployment: the plugin is at fault.
    assert!(job.refusal(bound(STRANGE)).contains("neither the deployment lists"));
}

#[test]
fn the_contracts_of_claims_that_are_left_out_are_bounded() {
    let gauges: Vec<Address> = (1..=40).map(Address::repeat_byte).filter(|gauge| *gauge != LISTED).collect();
    let mut job = gauges.iter().fold(Job::new(), |job, gauge| job.read(LISTED, &gaugesCall { pool: *gauge }, gauge));
    let rows = format!(
        "\"withdrawDelegated(address delegate)\" = {{ source = \"https://example.org\", contracts = [\"{LISTED}\"] }}"
    );
    job.templates = ClaimTemplates::parse(&job.catalogue, &ClaimFunctions::with(&rows).unwrap()).unwrap();
    let claims = gauges.iter().map(|gauge| paying(call(*gauge, &withdrawDelegatedCall { validator: GAUGE })).into());
    let validated = job.validate(Question::CLAIMABLES, claims.collect());
    assert_eq!((validated.findings.len(), validated.rejections.sentences().count()), (0, 8));
}
