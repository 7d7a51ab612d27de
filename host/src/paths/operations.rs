//! The endpoints in words.

use super::Endpoint;

/// An endpoint in words.
#[derive(Debug)]
pub(crate) struct Operation {
    /// Group of the description.
    pub(crate) tag: &'static str,
    /// The name of its function in generated clients; it never changes.
    pub(crate) id: &'static str,
    /// What it answers. Markdown, whose links are relative to `docs/reference/`.
    pub(crate) answer: &'static str,
}

/// Groups of endpoints, in the order of the description.
pub(crate) static TAGS: [(&str, &str); 6] = [
    ("claims", "What accounts can claim"),
    ("positions", "What accounts hold in protocols"),
    ("balances", "Balances and approvals of tokens"),
    ("names", "Names and addresses"),
    ("events", "What transactions did"),
    ("facts", "What the gateway serves"),
];

impl Endpoint {
    pub(crate) fn operation(self) -> Operation {
        let (tag, id, answer) = match self {
            Self::Networks => ("facts", "getNetworks", "[the networks](members.md#networkrow) that the gateway knows"),
            Self::Protocols => ("facts", "getProtocols", "[the protocols](members.md#protocol) that it serves"),
            Self::Coverage => (
                "facts",
                "getCoverage",
                "[the questions](../use/protocols.md#what-is-answered) that each protocol answers on each network",
            ),
            Self::AllClaimables => {
                ("claims", "getAllClaimables", "[what the account can claim](../use/claimables.md), over all protocols")
            }
            Self::AllPositions => {
                ("positions", "getAllPositions", "[all positions](../use/positions.md), by protocol, with totals")
            }
            Self::ClaimablesOfAccounts => (
                "claims",
                "getClaimablesOfAccounts",
                "[what several accounts can claim](../use/accounts.md#several-accounts)",
            ),
            Self::PositionsOfAccounts => (
                "positions",
                "getPositionsOfAccounts",
                "[all positions of several accounts](../use/accounts.md#several-accounts)",
            ),
            Self::ClaimPlan => (
                "claims",
                "getClaimPlan",
                "[all claims of a network](../use/plans.md) in order, as one request to a wallet",
            ),
            Self::Watch => (
                "positions",
                "watch",
                "[what changes](../use/streams.md#watch) in the account's positions and claimables, as a stream of events",
            ),
            Self::AddressOfName => ("names", "getAddressOfName", "[the address of a name](../use/accounts.md)"),
            Self::NameOfAccount => {
                ("names", "getNameOfAccount", "[the primary name of an account](../use/accounts.md)")
            }
            Self::Events => ("events", "getEvents", "[the events of a transaction](../use/events.md)"),
            Self::NativeBalance => (
                "balances",
                "getNativeBalance",
                "[the native balance](../use/balances.md): one with `network=`, else a list",
            ),
            Self::TokenBalances => {
                ("balances", "getTokenBalances", "[the balances of all listed tokens](../use/balances.md)")
            }
            Self::Approvals => (
                "balances",
                "getApprovals",
                "[what others may take](../use/approvals.md) from the account, with the transactions that end it",
            ),
            Self::RevokePlan => (
                "balances",
                "getRevokePlan",
                "[the call that takes one allowance back](../use/approvals.md#to-revoke-one), tried, in the form of a claim plan",
            ),
            Self::Claimables => ("claims", "getClaimables", "claimables of one protocol, with `type` and `function`"),
            Self::Farming => ("positions", "getFarming", "[what is staked](../use/positions.md)"),
            Self::Lending => ("positions", "getLending", "what is lent"),
            Self::Borrowing => ("positions", "getBorrowing", "positions with a debt"),
            Self::Pooling => ("positions", "getPooling", "shares of pools"),
            Self::Locked => ("positions", "getLocked", "what is locked or vesting"),
            Self::ClearSigning => (
                "facts",
                "getClearSigning",
                "[what wallets show of a protocol's claims](../use/clear-signing.md): descriptors of ERC-7730",
            ),
            Self::ProtocolLogo => (
                "facts",
                "getProtocolLogo",
                "[the drawing of a protocol](../use/texts.md) without a published logo: its initials",
            ),
            Self::Explorer => {
                ("pages", "getExplorer", "[the explorer](../operate/configure.md#the-explorer), a page for people")
            }
            Self::Docs => ("pages", "getDocs", "[the book](../README.md)"),
            Self::Problems => ("pages", "getProblems", "[what problems mean](problems.md)"),
            Self::LlmsTxt => ("pages", "getLlmsTxt", "the list of all pages, for programs that read"),
            Self::Description => ("facts", "getDescription", "the description of the API, in OpenAPI 3.1"),
        };
        Operation { tag, id, answer }
    }
}
