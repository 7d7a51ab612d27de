//! The types of problems: what each says to clients and to readers of the book.
//!
//! Invariant: every problem has a row here, and its page and its description are made from the row.

use hyper::StatusCode;

/// A type of problems (RFC 9457).
#[derive(Debug)]
pub(crate) struct ProblemType {
    /// The last part of `type`.
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    /// Its statuses; several if the part of the request decides.
    pub(crate) statuses: &'static [StatusCode],
    /// What happened, in Markdown whose links are relative to `docs/reference/`.
    pub(crate) happened: &'static str,
    /// What to do about it, in the same form.
    pub(crate) remedy: &'static str,
}

/// All types, by name.
pub(crate) static PROBLEM_TYPES: [&ProblemType; 30] = [
    &ANSWER_TOO_LARGE,
    &DEADLINE,
    &HOST_NOT_ALLOWED,
    &INTERNAL,
    &INVALID_ADDRESS,
    &INVALID_BLOCK,
    &INVALID_FILTER,
    &INVALID_HASH,
    &INVALID_NAME,
    &INVALID_NETWORK,
    &INVALID_REQUEST,
    &METHOD_NOT_ALLOWED,
    &NAME_NOT_FOUND,
    &NETWORK_NOT_CONFIGURED,
    &ORIGIN_NOT_ALLOWED,
    &OVER_BUDGET,
    &OVERLOADED,
    &PROTOCOL_UNAVAILABLE,
    &REQUEST_TOO_LARGE,
    &STATE_UNAVAILABLE,
    &TOO_MANY_EVENTS,
    &TOO_MANY_LOGS,
    &TOO_MANY_REQUESTS,
    &TRANSACTION_NOT_FOUND,
    &UNAUTHORIZED,
    &UNKNOWN_BLOCK,
    &UNKNOWN_PARAMETER,
    &UNKNOWN_PATH,
    &UNKNOWN_PROTOCOL,
    &UPSTREAM,
];

pub(super) static ANSWER_TOO_LARGE: ProblemType = ProblemType {
    name: "answer-too-large",
    title: "Answer too large",
    statuses: &[StatusCode::PAYLOAD_TOO_LARGE],
    happened: "The body would be longer than the gateway allows: 16 MiB by default.",
    remedy: "Leave out `detail=full`, choose one network, or choose protocols by `include`. The \
              operator's bound is `[answers] body_bytes_max`.",
};

pub(super) static DEADLINE: ProblemType = ProblemType {
    name: "deadline",
    title: "Deadline exceeded",
    statuses: &[StatusCode::GATEWAY_TIMEOUT],
    happened: "The answer was not there in time: 8 s by default, the body included. At least one of the \
                jobs was out of time.",
    remedy: "Try again: some of the replies are cached by then. Or choose one network or fewer \
              protocols. The operator's bound is `[answers] deadline_ms`.",
};

pub(super) static HOST_NOT_ALLOWED: ProblemType = ProblemType {
    name: "host-not-allowed",
    title: "Host not allowed",
    statuses: &[StatusCode::FORBIDDEN],
    happened: "Only on the operators' listener and at `/mcp`. The `Host` of the request is not one that is used there.",
    remedy: "Ask by a loopback name or by the address that you connect to, or add the host to \
              `[operators] allowed_hosts` or `[mcp] allowed_hosts`.",
};

pub(super) static INTERNAL: ProblemType = ProblemType {
    name: "internal",
    title: "Internal error",
    statuses: &[StatusCode::INTERNAL_SERVER_ERROR],
    happened: "A fault of the gateway.",
    remedy: "Report it to the operator with its `requestId`: the gateway's log has the cause.",
};

pub(super) static INVALID_ADDRESS: ProblemType = ProblemType {
    name: "invalid-address",
    title: "Invalid address",
    statuses: &[StatusCode::BAD_REQUEST],
    happened: "The address is not `0x` and 40 hex digits, or its mixed-case checksum (EIP-55) is wrong, \
                or `account` is given with two values, or the token of a plan to revoke has no allowances.",
    remedy: "Correct the address. A name has a dot, an address has none.",
};

pub(super) static INVALID_BLOCK: ProblemType = ProblemType {
    name: "invalid-block",
    title: "Invalid block",
    statuses: &[StatusCode::BAD_REQUEST],
    happened: "`block` or `min-block` names no block, or a time that is still to come, or not the networks that are \
                asked about.",
    remedy: "[Blocks](../use/blocks.md) has the forms. A number or a hash needs one network: add \
              `network=`, or write `ethereum:21000000`.",
};

pub(super) static INVALID_FILTER: ProblemType = ProblemType {
    name: "invalid-filter",
    title: "Invalid filter",
    statuses: &[StatusCode::BAD_REQUEST],
    happened: "A parameter's value cannot be: an unknown protocol in `include` or `exclude`, both of \
                these at once, an unknown `kind` or `type`, a `detail` other than `full`, a form of \
                `amounts` other than `string` or `number`, a flag that is not `true` or `false`, \
                `max-logs` out of its bounds, or two values of a parameter that has one.",
    remedy: "`detail` names the value, and where there is a list of possible ones, the list.",
};

pub(super) static INVALID_HASH: ProblemType = ProblemType {
    name: "invalid-hash",
    title: "Invalid hash",
    statuses: &[StatusCode::BAD_REQUEST],
    happened: "The transaction's hash is not `0x` and 64 hex digits.",
    remedy: "Correct the hash.",
};

pub(super) static INVALID_NAME: ProblemType = ProblemType {
    name: "invalid-name",
    title: "Invalid name",
    statuses: &[StatusCode::BAD_REQUEST],
    happened: "The name cannot be an ENS name by ENSIP-15.",
    remedy: "Correct the name. A name that nobody has registered is [name-not-found](#name-not-found) \
              instead.",
};

pub(super) static INVALID_NETWORK: ProblemType = ProblemType {
    name: "invalid-network",
    title: "Invalid network",
    statuses: &[StatusCode::BAD_REQUEST],
    happened: "`network` is missing where it is required, or the gateway does not know it, or names have \
                no addresses of that chain.",
    remedy: "`detail` lists the networks. [Networks](../use/networks.md) has the forms.",
};

pub(super) static INVALID_REQUEST: ProblemType = ProblemType {
    name: "invalid-request",
    title: "Invalid request",
    statuses: &[StatusCode::BAD_REQUEST],
    happened: "The head of the request is not valid HTTP.",
    remedy: "Correct the client. The connection is closed after this answer.",
};

pub(super) static METHOD_NOT_ALLOWED: ProblemType = ProblemType {
    name: "method-not-allowed",
    title: "Method not allowed",
    statuses: &[StatusCode::METHOD_NOT_ALLOWED],
    happened: "The public listeners answer GET, HEAD and OPTIONS, the operators' listener GET and HEAD.",
    remedy: "Use one of these; the header `allow` has them.",
};

pub(super) static NAME_NOT_FOUND: ProblemType = ProblemType {
    name: "name-not-found",
    title: "Name not found",
    statuses: &[StatusCode::NOT_FOUND],
    happened: "The name, or the account's primary name, does not exist, or has no address on that \
                network.",
    remedy: "This is an answer of the chain, and not a failure. Check the spelling.",
};

pub(super) static NETWORK_NOT_CONFIGURED: ProblemType = ProblemType {
    name: "network-not-configured",
    title: "Network not configured",
    statuses: &[StatusCode::SERVICE_UNAVAILABLE],
    happened: "The gateway knows the network, and has no RPC endpoint for it.",
    remedy: "Ask about another network, or ask the operator for an endpoint. Names need one of Ethereum.",
};

pub(super) static ORIGIN_NOT_ALLOWED: ProblemType = ProblemType {
    name: "origin-not-allowed",
    title: "Origin not allowed",
    statuses: &[StatusCode::FORBIDDEN],
    happened: "Only at `/mcp`. The request comes from a web page whose `Origin` may not call tools.",
    remedy: "Ask the operator to add the page's origin to `[mcp] allowed_origins`.",
};

pub(super) static OVER_BUDGET: ProblemType = ProblemType {
    name: "over-budget",
    title: "Over budget",
    statuses: &[StatusCode::PAYLOAD_TOO_LARGE],
    happened: "Everything that was requested would need more reads or requests than an answer may take, \
                or more time of a plugin.",
    remedy: "Ask about one network or fewer protocols. The operator's bounds are `[answers] reads_max`, \
              `node_requests_max` and those of plugins.",
};

pub(super) static OVERLOADED: ProblemType = ProblemType {
    name: "overloaded",
    title: "Overloaded",
    statuses: &[StatusCode::SERVICE_UNAVAILABLE],
    happened: "As many answers as the gateway allows are under way, in all or for your address, or its \
                memory is short.",
    remedy: "Wait as many seconds as `retry-after` says. Behind a proxy that the operator did not \
              name, all clients are one address: see [clients](../operate/clients.md#behind-proxies).",
};

pub(super) static PROTOCOL_UNAVAILABLE: ProblemType = ProblemType {
    name: "protocol-unavailable",
    title: "Protocol unavailable",
    statuses: &[StatusCode::SERVICE_UNAVAILABLE],
    happened: "The plugin of the protocol is not served now, or may not read what it needs: its build \
                was refused, is in quarantine or paused, or was disabled, or a host is not granted.",
    remedy: "Try later, or ask the operator; `detail` has the reason.",
};

pub(super) static REQUEST_TOO_LARGE: ProblemType = ProblemType {
    name: "request-too-large",
    title: "Request too large",
    statuses: &[StatusCode::PAYLOAD_TOO_LARGE, StatusCode::URI_TOO_LONG, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE],
    happened: "The request has a body (413), a request line of more than 8 KiB (414), or headers of more \
                than 32 KiB or 512 fields (431).",
    remedy: "Send no body. Make the request shorter.",
};

pub(super) static STATE_UNAVAILABLE: ProblemType = ProblemType {
    name: "state-unavailable",
    title: "State unavailable",
    statuses: &[StatusCode::BAD_GATEWAY],
    happened: "No node of the network has the state of the block that `block` names.",
    remedy: "Choose a later block, or ask the operator for an archive node.",
};

pub(super) static TOO_MANY_EVENTS: ProblemType = ProblemType {
    name: "too-many-events",
    title: "Too many events",
    statuses: &[StatusCode::PAYLOAD_TOO_LARGE],
    happened: "The logs of the transaction decode to more events than the gateway allows: 20,000 by \
                default.",
    remedy: "Choose events by `type`. The operator's bound is `[answers] events_max`.",
};

pub(super) static TOO_MANY_LOGS: ProblemType = ProblemType {
    name: "too-many-logs",
    title: "Too many logs",
    statuses: &[StatusCode::PAYLOAD_TOO_LARGE],
    happened: "The transaction has more logs than the gateway decodes (5,000 by default), or than \
                `max-logs` says. The list is never cut instead.",
    remedy: "Raise `max-logs` up to the gateway's bound. The operator's bound is `[answers] logs_max`.",
};

pub(super) static TOO_MANY_REQUESTS: ProblemType = ProblemType {
    name: "too-many-requests",
    title: "Too many requests",
    statuses: &[StatusCode::TOO_MANY_REQUESTS],
    happened: "The client reached a limit that the operator set for its key or its address: requests a second, \
                answers at once, or reads of a day. `detail` says which.",
    remedy: "Wait as many seconds as `retry-after` says. `ratelimit-policy` has the limits, and `ratelimit` what \
              is left: see [clients](../operate/clients.md#limits).",
};

pub(super) static TRANSACTION_NOT_FOUND: ProblemType = ProblemType {
    name: "transaction-not-found",
    title: "Transaction not found",
    statuses: &[StatusCode::NOT_FOUND],
    happened: "The network has no transaction of this hash, or the transaction is not in a block yet.",
    remedy: "Check the hash and the network, or try again after the next block.",
};

pub(super) static UNAUTHORIZED: ProblemType = ProblemType {
    name: "unauthorized",
    title: "Unauthorized",
    statuses: &[StatusCode::UNAUTHORIZED],
    happened: "The request has no API key where the gateway wants one, or one that the gateway does not know \
                or that has expired. On the operators' listener: the operator set a token, and the request \
                does not have it.",
    remedy: "Send `Authorization: Bearer` and the key or the token; a key may be in `x-api-key` instead. The \
              operator gives out [keys](../operate/clients.md#api-keys).",
};

pub(super) static UNKNOWN_BLOCK: ProblemType = ProblemType {
    name: "unknown-block",
    title: "Unknown block",
    statuses: &[StatusCode::NOT_FOUND],
    happened: "No node of the network knows the block that `block` names.",
    remedy: "Check the number or hash and the network.",
};

pub(super) static UNKNOWN_PARAMETER: ProblemType = ProblemType {
    name: "unknown-parameter",
    title: "Unknown parameter",
    statuses: &[StatusCode::BAD_REQUEST],
    happened: "The path does not take this parameter.",
    remedy: "`detail` lists those that it takes, and the nearest name. A parameter for somebody else may \
              begin with `_`.",
};

pub(super) static UNKNOWN_PATH: ProblemType = ProblemType {
    name: "unknown-path",
    title: "Unknown path",
    statuses: &[StatusCode::NOT_FOUND],
    happened: "Nothing is at this path.",
    remedy: "[Endpoints](endpoints.md) has all paths. The listener `claimables` has `/{address}` alone.",
};

pub(super) static UNKNOWN_PROTOCOL: ProblemType = ProblemType {
    name: "unknown-protocol",
    title: "Unknown protocol",
    statuses: &[StatusCode::NOT_FOUND],
    happened: "The gateway serves no protocol of this slug.",
    remedy: "`/protocols` lists those that it serves.",
};

pub(super) static UPSTREAM: ProblemType = ProblemType {
    name: "upstream",
    title: "Upstream failure",
    statuses: &[StatusCode::BAD_GATEWAY],
    happened: "The nodes did not answer, or their answers could not be trusted: nothing of what was \
                requested could be read.",
    remedy: "The same status tells that a gateway of a name answered wrongly, that no token list was \
              read yet, or that a receipt cannot be proven where the operator requires proof. Try again \
              later. With `detail=full`, `jobs` says what failed.",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_every_type_by_name_with_a_status_and_words() {
        let names = PROBLEM_TYPES.map(|kind| kind.name);
        assert!(names.is_sorted(), "{names:?}");
        // One is this line's.
        let rows = include_str!("problem_types.rs").matches("pub(super) static ").count() - 1;
        assert_eq!(rows, names.len());
        for kind in PROBLEM_TYPES {
            let is_error = |status: &StatusCode| status.is_client_error() || status.is_server_error();
            assert!(!kind.statuses.is_empty() && kind.statuses.iter().all(is_error), "{kind:?}");
            for text in [kind.title, kind.happened, kind.remedy] {
                assert!(!text.is_empty() && !text.contains("  "), "{text}");
            }
        }
    }
}
