//! The reasons in words: what happened, and what clients and operators can do.
//!
//! Invariant: every reason has a row here, from which the page of reasons is generated.

/// A reason in words. The sentences are Markdown whose links are relative to `docs/reference/`.
#[derive(Debug)]
pub(crate) struct ReasonText {
    pub(crate) word: &'static str,
    /// What happened.
    pub(crate) happened: &'static str,
    /// What a client can do.
    pub(crate) client: &'static str,
    /// What an operator can do.
    #[cfg_attr(not(test), expect(dead_code, reason = "the reference has it"))]
    pub(crate) operator: &'static str,
}

pub(super) static CRASHED: ReasonText = ReasonText {
    word: "crashed",
    happened: "the plugin panicked, or its process ended",
    client: "ask again once",
    operator: "`/plugins` has the message; report it to the author",
};

pub(super) static DISABLED: ReasonText = ReasonText {
    word: "disabled",
    happened: "the operator disabled the plugin",
    client: "nothing",
    operator: "`portolan plugin enable`",
};

pub(super) static HISTORY: ReasonText = ReasonText {
    word: "history",
    happened: "the logs of older blocks were not searched for [approvals](../use/approvals.md#how-they-are-found) yet, \
                or no node has them; `detail` in the report says which blocks",
    client: "ask again: the next answer goes on where this one stopped",
    operator: "add a node that has old logs",
};

pub(super) static INVALID_OUTPUT: ReasonText = ReasonText {
    word: "invalid-output",
    happened: "the plugin answered something that breaks the rules",
    client: "nothing",
    operator: "report it to the author",
};

pub(super) static INVALID_REPLY: ReasonText = ReasonText {
    word: "invalid-reply",
    happened: "a contract returned or logged something that no row can have, such as a reward in the \
                farm's own address. That row is left out, and the plugin is not at fault",
    client: "nothing",
    operator: "nothing",
};

pub(super) static NAME_NOT_FOUND: ReasonText = ReasonText {
    word: "name-not-found",
    happened: "the name of one of [several accounts](../use/accounts.md#several-accounts) leads to no account",
    client: "correct the name",
    operator: "nothing",
};

pub(super) static NOT_ALLOWED: ReasonText = ReasonText {
    word: "not-allowed",
    happened: "the plugin reads a host off the chain that is not granted",
    client: "nothing",
    operator: "grant `hosts` of the plugin, if you [trust it](../operate/security.md)",
};

pub(super) static NOT_CONFIGURED: ReasonText = ReasonText {
    word: "not-configured",
    happened: "the network has no RPC endpoint",
    client: "choose other networks",
    operator: "add an endpoint",
};

pub(super) static NOT_COVERED: ReasonText = ReasonText {
    word: "not-covered",
    happened: "the plugin knows that the account may have something that it does not read; `notCovered` \
                in the report says what",
    client: "look there yourself",
    operator: "nothing",
};

pub(super) static OVER_BUDGET: ReasonText = ReasonText {
    word: "over-budget",
    happened: "the answer or the plugin reached a bound: reads, requests, time of a processor, lists \
                that are still being walked",
    client: "choose fewer networks or protocols; ask again in a minute",
    operator: "raise the bound",
};

pub(super) static PLUGIN_ERROR: ReasonText = ReasonText {
    word: "plugin-error",
    happened: "the plugin says that it cannot answer, mostly because a contract does not answer as it \
                should",
    client: "nothing",
    operator: "look into `failures` of `/plugins`",
};

pub(super) static QUARANTINED: ReasonText = ReasonText {
    word: "quarantined",
    happened: "the plugin's build is paused or in quarantine, because it failed by its own fault",
    client: "ask again in some minutes",
    operator: "`portolan plugin show`",
};

pub(super) static REJECTED: ReasonText = ReasonText {
    word: "rejected",
    happened: "the plugin's build was refused, or its claim calls a function that is not allowed",
    client: "nothing",
    operator: "`/plugins` has the reason, and the row that would allow the function",
};

pub(super) static STALE: ReasonText = ReasonText {
    word: "stale",
    happened: "the newest block of the network is too old, or older than \
                [`min-block`](../use/blocks.md#never-older-than) says, or its only nodes are still syncing",
    client: "ask again later",
    operator: "look at `/networks` of the operators' listener",
};

pub(super) static NO_STATE: ReasonText = ReasonText {
    word: "state-unavailable",
    happened: "no node has the state of the block that was named",
    client: "choose a later block",
    operator: "add an archive node",
};

pub(super) static TIMEOUT: ReasonText = ReasonText {
    word: "timeout",
    happened: "it was not there in time",
    client: "ask again; choose fewer networks or protocols",
    operator: "look at the endpoints' latency",
};

pub(super) static UNKNOWN_BLOCK: ReasonText = ReasonText {
    word: "unknown-block",
    happened: "no node knows the block that was named",
    client: "check the number",
    operator: "nothing",
};

pub(super) static UPSTREAM: ReasonText = ReasonText {
    word: "upstream",
    happened: "the nodes failed, or a reply could not be proven or decoded",
    client: "ask again",
    operator: "look at `/networks` of the operators' listener",
};

pub(super) static WRONG_CHAIN: ReasonText = ReasonText {
    word: "wrong-chain",
    happened: "the endpoint serves another chain",
    client: "ask again later",
    operator: "correct the endpoint",
};
