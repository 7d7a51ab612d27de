//! Findings that the gateway rejects: a test fails with the gateway's message.

use std::marker::PhantomData;

use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::{
    Address, Catalogue, ClaimTemplate, Claimable, Error, JobContext, Leg, LegRole, PaidTo, Payment, Plugin, Position,
    PositionKind, Question, Role, Settings, SettingsError, U256, sol,
};

use crate::scenario::{self, ACCOUNT, NETWORK, TARGET, TOKEN, acme, getRewardCall};

const OTHER: Address = Address::repeat_byte(0x56);

sol! {
    function undeclared(uint256 number) external;
    function claim(uint256 number) external;
    function claimToken(address account, address token) external;
    function collect() external payable;
    function fee() external view returns (uint256);
    function owed(address account) external view returns (uint256);
}

/// One finding that the gateway would reject.
trait Slip: Send + Sync + 'static {
    fn claimable(_: &JobContext) -> impl Future<Output = Result<Option<Claimable>, Error>> + Send {
        async { Ok(None) }
    }

    fn position() -> Option<Position> {
        None
    }

    fn catalogue(catalogue: Catalogue) -> Catalogue {
        catalogue
    }
}

struct Slips<S>(PhantomData<S>);

impl<S: Slip> Plugin for Slips<S> {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self(PhantomData))
    }

    fn catalogue(&self) -> Catalogue {
        let claims = vec![
            ClaimTemplate::new::<getRewardCall>([]),
            ClaimTemplate::new::<claimCall>([Role::NUMBER]),
            ClaimTemplate::new::<claimTokenCall>([Role::ACCOUNT, Role::TOKEN]),
            ClaimTemplate::new::<collectCall>([]).with_fee::<feeCall>(),
        ];
        let mut catalogue = Catalogue { claims, ..scenario::catalogue() };
        catalogue.deployments[0].questions.push(Question::FARMING);
        S::catalogue(catalogue)
    }

    async fn claimables(&self, cx: &JobContext, _: Address) -> Result<Vec<Claimable>, Error> {
        Ok(Vec::from_iter(S::claimable(cx).await?))
    }

    async fn farming(&self, _: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        Ok(Vec::from_iter(S::position()))
    }
}

impl<S: Slip> Exported for Slips<S> {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

/// Every view of the contract returns 5.
fn five(_: &ReadRequest) -> ReadResult {
    scenario::word(5)
}

fn run<S: Slip>(question: Question) -> Outcome {
    const ALLOWED: &str = r#""collect() payable" = "https://code.example/collect""#;
    JobTest::new("acme", NETWORK, question, ACCOUNT).claim_functions(ALLOWED).run::<Slips<S>>(five)
}

fn reward(cx: &JobContext) -> Claimable {
    paying(cx.claim(TARGET, &getRewardCall {}))
}

fn paying(claim: portolan_plugin_api::Claim) -> Claimable {
    Claimable::new("main", TARGET, claim).named("reward").mechanism("farm").pays(TOKEN, U256::ONE)
}

fn stake() -> Position {
    let leg = Leg::new(LegRole::STAKED, TOKEN, U256::ONE);
    Position::new(PositionKind::STAKED, "main", TARGET).named("stake").mechanism("farm").leg(leg)
}

/// Reports a leg twice, like a farm whose receipt is the token of another leg.
struct TwiceALeg;

impl Slip for TwiceALeg {
    fn position() -> Option<Position> {
        Some(stake().leg(Leg::new(LegRole::STAKED, TOKEN, U256::from(2))))
    }
}

#[test]
fn a_leg_that_is_reported_twice_is_what_a_contract_replied() {
    let outcome = run::<TwiceALeg>(Question::FARMING);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0));
    assert_eq!(outcome.invalid_replies, format!("{TARGET:#x}-{TOKEN:#x} is reported twice"));
}

/// Tests a claimable, and the message that a test with it fails with.
macro_rules! refused_claimable {
    ($test:ident, $sentence:literal, async |$cx:ident| $finding:expr) => {
        #[test]
        #[should_panic = $sentence]
        fn $test() {
            struct Refused;
            impl Slip for Refused {
                async fn claimable($cx: &JobContext) -> Result<Option<Claimable>, Error> {
                    Ok(Some($finding))
                }
            }
            run::<Refused>(Question::CLAIMABLES);
        }
    };
}

/// Tests a position, and the message that a test with it fails with.
macro_rules! refused_position {
    ($test:ident, $sentence:literal, $finding:expr) => {
        #[test]
        #[should_panic = $sentence]
        fn $test() {
            struct Refused;
            impl Slip for Refused {
                fn position() -> Option<Position> {
                    Some($finding)
                }
            }
            run::<Refused>(Question::FARMING);
        }
    };
}

/// Tests a change of a valid catalogue, and the message that a test with it fails with.
macro_rules! refused_catalogue {
    ($test:ident, $sentence:literal, |$catalogue:ident| $change:expr) => {
        #[test]
        #[should_panic = $sentence]
        fn $test() {
            struct Refused;
            impl Slip for Refused {
                fn catalogue(mut $catalogue: Catalogue) -> Catalogue {
                    $change;
                    $catalogue
                }
            }
            run::<Refused>(Question::FARMING);
        }
    };
}

refused_claimable!(a_claim_without_a_template, "its claim's template is not declared", async |cx| {
    paying(cx.claim(TARGET, &undeclaredCall { number: U256::ONE }))
});
refused_claimable!(
    a_target_that_nothing_gave,
    "which neither the deployment lists nor a declared lineage",
    async |cx| paying(cx.claim(OTHER, &getRewardCall {}))
);
refused_claimable!(a_token_that_nothing_gave, "is not a token that", async |cx| {
    paying(cx.claim(TARGET, &claimTokenCall { account: ACCOUNT, token: OTHER }))
});
refused_claimable!(another_account, "is in the place of the account", async |cx| {
    paying(cx.claim(TARGET, &claimTokenCall { account: OTHER, token: TARGET }))
});
refused_claimable!(a_number_that_was_not_read, "did not read together with the account", async |cx| {
    cx.call(TARGET, owedCall { account: OTHER }).await?;
    paying(cx.claim(TARGET, &claimCall { number: U256::from(5) }))
});
refused_claimable!(a_fee_that_is_not_declared, "though no fee is declared", async |cx| {
    paying(cx.claim(TARGET, &getRewardCall {}).with_fee(U256::ONE))
});
refused_claimable!(a_fee_that_was_not_read, "did not read from its target", async |cx| {
    paying(cx.claim(TARGET, &collectCall {}).with_fee(U256::from(5)))
});
refused_claimable!(a_fee_that_is_not_due, "though its target says that 5 are due", async |cx| {
    cx.call(TARGET, feeCall {}).await?;
    paying(cx.claim(TARGET, &collectCall {}).with_fee(U256::from(4)))
});
refused_claimable!(a_payment_to_nowhere, "it pays to the unknown place 9", async |cx| {
    reward(cx).payment(Payment { paid_to: PaidTo(9), token: OTHER, amount: U256::ONE, name: None })
});
refused_claimable!(a_claim_without_a_transaction, "it has no claim", async |cx| {
    Claimable { steps: Vec::new(), ..reward(cx) }
});
refused_claimable!(a_market_that_is_not_deployed, "it names a market that the catalogue does not have", async |cx| {
    Claimable { market: "other".to_owned(), ..reward(cx) }
});
refused_claimable!(a_mechanism_that_is_no_word, "its mechanism is not a word", async |cx| {
    reward(cx).mechanism("staking farm")
});

refused_position!(a_kind_that_is_not_known, "unknown kind 99", Position { kind: PositionKind(99), ..stake() });
refused_position!(
    a_kind_that_answers_another_question,
    "a finding that does not answer the question",
    Position { kind: PositionKind::BORROWED, ..stake() }
);
refused_position!(a_role_that_is_not_known, "unknown role 77", stake().leg(Leg::new(LegRole(77), OTHER, U256::ONE)));

refused_catalogue!(a_slug_that_is_a_reserved_word, "slug \"claimables\" is a reserved word", |catalogue| {
    catalogue.protocols[0].slug = "claimables".to_owned();
});
refused_catalogue!(a_deployment_of_no_protocol, "names the protocol \"acme\", which its catalogue", |catalogue| {
    catalogue.protocols[0] = portolan_plugin_api::Protocol { slug: "other".to_owned(), ..acme() };
});
refused_catalogue!(two_deployments_that_are_one, "has two deployments on chain 137", |catalogue| {
    let row = catalogue.deployments[0].clone();
    catalogue.deployments.push(row);
});
refused_catalogue!(a_website_that_clients_may_not_open, "is not an http, https or ipfs URL", |catalogue| {
    catalogue.protocols[0].website = "javascript:alert(1)".to_owned();
});
refused_catalogue!(a_template_that_is_no_function, "claimToken(address", |catalogue| {
    catalogue.claims[2].roles.pop();
});
refused_catalogue!(more_contracts_than_fit, "4097 contracts of a deployment", |catalogue| {
    catalogue.deployments[0].contracts = vec![TARGET; 4_097];
});
