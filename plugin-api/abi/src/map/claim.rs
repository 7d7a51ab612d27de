//! What an account can claim, and the calls that claim it.

use alloy::primitives::{Address, U256};
use minicbor::{Decode, Encode};

use crate::primitive;

/// Something that the account can claim at once: one transaction, or several in order, and all that they pay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Claimable {
    /// The deployment's market.
    #[n(0)]
    pub market: String,
    /// The contract that owes it.
    #[cbor(n(1), with = "primitive")]
    pub contract: Address,
    /// A text in which `{0x…}` stands for the symbol of the token at that address.
    #[n(2)]
    pub name: String,
    /// The mechanism, for example `staking-rewards`: the answer's `type`.
    #[n(3)]
    pub mechanism: String,
    /// All that is paid, each token once. The host leaves out payments of zero, and a claim without any.
    #[n(4)]
    pub payments: Vec<Payment>,
    /// The calls that claim it, in order; the last one pays.
    #[n(5)]
    pub steps: Vec<Claim>,
    /// Which of the contract's pools or positions owes it, where it has several: it distinguishes findings of one
    /// contract and token, and stands in the answer's `id`.
    #[cbor(n(6), with = "primitive", has_nil)]
    pub number: Option<U256>,
}

/// An amount of one token that a claim pays.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Payment {
    /// The token.
    #[cbor(n(0), with = "primitive")]
    pub token: Address,
    /// Smallest units.
    #[cbor(n(1), with = "primitive")]
    pub amount: U256,
    /// Where it goes.
    #[n(2)]
    pub paid_to: PaidTo,
    /// A name of its own, as [`Claimable::name`]; absent where the claim's says enough.
    #[n(3)]
    pub name: Option<String>,
}

/// Where a payment goes. A number that is none of these constants is a place of a later revision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(transparent)]
pub struct PaidTo(pub u8);

impl PaidTo {
    /// To the account, which can spend it at once.
    pub const ACCOUNT: Self = Self(0);
    /// Into a lock of the account.
    pub const LOCK: Self = Self(1);
    /// Into a vault or a stake of the account.
    pub const VAULT: Self = Self(2);
}

/// A call that claims. The host checks it against its [`ClaimTemplate`](super::ClaimTemplate) and encodes it anew.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Claim {
    /// Index into [`Catalogue::claims`](super::Catalogue::claims); an index that no template has is refused.
    #[n(0)]
    pub template: u32,
    /// The target: a contract of the catalogue, or one that a declared [`Lineage`](super::Lineage) gives.
    #[cbor(n(1), with = "primitive")]
    pub to: Address,
    /// The arguments' ABI encoding, without the selector.
    #[cbor(n(2), with = "minicbor::bytes")]
    pub arguments: Vec<u8>,
    /// Native value in wei: what the template's fee view returns. The host reads it again, and refuses any other.
    #[cbor(n(3), with = "primitive", has_nil)]
    pub value: Option<U256>,
    /// A call that claims the same and may be merged with others; absent where there is none. It counts only for a claim
    /// of one step that sends no value.
    #[n(4)]
    pub mergeable: Option<MergeableCall>,
}

/// A call that claims for one, of a function that may claim for several: its template says in which arguments
/// ([`ClaimTemplate::merges`](super::ClaimTemplate::merges)). The host checks it as it does the claim, and merges the
/// calls of a plan that go to the same contract.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct MergeableCall {
    /// As [`Claim::template`].
    #[n(0)]
    pub template: u32,
    /// As [`Claim::to`].
    #[cbor(n(1), with = "primitive")]
    pub to: Address,
    /// As [`Claim::arguments`].
    #[cbor(n(2), with = "minicbor::bytes")]
    pub arguments: Vec<u8>,
}

impl Claimable {
    /// What a contract of a deployment's market owes and one call pays, without a name, a mechanism and payments.
    pub fn new(market: &str, contract: Address, claim: Claim) -> Self {
        Self { market: market.to_owned(), contract, steps: vec![claim], ..Self::default() }
    }

    /// With this name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// With this mechanism.
    #[must_use]
    pub fn of(self, mechanism: &str) -> Self {
        Self { mechanism: mechanism.to_owned(), ..self }
    }

    /// With one payment more, to the account.
    #[must_use]
    pub fn pays(self, token: Address, amount: U256) -> Self {
        self.payment(Payment { token, amount, ..Payment::default() })
    }

    /// With one payment more.
    #[must_use]
    pub fn payment(mut self, payment: Payment) -> Self {
        self.payments.push(payment);
        self
    }

    /// With a call that has to be made before the others.
    #[must_use]
    pub fn after(mut self, claim: Claim) -> Self {
        self.steps.insert(0, claim);
        self
    }

    /// With the number of the contract's pool or position.
    #[must_use]
    pub fn numbered(self, number: U256) -> Self {
        Self { number: Some(number), ..self }
    }
}

impl Claim {
    /// With native value in wei.
    #[must_use]
    pub fn with_fee(self, wei: U256) -> Self {
        Self { value: Some(wei), ..self }
    }

    /// With another call, which claims the same and may be merged with others.
    #[must_use]
    pub fn mergeable_as(self, Self { template, to, arguments, .. }: Self) -> Self {
        Self { mergeable: Some(MergeableCall { template, to, arguments }), ..self }
    }
}
