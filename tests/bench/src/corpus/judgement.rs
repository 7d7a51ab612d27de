//! The verdicts of the rules on an answer.

/// A tier of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    Core,
    Protocol,
    Wallet,
    /// Told as something that it is not; never right.
    Mistold,
    /// Under the name of another protocol; never right.
    Misnamed,
    /// Told more often than it was made; never right.
    Double,
}

/// The subject of a judgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    /// The native value that the transaction itself sent.
    Value,
    Log(u64),
    /// By its place in the transaction's list.
    Leg(usize),
}

/// The verdict on one subject: whether it is reported correctly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    pub(super) tier: Tier,
    /// The type that the truth expects; of an event without a truth its own.
    pub(super) kind: String,
    pub(super) subject: Subject,
    pub(super) wrong: Option<Wrong>,
}

/// The error that a judgement found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    /// In a word or two, for counting: `untold`, or the members that are wrong.
    pub(super) lacks: String,
    pub(super) detail: String,
}

impl Tier {
    pub(super) const ALL: [Self; 6] =
        [Self::Core, Self::Protocol, Self::Wallet, Self::Mistold, Self::Misnamed, Self::Double];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Core => "core",
            Self::Protocol => "protocol",
            Self::Wallet => "wallet",
            Self::Mistold => "mistold",
            Self::Misnamed => "misnamed",
            Self::Double => "double",
        }
    }
}

impl Wrong {
    pub(super) fn new(lacks: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { lacks: lacks.into(), detail: detail.into() }
    }

    pub(super) fn untold() -> Self {
        Self::new("untold", "nothing is told")
    }
}
