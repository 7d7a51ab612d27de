//! The parameters of paths and query strings: their values and effects.
//!
//! Invariant: every name in the table of paths has one row here, which the description of the API and the reference
//! are made from.

use portolan_assets::price::Currency;
use portolan_events::KINDS;

use crate::gateway::query::POSITION_KINDS;

/// A parameter of paths or query strings.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) form: ParameterKind,
    /// The values in words. Markdown, whose links are relative to `docs/reference/`.
    pub(crate) values: &'static str,
    /// What it does, in the same form.
    pub(crate) effect: &'static str,
    /// A value.
    pub(crate) example: &'static str,
}

/// The form of a parameter's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ParameterKind {
    /// A text that matches this pattern.
    Text(&'static str),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Texts, separated by commas.
    Texts,
    /// Kinds of positions, separated by commas.
    PositionKinds,
    /// Types of events, separated by commas.
    EventTypes,
    /// The code of a currency.
    Currency,
    Flag,
    /// A whole number from 1.
    Count,
}

impl ParameterKind {
    /// Returns true if several values can be given, separated by commas.
    pub(crate) fn is_list(self) -> bool {
        matches!(self, Self::Texts | Self::PositionKinds | Self::EventTypes)
    }

    /// Returns the possible words; empty if there are other values.
    pub(crate) fn words(self) -> Vec<&'static str> {
        match self {
            Self::Word(words) => words.to_vec(),
            Self::PositionKinds => POSITION_KINDS.map(|(name, _)| name).to_vec(),
            Self::EventTypes => KINDS.iter().map(|(name, _)| *name).collect(),
            Self::Currency => Currency::all().map(|currency| currency.code).collect(),
            Self::Text(_) | Self::Texts | Self::Flag | Self::Count => Vec::new(),
        }
    }
}

/// An address, a CAIP-10 id or a name.
const ACCOUNT: &str = r"^(0x[0-9a-fA-F]{40}|eip155:[0-9]+:0x[0-9a-fA-F]{40}|[^/]+\.[^/]+)$";

const ADDRESS: &str = "^0x[0-9a-fA-F]{40}$";

const ANY: &str = ".+";

/// Values in paths.
pub(crate) static PATH_VALUES: [Parameter; 5] = [
    Parameter {
        name: "account",
        form: ParameterKind::Text(ACCOUNT),
        values: "an address, a CAIP-10 id or a name",
        effect: "the account: see [accounts](../use/accounts.md)",
        example: "vitalik.eth",
    },
    Parameter {
        name: "slug",
        form: ParameterKind::Text("^[a-z0-9_-]+$"),
        values: "a slug of `/protocols`",
        effect: "the protocol",
        example: "aave_v3",
    },
    Parameter {
        name: "name",
        form: ParameterKind::Text(r"^[^/]+\.[^/]+$"),
        values: "an ENS name",
        effect: "the name",
        example: "vitalik.eth",
    },
    Parameter {
        name: "hash",
        form: ParameterKind::Text("^0x[0-9a-fA-F]{64}$"),
        values: "`0x` and 64 hex digits",
        effect: "the hash of the transaction",
        example: "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
    },
    Parameter {
        name: "file",
        form: ParameterKind::Text(r"^[a-z0-9_-]+\.svg$"),
        values: "a slug and `.svg`",
        effect: "the protocol",
        example: "aave_v3.svg",
    },
];

/// Parameters of query strings.
pub(crate) static PARAMETERS: [Parameter; 17] = [
    Parameter {
        name: "account",
        form: ParameterKind::Text(ACCOUNT),
        values: "an address, a CAIP-10 id or a name",
        effect: "adds [what the transaction did for that account](../use/account-events.md)",
        example: "vitalik.eth",
    },
    Parameter {
        name: "accounts",
        form: ParameterKind::Texts,
        values: "list of addresses, CAIP-10 ids and names, up to 100 by default",
        effect: "[the accounts](../use/accounts.md#several-accounts) of the answer",
        example: "vitalik.eth",
    },
    Parameter {
        name: "amounts",
        form: ParameterKind::Word(&["string", "number"]),
        values: "`string`, `number`",
        effect: "[the form of amounts](../use/amounts.md); a parameter goes before the header `Accept`",
        example: "string",
    },
    Parameter {
        name: "block",
        form: ParameterKind::Text(ANY),
        values: "a number, a hash, `latest`, `safe`, `finalized`, a time, or `NETWORK:BLOCK` of several networks: see \
                 [blocks](../use/blocks.md)",
        effect: "the block that the answer is at",
        example: "finalized",
    },
    Parameter {
        name: "currency",
        form: ParameterKind::Currency,
        values: "`EUR` and [others](../use/prices.md#other-currencies), in any letter case",
        effect: "adds `inCurrency` beside values in dollars",
        example: "EUR",
    },
    Parameter {
        name: "detail",
        form: ParameterKind::Word(&["full"]),
        values: "`full`",
        effect: "[everything that is known](../use/detail.md)",
        example: "full",
    },
    Parameter {
        name: "exclude",
        form: ParameterKind::Texts,
        values: "list of slugs",
        effect: "leaves these protocols out; not together with `include`",
        example: "aave_v3",
    },
    Parameter {
        name: "include",
        form: ParameterKind::Texts,
        values: "list of slugs",
        effect: "these protocols alone",
        example: "aave_v3",
    },
    Parameter {
        name: "kind",
        form: ParameterKind::PositionKinds,
        values: "list of `lent`, `borrowed`, `staked`, `pooled`, `locked`, `vesting`",
        effect: "these kinds of positions; `claimable` is left out",
        example: "staked",
    },
    Parameter {
        name: "max-logs",
        form: ParameterKind::Count,
        values: "1 to the gateway's bound, 5,000 by default",
        effect: "refuses a transaction with more logs",
        example: "100",
    },
    Parameter {
        name: "min-block",
        form: ParameterKind::Text(ANY),
        values: "a number, or `NETWORK:NUMBER` of several networks, or the text of the header `portolan-blocks`",
        effect: "newest blocks that are [no older than these](../use/blocks.md#never-older-than)",
        example: "ethereum:21000000",
    },
    Parameter {
        name: "network",
        form: ParameterKind::Text(ANY),
        values: "a slug, a name, a chain id or a CAIP-2 id: see [networks](../use/networks.md)",
        effect: "this network alone",
        example: "polygon",
    },
    Parameter {
        name: "simulate",
        form: ParameterKind::Flag,
        values: "`true`, `false`",
        effect: "[tries claims](../use/simulation.md) and adds `simulation` and `cost`, or tries none",
        example: "true",
    },
    Parameter {
        name: "spender",
        form: ParameterKind::Text(ADDRESS),
        values: "an address",
        effect: "[who may take](../use/approvals.md) the token",
        example: "0x000000000022d473030f116ddee9f6b43ac78ba3",
    },
    Parameter {
        name: "token",
        form: ParameterKind::Text(ADDRESS),
        values: "an address",
        effect: "[the token](../use/approvals.md) that may be taken",
        example: "0x2791bca1f2de4661ed88a30c99a7a9449aa84174",
    },
    Parameter {
        name: "type",
        form: ParameterKind::EventTypes,
        values: "list of [types](events.md), in any letter case",
        effect: "these events alone",
        example: "TRANSFER",
    },
    Parameter {
        name: "worth",
        form: ParameterKind::Flag,
        values: "`true`, `false`",
        effect: "leaves out claims that [cost more than they bring](../use/worth.md), revert or are refused",
        example: "true",
    },
];
