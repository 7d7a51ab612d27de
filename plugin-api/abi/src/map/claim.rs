//! Claimable amounts of an account, and the calls that claim them.

use alloy::primitives::{Address, U256};
use minicbor::{Decode, Encode};

use crate::primitive;

/// An amount that the account can claim now: one or more transactions in order, and all payments.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::{Claim, Claimable, PaidTo, Payment};
/// # let (farm, claim, token, locked) = (Address::ZERO, Claim::default(), Address::ZERO, Address::ZERO);
/// let claimable = Claimable::new("main", farm, claim)
///     .named("Rewards")
///     .mechanism("staking-rewards")
///     .pays(token, U256::from(5))
///     .payment(Payment { token: locked, amount: U256::from(7), paid_to: PaidTo::LOCK, ..Payment::default() });
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Claimable {
    /// Market of the deployment.
    #[n(0)]
    pub market: String,
    /// Contract that owes it.
    #[cbor(n(1), with = "primitive")]
    pub contract: Address,
    /// Display name; `{0x…}` stands for the symbol of the token at that address.
    #[n(2)]
    pub name: String,
    /// Mechanism, for example `staking-rewards`: `type` in the answer.
    #[n(3)]
    pub mechanism: String,
    /// Payments, each token once. The host drops zero payments, and claims without any payment.
    #[n(4)]
    pub payments: Vec<Payment>,
    /// Calls that claim it, in order; the last one pays.
    #[n(5)]
    pub steps: Vec<Claim>,
    /// Number of the contract's pool or position that owes it, if there are several. Distinguishes findings of one
    /// contract and token, and is part of the answer's `id`.
    #[cbor(n(6), with = "primitive", has_nil)]
    pub number: Option<U256>,
}

/// An amount of one token that a claim pays.
///
/// ```
/// # use alloy::primitives::{Address, U256};
/// # use portolan_abi::map::{PaidTo, Payment};
/// # let token = Address::ZERO;
/// let payment = Payment { token, amount: U256::from(7), paid_to: PaidTo::VAULT, name: Some("Boost".into()) };
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Payment {
    /// Token that is paid.
    #[cbor(n(0), with = "primitive")]
    pub token: Address,
    /// Amount in smallest units.
    #[cbor(n(1), with = "primitive")]
    pub amount: U256,
    /// Destination of the payment.
    #[n(2)]
    pub paid_to: PaidTo,
    /// Own name, like [`Claimable::name`]; absent if the claim's suffices.
    #[n(3)]
    pub name: Option<String>,
}

/// Destination of a payment. Unknown numbers belong to later revisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(transparent)]
pub struct PaidTo(pub u8);

impl PaidTo {
    /// The account, which can spend it at once.
    pub const ACCOUNT: Self = Self(0);
    /// A lock of the account.
    pub const LOCK: Self = Self(1);
    /// A vault or stake of the account.
    pub const VAULT: Self = Self(2);
}

/// A call that claims. The host checks it against its [`ClaimTemplate`](super::ClaimTemplate) and re-encodes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
#[cbor(map)]
pub struct Claim {
    /// Index into [`Catalogue::claims`](super::Catalogue::claims); an unknown index is refused.
    #[n(0)]
    pub template: u32,
    /// Target: a contract of the catalogue, or one that a declared [`Lineage`](super::Lineage) returns.
    #[cbor(n(1), with = "primitive")]
    pub to: Address,
    /// ABI encoding of the arguments, without the selector.
    #[cbor(n(2), with = "minicbor::bytes")]
    pub arguments: Vec<u8>,
    /// Native value in wei, as the template's fee view returns it. The host reads it again and refuses any other.
    #[cbor(n(3), with = "primitive", has_nil)]
    pub value: Option<U256>,
    /// An equivalent call that may be merged with others. Only for claims of one step that send no value.
    #[n(4)]
    pub mergeable: Option<MergeableCall>,
}

/// A call of a function that can claim for several at once; its template names the arguments that grow
/// ([`ClaimTemplate::merges`](super::ClaimTemplate::merges)). The host checks it like the claim, and merges the calls
/// of a plan to the same contract.
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
    /// A claimable of one contract and call, without a name, a mechanism and payments.
    pub fn new(market: &str, contract: Address, claim: Claim) -> Self {
        Self { market: market.to_owned(), contract, steps: vec![claim], ..Self::default() }
    }

    /// Sets the name.
    #[must_use]
    pub fn named(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// Sets the mechanism.
    #[must_use]
    pub fn mechanism(self, mechanism: &str) -> Self {
        Self { mechanism: mechanism.to_owned(), ..self }
    }

    /// Adds a payment to the account.
    #[must_use]
    pub fn pays(self, token: Address, amount: U256) -> Self {
        self.payment(Payment { token, amount, ..Payment::default() })
    }

    /// Adds a payment.
    #[must_use]
    pub fn payment(mut self, payment: Payment) -> Self {
        self.payments.push(payment);
        self
    }

    /// Adds a call that must be made before the others.
    #[must_use]
    pub fn after(mut self, claim: Claim) -> Self {
        self.steps.insert(0, claim);
        self
    }

    /// Sets the number of the contract's pool or position.
    #[must_use]
    pub fn numbered(self, number: U256) -> Self {
        Self { number: Some(number), ..self }
    }
}

impl Claim {
    /// Sets the native value, in wei.
    #[must_use]
    pub fn with_fee(self, wei: U256) -> Self {
        Self { value: Some(wei), ..self }
    }

    /// Adds an equivalent call that may be merged with others.
    #[must_use]
    pub fn mergeable_as(self, Self { template, to, arguments, .. }: Self) -> Self {
        Self { mergeable: Some(MergeableCall { template, to, arguments }), ..self }
    }
}
