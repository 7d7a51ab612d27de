//! The tools: endpoints in the words of assistants.
//!
//! Invariant: a tool takes the parameters of its endpoint, but for those whose values are fixed here.

use crate::paths::{Endpoint, PATHS, is_value};

/// A tool.
#[derive(Debug)]
pub(super) struct ToolRow {
    pub(super) name: &'static str,
    pub(super) title: &'static str,
    pub(super) endpoint: Endpoint,
    /// What it does, and when to call it.
    pub(super) about: &'static str,
    /// Parameters with values that the caller does not choose.
    pub(super) fixed: &'static [(&'static str, &'static str)],
    pub(super) shape: DataShape,
}

/// How an answer becomes a tool's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DataShape {
    /// One object.
    Object,
    /// A list of rows, or one object.
    List,
    /// A list of claimables, whose calldata is left out.
    Claimables,
    /// Groups of positions by protocol, with totals.
    Portfolio,
    /// A claim plan, which has calldata only if its trial paid.
    ClaimPlan,
}

/// Amounts are strings: many clients read numbers as floats.
const EXACT: (&str, &str) = ("amounts", "string");

pub(super) static TOOLS: [ToolRow; 12] = [
    ToolRow {
        name: "claimables",
        title: "What an account can claim",
        endpoint: Endpoint::AllClaimables,
        about: "Lists every amount that an account can claim now, over all protocols and networks. Each claim was tried \
                at the answer's block: `simulated` says what came of it, and `cost` what it costs. It has no \
                transactions: call `claim_plan` for those.",
        fixed: &[EXACT, ("simulate", "true")],
        shape: DataShape::Claimables,
    },
    ToolRow {
        name: "claim_plan",
        title: "Transactions that claim on one network",
        endpoint: Endpoint::ClaimPlan,
        about: "Plans how an account claims all that it can on one network: the calls in order with their gas, what they \
                pay, what they cost, and where each target comes from. The plan was tried as a whole. It has calls only \
                if that trial paid what the plan says. Nothing is signed or sent: the account's own wallet does that.",
        fixed: &[EXACT, ("detail", "full")],
        shape: DataShape::ClaimPlan,
    },
    ToolRow {
        name: "positions",
        title: "What an account holds in protocols",
        endpoint: Endpoint::AllPositions,
        about: "Lists what an account has lent, borrowed, staked, pooled or locked, by protocol, with totals in dollars.",
        fixed: &[EXACT],
        shape: DataShape::Portfolio,
    },
    ToolRow {
        name: "token_balances",
        title: "An account's tokens",
        endpoint: Endpoint::TokenBalances,
        about: "Lists an account's balances of all tokens of the gateway's token list, on all networks or one.",
        fixed: &[EXACT],
        shape: DataShape::List,
    },
    ToolRow {
        name: "native_balances",
        title: "An account's native balance",
        endpoint: Endpoint::NativeBalance,
        about: "Returns an account's balance of each network's native token: one with `network`, else a list.",
        fixed: &[EXACT],
        shape: DataShape::List,
    },
    ToolRow {
        name: "approvals",
        title: "What others may take from an account",
        endpoint: Endpoint::Approvals,
        about: "Lists who may take which tokens from an account, with the amounts at risk now. `listed` is false for \
                tokens that anybody may have made. `revokeTransaction` ends a row; nothing is signed or sent.",
        fixed: &[EXACT],
        shape: DataShape::List,
    },
    ToolRow {
        name: "transaction",
        title: "What a transaction did",
        endpoint: Endpoint::Events,
        about: "Decodes a transaction's logs to events: transfers, swaps, claims and others. With `account` it also says \
                what came into and went out of that account.",
        fixed: &[EXACT],
        shape: DataShape::List,
    },
    ToolRow {
        name: "address_of_name",
        title: "The address of a name",
        endpoint: Endpoint::AddressOfName,
        about: "Resolves an ENS name to its address. Tools that take an account take a name too.",
        fixed: &[],
        shape: DataShape::Object,
    },
    ToolRow {
        name: "name_of_address",
        title: "The name of an address",
        endpoint: Endpoint::NameOfAccount,
        about: "Returns the primary ENS name of an address, verified in both directions.",
        fixed: &[],
        shape: DataShape::Object,
    },
    ToolRow {
        name: "networks",
        title: "Networks",
        endpoint: Endpoint::Networks,
        about: "Lists the networks that the gateway knows, with the values that `network` takes.",
        fixed: &[],
        shape: DataShape::List,
    },
    ToolRow {
        name: "protocols",
        title: "Protocols",
        endpoint: Endpoint::Protocols,
        about: "Lists the protocols that the gateway reads, with the slugs that `include` and `exclude` take.",
        fixed: &[],
        shape: DataShape::List,
    },
    ToolRow {
        name: "coverage",
        title: "What is covered",
        endpoint: Endpoint::Coverage,
        about: "Says which questions the gateway answers for each protocol on each network. What is not listed is not \
                read, so its absence from an answer means nothing.",
        fixed: &[],
        shape: DataShape::List,
    },
];

/// Name of the argument that continues an answer.
pub(super) const CURSOR: &str = "cursor";

impl ToolRow {
    pub(super) fn named(name: &str) -> Option<&'static Self> {
        TOOLS.iter().find(|tool| tool.name == name)
    }

    /// Returns true if the caller may give this parameter.
    fn takes(&self, parameter: &str) -> bool {
        let is_form = parameter == "detail" || parameter == EXACT.0;
        !is_form && !self.fixed.iter().any(|(name, _)| *name == parameter)
    }

    /// The first of the endpoint's paths.
    pub(super) fn path(&self) -> &'static [&'static str] {
        PATHS.iter().find(|(_, endpoint)| *endpoint == self.endpoint).map_or(&[], |(path, _)| path)
    }

    /// Returns the names of the values in its path, and of its parameters.
    pub(super) fn parameters(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        let values = self.path().iter().filter(|part| is_value(part)).map(|part| part.trim_matches(['{', '}']));
        (values.collect(), self.endpoint.taken().filter(|name| self.takes(name)).collect())
    }

    /// Returns true if an answer may come in slices.
    pub(super) fn has_slices(&self) -> bool {
        !matches!(self.shape, DataShape::Object | DataShape::ClaimPlan)
    }
}
