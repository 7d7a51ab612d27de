//! The tests' plugin: one async block that answers the question about claimables, and a contract that it reads.

use std::marker::PhantomData;

use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::{
    Address, Catalogue, Claim, ClaimTemplate, Claimable, Deployment, Error, JobContext, Plugin, Protocol, Question,
    Read, Settings, SettingsError, SolCall, U256, sol,
};

sol! {
    /// Read by the tests; the contract returns twice the number plus one.
    function value(uint256 of) external view returns (uint256);
    /// Claim function of the tests' findings.
    function getReward() external;
    /// Claim function of the tests' numbered findings.
    function claim(uint256 number) external;
}

pub(crate) const NETWORK: u64 = 137;
pub(crate) const TARGET: Address = Address::repeat_byte(0x11);
pub(crate) const TOKEN: Address = Address::repeat_byte(0x55);
pub(crate) const ACCOUNT: Address = Address::repeat_byte(0x22);

/// The async block of a test.
pub(crate) trait Scenario: Send + Sync + 'static {
    fn play(cx: &JobContext) -> impl Future<Output = Result<Vec<Claimable>, Error>> + Send;
}

/// Defines a named async block.
macro_rules! scenario {
    ($name:ident, |$cx:ident| $body:block) => {
        struct $name;

        impl crate::scenario::Scenario for $name {
            async fn play(
                $cx: &portolan_plugin_api::JobContext,
            ) -> Result<Vec<portolan_plugin_api::Claimable>, portolan_plugin_api::Error> {
                $body
            }
        }
    };
}
pub(crate) use scenario;

/// The protocol of the tests' plugins.
pub(crate) fn acme() -> Protocol {
    Protocol::new("acme", "ACME", "https://acme.example", &["FARMING"])
}

/// A catalogue that covers [`found`].
pub(crate) fn catalogue() -> Catalogue {
    let row = Deployment { protocol: "acme".to_owned(), network: NETWORK, market: "main".to_owned(), mechanism: () };
    Catalogue {
        protocols: vec![acme()],
        deployments: vec![row.served(&[Question::CLAIMABLES], [TARGET])],
        claims: vec![ClaimTemplate::new::<getRewardCall>([])],
        ..Catalogue::default()
    }
}

/// A plugin whose claimables are the scenario's.
pub(crate) struct Play<S>(PhantomData<S>);

impl<S: Scenario> Plugin for Play<S> {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self(PhantomData))
    }

    fn catalogue(&self) -> Catalogue {
        catalogue()
    }

    async fn claimables(&self, cx: &JobContext, _: Address) -> Result<Vec<Claimable>, Error> {
        let found = S::play(cx).await?;
        Ok(found.into_iter().enumerate().map(|(place, found)| in_place(found, place)).collect())
    }
}

impl<S: Scenario> Exported for Play<S> {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

pub(crate) fn case() -> JobTest {
    JobTest::new("acme", NETWORK, Question::CLAIMABLES, ACCOUNT)
}

/// Runs a scenario on the tests' contract.
pub(crate) fn play<S: Scenario>() -> Outcome {
    case().run::<Play<S>>(contract)
}

/// A read of the contract.
pub(crate) fn value(cx: &JobContext, of: u64) -> Read<'_, U256> {
    cx.call(TARGET, valueCall { of: U256::from(of) })
}

/// Returns the number that a read of the contract asks for.
pub(crate) fn number(request: &ReadRequest) -> u64 {
    valueCall::abi_decode(&request.data).expect("a read of the contract").of.to()
}

/// Returns twice the number plus one, so that reads and replies are all different.
pub(crate) fn contract(request: &ReadRequest) -> ReadResult {
    word(2 * number(request) + 1)
}

pub(crate) fn word(number: u64) -> ReadResult {
    ReadResult::Ok(U256::from(number).to_be_bytes::<32>().into())
}

/// Gives a finding its own place, since two findings in one place are rejected.
pub(crate) fn in_place(found: Claimable, place: usize) -> Claimable {
    found.numbered((U256::ONE << 64) + U256::from(place))
}

/// A finding that holds a number.
pub(crate) fn found(amount: U256) -> Claimable {
    let claim = Claim { to: TARGET, ..Claim::default() };
    Claimable::new("main", TARGET, claim).named("number").mechanism("test").numbered(amount).pays(TOKEN, amount)
}

pub(crate) fn found_all(amounts: impl IntoIterator<Item = U256>) -> Vec<Claimable> {
    amounts.into_iter().map(found).collect()
}

/// Returns the numbers that a job emitted, in order.
pub(crate) fn numbers(outcome: &Outcome) -> Vec<u64> {
    outcome.claimables().iter().map(|found| found.payments[0].amount.to()).collect()
}

/// Packs four numbers into each finding, since a job may have fewer findings than reads. No number is zero.
pub(crate) fn packed(numbers: impl IntoIterator<Item = U256>) -> Vec<Claimable> {
    let numbers: Vec<u64> = numbers.into_iter().map(|number| number.to()).collect();
    let pack = |four: &[u64]| U256::from_limbs(std::array::from_fn(|place| four.get(place).copied().unwrap_or(0)));
    numbers.chunks(4).map(|four| found(pack(four))).collect()
}

/// Returns the numbers of [`packed`].
pub(crate) fn unpacked(outcome: &Outcome) -> Vec<u64> {
    let limbs = outcome.claimables().into_iter().flat_map(|found| found.payments[0].amount.into_limbs());
    limbs.filter(|number| *number > 0).collect()
}
