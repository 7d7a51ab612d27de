//! Event vocabulary: types of events, and members of their metadata.

/// An event type: an index into [`KINDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind(usize);

impl Kind {
    /// Returns the type with this name.
    pub fn named(name: &str) -> Option<Self> {
        KINDS.iter().position(|(known, _)| *known == name).map(Self)
    }

    /// Returns the name, as in responses.
    pub fn name(self) -> &'static str {
        KINDS.get(self.0).map_or("", |(name, _)| name)
    }

    /// Returns the members that every event of this type has, in order; unknown ones are null in responses. Events may
    /// have further members.
    pub fn members(self) -> &'static [&'static str] {
        KINDS.get(self.0).map_or(&[], |(_, members)| members)
    }
}

/// Event types: names, and the members that every event of the type has.
pub static KINDS: &[(&str, &[&str])] = &[
    ("APPROVAL", &["owner", "spender", "asset", "amount"]),
    ("TRANSFER", &["from", "to", "asset", "amount"]),
    ("MINT", &["from", "to", "asset", "amount"]),
    ("BURN", &["from", "to", "asset", "amount"]),
    ("NFT_TRANSFER", &["from", "to", "collection", "tokenId"]),
    ("NFT_APPROVAL", &["owner", "spender", "collection", "tokenId"]),
    ("APPROVAL_FOR_ALL", &["owner", "operator", "collection", "approved"]),
    ("WRAP", &["account", "asset", "amount"]),
    ("UNWRAP", &["account", "asset", "amount"]),
    ("SWAP", &["user", "fromToken", "fromAmount", "toToken", "toAmount", "recipient", "pool"]),
    ("ADD_LIQUIDITY", &["user", "pool", "assets"]),
    ("REMOVE_LIQUIDITY", &["user", "pool", "assets"]),
    ("COLLECT_FEES", &["user", "pool", "tokenId", "assets"]),
    ("SUPPLY", &["user", "onBehalfOf", "asset", "amount"]),
    ("WITHDRAW", &["user", "onBehalfOf", "asset", "amount"]),
    ("BORROW", &["user", "onBehalfOf", "asset", "amount"]),
    ("REPAY", &["user", "onBehalfOf", "asset", "amount"]),
    ("LIQUIDATION", &["liquidator", "borrower", "debtAsset", "debtAmount", "collateralAsset", "collateralAmount"]),
    ("STAKE", &["user", "asset", "amount", "contract"]),
    ("UNSTAKE", &["user", "asset", "amount", "contract"]),
    ("CLAIM", &["user", "asset", "amount", "contract"]),
    ("VAULT_DEPOSIT", &["sender", "owner", "vault", "asset", "amount", "shares"]),
    ("VAULT_WITHDRAW", &["sender", "owner", "vault", "asset", "amount", "shares"]),
    ("BRIDGE_OUT", &["user", "recipient", "asset", "amount", "remoteNetwork"]),
    ("BRIDGE_IN", &["user", "recipient", "asset", "amount", "remoteNetwork"]),
    ("LOCK", &["user", "asset", "amount", "contract", "unlockTime"]),
    ("UNLOCK", &["user", "asset", "amount", "contract"]),
    ("VOTE", &["voter", "contract", "proposalId", "support", "weight", "reason"]),
    ("DELEGATE", &["delegator", "fromDelegate", "toDelegate", "contract"]),
    ("NAME_REGISTERED", &["name", "owner", "cost", "expires"]),
    ("NAME_RENEWED", &["name", "cost", "expires"]),
    ("PERMIT2", &["owner", "spender", "asset", "amount", "expiration", "nonce"]),
    ("SAFE_EXECUTION", &["contract", "transactionHash", "success"]),
    ("SAFE_OWNER_ADDED", &["contract", "owner"]),
    ("SAFE_OWNER_REMOVED", &["contract", "owner"]),
    ("SAFE_THRESHOLD", &["contract", "threshold"]),
    ("SAFE_RECEIVED", &["contract", "sender", "asset", "amount"]),
    ("SAFE_SENT", &["contract", "recipient", "asset", "amount"]),
    ("USER_OPERATION", &["account", "paymaster", "success", "cost"]),
    ("GAS", &["payer", "recipient", "cost"]),
];

/// Class of a member's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// [`crate::Value::Address`].
    Address,
    /// [`crate::Value::Token`].
    Token,
    /// [`crate::Value::Amount`] of the token in the named member, or without a token.
    Amount(Option<&'static str>),
    /// [`crate::Value::Assets`].
    Assets,
    /// [`crate::Value::Number`].
    Number,
    /// [`crate::Value::Address`], or [`crate::Value::Word`] for pools without an address.
    Pool,
    /// [`crate::Value::Word`].
    Word,
    /// [`crate::Value::Flag`].
    Flag,
    /// [`crate::Value::Text`].
    Text,
    /// [`crate::Value::Seconds`].
    Seconds,
    /// [`crate::Value::Network`].
    Network,
}

/// Returns the class of a member; `None` for an unknown name.
pub fn member_class(member: &str) -> Option<Class> {
    find_member(member).map(|(_, class)| class)
}

/// Returns a member's static name and class; `None` for an unknown name.
pub fn find_member(member: &str) -> Option<(&'static str, Class)> {
    MEMBERS.iter().find(|(name, _)| *name == member).copied()
}

static MEMBERS: &[(&str, Class)] = &[
    ("account", Class::Address),
    ("borrower", Class::Address),
    ("caller", Class::Address),
    ("collection", Class::Address),
    ("contract", Class::Address),
    ("delegator", Class::Address),
    ("exclusiveRelayer", Class::Address),
    ("from", Class::Address),
    ("fromDelegate", Class::Address),
    ("integrator", Class::Address),
    ("liquidator", Class::Address),
    ("maker", Class::Address),
    ("onBehalfOf", Class::Address),
    ("operator", Class::Address),
    ("owner", Class::Address),
    ("payer", Class::Address),
    ("paymaster", Class::Address),
    ("recipient", Class::Address),
    ("referrer", Class::Address),
    ("relayer", Class::Address),
    ("sender", Class::Address),
    ("spender", Class::Address),
    ("to", Class::Address),
    ("toDelegate", Class::Address),
    ("user", Class::Address),
    ("validator", Class::Address),
    ("vault", Class::Address),
    ("voter", Class::Address),
    ("asset", Class::Token),
    ("collateralAsset", Class::Token),
    ("debtAsset", Class::Token),
    ("fromToken", Class::Token),
    ("toToken", Class::Token),
    ("remoteToken", Class::Word),
    ("amount", Class::Amount(Some("asset"))),
    ("collateralAmount", Class::Amount(Some("collateralAsset"))),
    ("debtAmount", Class::Amount(Some("debtAsset"))),
    ("fee", Class::Amount(Some("asset"))),
    ("fromAmount", Class::Amount(Some("fromToken"))),
    ("toAmount", Class::Amount(Some("toToken"))),
    ("shares", Class::Amount(Some("vault"))),
    ("cost", Class::Amount(Some("native"))),
    ("assets", Class::Assets),
    ("tokenId", Class::Number),
    ("nonce", Class::Number),
    ("proposalId", Class::Number),
    ("support", Class::Number),
    ("threshold", Class::Number),
    ("weight", Class::Number),
    ("number", Class::Number),
    ("pool", Class::Pool),
    ("node", Class::Word),
    ("orderId", Class::Word),
    ("transactionHash", Class::Word),
    ("approved", Class::Flag),
    ("success", Class::Flag),
    ("name", Class::Text),
    ("reason", Class::Text),
    ("expiration", Class::Seconds),
    ("expires", Class::Seconds),
    ("unlockTime", Class::Seconds),
    ("remoteNetwork", Class::Network),
];
