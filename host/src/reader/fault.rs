//! What a request can end in besides a result, told apart: the contract's answer, the request's own fault, the
//! endpoint's fault.
//!
//! Invariant: a revert never counts against an endpoint, and an endpoint's fault never looks like a revert. The texts
//! of nodes are matched here and never shown or logged, for some repeat the key of the URL.

use alloy::primitives::Bytes;
use alloy::transports::{RpcError, TransportError};
use serde_json::Value;

use super::ReadFailure;
use super::transport::TransportFault;

/// Why an endpoint is left for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Fault {
    #[error("no answer in time")]
    Timeout,
    #[error("it serves chain {0}")]
    WrongChain(u64),
    #[error("no connection, or one that broke")]
    Unreachable,
    #[error("HTTP status {0}")]
    Http(u16),
    #[error("JSON-RPC error {0}")]
    Rpc(i64),
    #[error("a reply of the wrong shape")]
    Malformed,
    #[error("it does not know the pinned block")]
    Lag,
    #[error("it answered at another block than the pinned one")]
    IgnoredBlock,
    #[error("a reply or request too large for it")]
    TooLarge,
}

impl Fault {
    /// What faults of all endpoints come to; none at all means that reads were left unanswered one by one.
    pub(super) fn verdict(faults: &[Self]) -> ReadFailure {
        if !faults.is_empty() && faults.iter().all(|fault| matches!(fault, Self::WrongChain(_))) {
            ReadFailure::WrongChain
        } else if faults.contains(&Self::Timeout) {
            ReadFailure::Timeout
        } else {
            ReadFailure::Upstream
        }
    }
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The contract reverted, with this data.
    Reverted(Bytes),
    /// The EVM stopped: invalid opcode, bad jump and the like. All gas is gone, and there is no data.
    Halted,
    OutOfGas,
    /// The request, its reply or its running time is too much for the endpoint.
    TooLarge,
    UnknownBlock,
    /// A JSON-RPC error that could be about this request alone.
    Unclear(i64),
    Fault(Fault),
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<TransportError> for Refusal {
    fn from(error: TransportError) -> Self {
        match error {
            RpcError::ErrorResp(payload) => {
                if payload.is_retry_err() && !says(&payload.message, UNKNOWN_BLOCK) {
                    return Fault::Rpc(payload.code).into();
                }
                let data = payload.data.as_ref().and_then(|data| serde_json::from_str(data.get()).ok());
                classify(payload.code, &payload.message, &data.unwrap_or(Value::Null))
            }
            RpcError::Transport(kind) => match TransportFault::of(&kind) {
                Some(TransportFault::TooLarge) => Self::TooLarge,
                Some(TransportFault::Status(status)) => Fault::Http(status).into(),
                Some(TransportFault::Unreachable) => Fault::Unreachable.into(),
                Some(TransportFault::Malformed) | None => Fault::Malformed.into(),
            },
            _ => Fault::Malformed.into(),
        }
    }
}

/// Lower-case parts of nodes' messages. Geth, Erigon, reth, Nethermind, Besu, anvil and hosted nodes each have theirs.
const UNKNOWN_BLOCK: &[&str] = &[
    "header not found",
    "header for hash not found",
    "unknown block",
    "unknown header",
    "block not found",
    "block with hash",
    "could not find block",
    "not currently canonical",
    "resource not found",
];
const TOO_LARGE: &[&str] = &[
    "response size",
    "response too large",
    "response is too big",
    "request too large",
    "request entity too large",
    "content length too large",
    "execution timeout",
    "execution aborted",
    "execution timed out",
];
const OUT_OF_GAS: &[&str] = &[
    "out of gas",
    "out-of-gas",
    "outofgas",
    "memoryoog",
    "memorylimitoog",
    "operandoog",
    "precompileoog",
    "gas required exceeds",
    "intrinsic gas",
    "gas uint64 overflow",
    "not enough gas",
];
const HALTED: &[&str] = &[
    "invalid opcode",
    "bad instruction",
    "evm error",
    "vm execution error",
    "vm exception",
    "invalid jump",
    "bad jump",
    "stack underflow",
    "stack limit",
    "stack overflow",
    "write protection",
    "return data out of bounds",
    "call depth",
];
const REVERT: &[&str] = &["revert"];
/// A revert without data has this code at geth and those who follow it.
const REVERT_CODE: i64 = 3;
/// EIP-1474: parse error, invalid request, method not found, method not supported, limit exceeded: never about the
/// contract.
const ENDPOINT_CODES: &[i64] = &[-32700, -32600, -32601, -32602, -32004, -32005, 429, 401, 403];

fn says(message: &str, parts: &[&str]) -> bool {
    let message = message.to_lowercase();
    parts.iter().any(|part| message.contains(part))
}

fn classify(code: i64, message: &str, data: &Value) -> Refusal {
    if code == REVERT_CODE || says(message, REVERT) || tells_revert(data) {
        return Refusal::Reverted(revert_data(data).unwrap_or_default());
    }
    if says(message, UNKNOWN_BLOCK) {
        return Refusal::UnknownBlock;
    }
    if says(message, TOO_LARGE) {
        return Refusal::TooLarge;
    }
    if says(message, OUT_OF_GAS) || says(text_of(data), OUT_OF_GAS) {
        return Refusal::OutOfGas;
    }
    if says(message, HALTED) {
        return Refusal::Halted;
    }
    if ENDPOINT_CODES.contains(&code) {
        return Fault::Rpc(code).into();
    }
    Refusal::Unclear(code)
}

/// Some wrap the node's error into a general one and keep it below `data`.
fn tells_revert(data: &Value) -> bool {
    match data {
        Value::String(text) => says(text, REVERT),
        Value::Object(members) => {
            members.get("code").and_then(Value::as_i64) == Some(REVERT_CODE) || members.values().any(tells_revert)
        }
        _ => false,
    }
}

fn text_of(data: &Value) -> &str {
    data.as_str().unwrap_or_default()
}

/// Members that hold revert data, in the order of trust: geth's `data`, Ganache's `return` and `result`, wrappers.
const DATA_MEMBERS: &[&str] = &["data", "return", "result", "output"];

/// The revert data of an error's `data` member: a hex text, `Reverted 0x…`, or an object that holds one somewhere.
fn revert_data(data: &Value) -> Option<Bytes> {
    match data {
        Value::String(text) => {
            let hex = text.strip_prefix("Reverted ").unwrap_or(text);
            hex.starts_with("0x").then(|| hex.parse().ok()).flatten()
        }
        Value::Object(members) => {
            let named = DATA_MEMBERS.iter().filter_map(|name| members.get(*name));
            // Texts of other members are hashes and reasons; objects below them may hold the data.
            let nested = members.values().filter(|value| value.is_object());
            named.chain(nested).find_map(revert_data)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::bytes;
    use serde_json::json;

    use super::*;

    #[test]
    fn revert_data_is_found_in_the_forms_of_the_usual_nodes() {
        let nested = json!({"0xaa00000000000000000000000000000000000000000000000000000000000000": {"error": "revert", "return": "0xdeadbeef", "reason": "x"}, "stack": "at 0xff"});
        for (node, code, message, data) in [
            ("geth", 3, "execution reverted: x", json!("0xdeadbeef")),
            ("parity", -32015, "VM execution error.", json!("Reverted 0xdeadbeef")),
            ("ganache", -32000, "VM Exception while processing transaction: revert x", nested),
            ("hardhat", -32603, "Error: VM Exception: reverted", json!({"message": "x", "data": "0xdeadbeef"})),
            ("wrapped", -32603, "Internal error", json!({"originalError": {"code": 3, "data": "0xdeadbeef"}})),
        ] {
            assert_eq!(classify(code, message, &data), Refusal::Reverted(bytes!("deadbeef")), "{node}");
        }
    }

    #[test]
    fn a_revert_without_data_is_a_revert() {
        assert_eq!(classify(3, "execution reverted", &json!("0x")), Refusal::Reverted(Bytes::new()));
        assert_eq!(classify(-32000, "execution reverted", &Value::Null), Refusal::Reverted(Bytes::new()));
    }

    #[test]
    fn messages_of_nodes_are_told_apart() {
        let cases: &[(i64, &str, Refusal)] = &[
            (-32000, "header not found", Refusal::UnknownBlock),
            (-32001, "Resource not found", Refusal::UnknownBlock),
            (-32000, "hash 0xab is not currently canonical", Refusal::UnknownBlock),
            (-32000, "out of gas", Refusal::OutOfGas),
            (-32603, "EVM error OutOfGas", Refusal::OutOfGas),
            (-32603, "EVM error MemoryOOG", Refusal::OutOfGas),
            (-32000, "intrinsic gas too high -- CallGasCostMoreThanGasLimit", Refusal::OutOfGas),
            (-32003, "out of gas: gas required exceeds: 50000000", Refusal::OutOfGas),
            (-32000, "invalid opcode: INVALID", Refusal::Halted),
            (-32603, "EVM error InvalidFEOpcode", Refusal::Halted),
            (-32000, "execution aborted (timeout = 5s)", Refusal::TooLarge),
            (-32008, "Response is too big", Refusal::TooLarge),
            (-32601, "the method eth_call does not exist", Refusal::Fault(Fault::Rpc(-32601))),
            (-32005, "daily request count exceeded", Refusal::Fault(Fault::Rpc(-32005))),
            (-32603, "internal error at google", Refusal::Unclear(-32603)),
            (-32000, "missing trie node", Refusal::Unclear(-32000)),
        ];
        for (code, message, refusal) in cases {
            assert_eq!(classify(*code, message, &Value::Null), *refusal, "{message}");
        }
    }

    #[test]
    fn the_verdict_tells_the_worst_that_is_true() {
        use Fault::{Http, Timeout, WrongChain};
        assert_eq!(Fault::verdict(&[WrongChain(5), WrongChain(6)]), ReadFailure::WrongChain);
        assert_eq!(Fault::verdict(&[WrongChain(5), Http(500)]), ReadFailure::Upstream);
        assert_eq!(Fault::verdict(&[Http(500), Timeout, WrongChain(5)]), ReadFailure::Timeout);
        assert_eq!(Fault::verdict(&[]), ReadFailure::Upstream);
    }
}
