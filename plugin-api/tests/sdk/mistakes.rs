//! Mistakes of a test of a plugin: the test fails and says what would be right.

use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{CannedReplies, JobTest, Replies};
use portolan_plugin_api::{
    Address, Bytes, Catalogue, Claimable, Error, JobContext, Plugin, Question, Settings, SettingsError, SolCall, U256,
    sol,
};

use crate::scenario::{
    self, ACCOUNT, NETWORK, Play, TARGET, TOKEN, case, contract, found, getRewardCall, scenario, value, valueCall,
};

sol! {
    function decimals() external view returns (uint8);
}

scenario!(OneRead, |cx| { Ok(vec![found(value(cx, 1).await?)]) });

fn run(protocol: &str, network: u64, question: Question) {
    JobTest::new(protocol, network, question, ACCOUNT).run::<Play<OneRead>>(contract);
}

#[test]
#[should_panic = "the catalogue has no deployment of `acne`; its protocols are {\"acme\"}"]
fn a_protocol_that_the_catalogue_lacks() {
    run("acne", NETWORK, Question::CLAIMABLES);
}

#[test]
#[should_panic = "`acme` has no deployment on chain 10; it has on {137}"]
fn a_network_that_the_catalogue_lacks() {
    run("acme", 10, Question::CLAIMABLES);
}

#[test]
#[should_panic = "no deployment of `acme` on chain 137 declares `farming`; declared are {\"claimables\"}"]
fn a_question_that_no_deployment_declares() {
    run("acme", NETWORK, Question::FARMING);
}

#[test]
fn a_read_without_a_canned_reply_is_described_with_the_replies_that_are_most_like_it() {
    let call = |of: u64| valueCall { of: U256::from(of) };
    let canned = CannedReplies::default()
        .reply(NETWORK, ACCOUNT, &call(1), &U256::from(3))
        .reply(10, TARGET, &call(1), &U256::from(3))
        .balance(NETWORK, TARGET, U256::from(5));
    let mut described = Vec::new();
    let outcome = JobTest::new("acme", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Play<OneRead>>(|request: &_| {
        described.extend((&canned).describe_missing(request));
        (&mut &canned).reply(request)
    });
    assert_eq!(
        outcome.message,
        format!("value(uint256) of {TARGET}: no contract there: check the address, and that it is on this network")
    );
    let data = Bytes::from(call(1).abi_encode());
    let expected = format!(
        "no canned reply to a call of {TARGET} on chain 137 with {data}; it finds nothing. There are replies to:
  a call of {TARGET} on chain 10 with {data}
  the native balance of {TARGET} on chain 137
  a call of {ACCOUNT} on chain 137 with {data}"
    );
    assert_eq!(described, [expected]);
}

scenario!(OnePayment, |cx| {
    let claim = cx.claim(TARGET, &getRewardCall {});
    Ok(vec![Claimable::new("main", TARGET, claim).named("reward").mechanism("farm").pays(TOKEN, U256::ONE)])
});

/// Asked of each token, as a gateway asks.
fn decimals() -> CannedReplies {
    CannedReplies::default().reply(NETWORK, TOKEN, &decimalsCall {}, &U256::from(18))
}

#[test]
fn a_test_that_describes_no_token_is_about_reads_and_amounts_alone() {
    assert_eq!(case().run::<Play<OnePayment>>(contract).payments().len(), 1);
}

#[test]
fn a_token_is_described_by_the_test_or_by_its_decimals() {
    assert_eq!(case().token(TOKEN, 18).run::<Play<OnePayment>>(contract).payments().len(), 1);
    assert_eq!(case().run::<Play<OnePayment>>(&decimals()).payments().len(), 1);
}

/// The sentence about a token whose decimals nobody knows, for this reason.
macro_rules! unknown_token {
    ($test:ident, $why:literal, $run:expr) => {
        #[test]
        #[should_panic = $why]
        fn $test() {
            $run;
        }
    };
}

unknown_token!(
    a_token_that_a_test_does_not_describe_beside_another,
    "nobody knows its decimals (the test does not describe it), so the gateway leaves out what has an amount of it: \
     report a token that has decimals",
    case().token(TARGET, 18).run::<Play<OnePayment>>(contract)
);
unknown_token!(
    a_token_whose_decimals_revert,
    "nobody knows its decimals (`decimals()` returned nothing)",
    case().run::<Play<OnePayment>>(&CannedReplies::default().revert(NETWORK, TOKEN, &decimalsCall {}))
);
unknown_token!(
    a_token_with_more_decimals_than_an_amount_has_digits,
    "nobody knows its decimals (`decimals()` returned 78, more than 77)",
    case().run::<Play<OnePayment>>(&decimals().reply(NETWORK, TOKEN, &decimalsCall {}, &U256::from(78)))
);

#[test]
#[should_panic = "deployments on the chain 999999 are left out by gateways, as no network has this id: correct their rows"]
fn a_network_that_nobody_knows() {
    JobTest::new("acme", NOWHERE, Question::CLAIMABLES, ACCOUNT).run::<Nowhere>(contract);
}

#[test]
fn an_operators_network_is_known_to_its_gateway() {
    let test = JobTest::new("acme", NOWHERE, Question::CLAIMABLES, ACCOUNT).on_operators_network();
    assert!(test.run::<Nowhere>(contract).findings.is_empty());
}

const NOWHERE: u64 = 999_999;

/// Stands on a chain that is in no list of networks.
struct Nowhere;

impl Plugin for Nowhere {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let mut catalogue = scenario::catalogue();
        catalogue.deployments[0].chain_id = NOWHERE;
        catalogue
    }

    async fn claimables(&self, _: &JobContext, _: Address) -> Result<Vec<Claimable>, Error> {
        Ok(Vec::new())
    }
}

impl Exported for Nowhere {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}
