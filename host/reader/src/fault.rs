//! What a request can end in besides a result, told apart: the contract's answer, the request's own fault, the
//! endpoint's fault.
//!
//! Invariant: a revert never counts against an endpoint, and an endpoint's fault never looks like a revert. The texts
//! of nodes are matched here and never shown or logged, for some repeat the key of the URL.

use std::borrow::Cow;
use std::time::Duration;

use alloy::primitives::Bytes;
use alloy::rpc::json_rpc;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::ReadFailure;

/// A wait that an endpoint asks for; a longer one is asked for again.
pub(crate) const WAIT_MAX: Duration = Duration::from_secs(60);
/// What a message means stands at its start.
const MESSAGE_MAX_CHARS: usize = 2048;
/// Beyond a plain text of hex, `data` is a wrapper; a tree of it takes up to thirty times its bytes.
const DATA_OBJECT_MAX_BYTES: usize = 1 << 20;

/// Why an endpoint is left for the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
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
    /// With the time that it asked to wait, if it told one.
    #[error("it asks for fewer requests")]
    Throttled(Option<Duration>),
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
    pub(crate) fn verdict(faults: &[Self]) -> ReadFailure {
        if !faults.is_empty() && faults.iter().all(|fault| matches!(fault, Self::WrongChain(_))) {
            ReadFailure::WrongChain
        } else if faults.contains(&Self::Lag)
            && faults.iter().all(|fault| matches!(fault, Self::Lag | Self::WrongChain(_)))
        {
            ReadFailure::BlockLost
        } else if faults.contains(&Self::Timeout) {
            ReadFailure::Timeout
        } else {
            ReadFailure::Upstream
        }
    }

    /// Whether the next try may go better.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable | Self::Http(500..) | Self::Rpc(_) | Self::Throttled(_) | Self::Malformed => true,
            // Behind one URL are many nodes: the next one may look at the block.
            Self::IgnoredBlock => true,
            _ => false,
        }
    }

    /// Whether it is about the kind of request that was made, and another kind may be answered.
    pub(crate) fn is_refusal(self) -> bool {
        matches!(self, Self::Rpc(_) | Self::TooLarge | Self::Http(400 | 402..=428 | 430..=499))
    }
}

/// Why a request has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The contract reverted, with this data.
    Reverted(Bytes),
    /// The EVM stopped: invalid opcode, bad jump and the like. All gas is gone, and there is no data.
    Halted,
    OutOfGas,
    /// The endpoint does not allow as much gas as the request gives.
    GasTooHigh,
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

impl Refusal {
    /// That of a request which no contract can be the cause of.
    pub(crate) fn about_the_endpoint(self) -> Fault {
        match self {
            Self::Fault(fault) => fault,
            Self::Unclear(code) => Fault::Rpc(code),
            Self::TooLarge => Fault::TooLarge,
            Self::UnknownBlock => Fault::Lag,
            Self::Reverted(_) | Self::Halted | Self::OutOfGas | Self::GasTooHigh => Fault::Malformed,
        }
    }
}

/// A JSON-RPC error object, borrowed from its reply.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ErrorPayload<'a> {
    code: i64,
    #[serde(borrow)]
    message: Cow<'a, str>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

impl<'a> ErrorPayload<'a> {
    /// An object, or the bare text that some proxies tell.
    pub(crate) fn read(error: &'a RawValue) -> Option<Self> {
        match error.get().as_bytes().first()? {
            b'{' => serde_json::from_str(error.get()).ok(),
            b'"' => Some(Self { message: serde_json::from_str(error.get()).ok()?, ..Self::default() }),
            _ => None,
        }
    }

    fn data(&self) -> Value {
        let text = self.data.map(RawValue::get).unwrap_or_default();
        if !text.starts_with('"') && text.len() > DATA_OBJECT_MAX_BYTES {
            return Value::Null;
        }
        serde_json::from_str(text).unwrap_or_default()
    }
}

/// What a JSON-RPC error object means.
pub(crate) fn refusal(error: &ErrorPayload<'_>) -> Refusal {
    let message = error.message.chars().take(MESSAGE_MAX_CHARS).collect::<String>().to_lowercase();
    classify(error.code, message, &error.data())
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
    "could not be found",
    "blockoutofrange",
    "number is in the future",
];
const TOO_LARGE: &[&str] = &[
    "response size",
    "response too large",
    "response is too big",
    "request too large",
    "request entity too large",
    "content length too large",
    "body too large",
    "payload too large",
    "returndata.limit",
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
    "intrinsic gas too low",
    "callgascostmorethangaslimit",
    "gas uint64 overflow",
    "not enough gas",
];
/// Geth, Erigon, Nethermind, Besu and anvil lower the gas to their cap and say nothing; reth and those whose limit is
/// the block's refuse.
const GAS_TOO_HIGH: &[&str] = &[
    "intrinsic gas too high",
    "callergaslimitmorethanblock",
    "gas limit too high",
    "gas limit is too high",
    "gas too high",
    "gas limit exceeded",
    "gas limit reached",
    "exceeds block gas limit",
    "exceeds the block gas limit",
    "exceeds transaction gas cap",
    "is greater than the cap",
    "exceeds max gas",
    "exceeds maximum gas",
    "exceeds the gas cap",
    "exceeds gas cap",
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
    parts.iter().any(|part| message.contains(part))
}

/// A revert comes first: its reason is the contract's own words.
fn classify(code: i64, message: String, data: &Value) -> Refusal {
    if code == REVERT_CODE || says(&message, REVERT) || tells_revert(data) {
        return Refusal::Reverted(revert_data(data).unwrap_or_default());
    }
    let data_text = data.as_str().unwrap_or_default().to_lowercase();
    if says(&message, UNKNOWN_BLOCK) {
        return Refusal::UnknownBlock;
    }
    if says(&message, TOO_LARGE) {
        return Refusal::TooLarge;
    }
    if says(&message, OUT_OF_GAS) || says(&data_text, OUT_OF_GAS) {
        return Refusal::OutOfGas;
    }
    if says(&message, GAS_TOO_HIGH) || says(&data_text, GAS_TOO_HIGH) {
        return Refusal::GasTooHigh;
    }
    if says(&message, HALTED) {
        return Refusal::Halted;
    }
    let wait = wait_told(&message, data);
    if (json_rpc::ErrorPayload { code, message: message.into(), data: None::<()> }).is_retry_err() {
        return Fault::Throttled(wait).into();
    }
    if ENDPOINT_CODES.contains(&code) {
        return Fault::Rpc(code).into();
    }
    Refusal::Unclear(code)
}

/// How long a throttling endpoint asks to wait: Infura in the data, others as `try again in 4ms` or `… 2s`.
fn wait_told(message: &str, data: &Value) -> Option<Duration> {
    let seconds = data.pointer("/rate/backoff_seconds").and_then(Value::as_f64);
    let wait = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).or_else(|| {
        let told = message.split_once("try again in ")?.1;
        let digits = told.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = told.split_at_checked(digits)?;
        let (number, unit) = (number.parse().ok()?, unit.trim_start());
        match unit.find(|c: char| !c.is_ascii_lowercase()).map_or(unit, |end| unit.get(..end).unwrap_or_default()) {
            "ms" => Some(Duration::from_millis(number)),
            "s" | "second" | "seconds" => Some(Duration::from_secs(number)),
            _ => None,
        }
    });
    wait.map(|wait| wait.min(WAIT_MAX))
}

/// Some wrap the node's error into a general one and keep it below `data`.
fn tells_revert(data: &Value) -> bool {
    match data {
        // A plain hex text is the data itself, and may be long.
        Value::String(text) => !text.starts_with("0x") && says(&text.to_lowercase(), REVERT),
        Value::Object(members) => {
            members.get("code").and_then(Value::as_i64) == Some(REVERT_CODE) || members.values().any(tells_revert)
        }
        _ => false,
    }
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

    fn meaning(code: i64, message: &str, data: &Value) -> Refusal {
        let error = json!({"code": code, "message": message, "data": data}).to_string();
        refusal(&ErrorPayload::read(serde_json::from_str(&error).unwrap()).unwrap())
    }

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
            assert_eq!(meaning(code, message, &data), Refusal::Reverted(bytes!("deadbeef")), "{node}");
        }
    }

    #[test]
    fn a_revert_without_data_is_a_revert() {
        assert_eq!(meaning(3, "execution reverted", &json!("0x")), Refusal::Reverted(Bytes::new()));
        assert_eq!(meaning(-32000, "execution reverted", &Value::Null), Refusal::Reverted(Bytes::new()));
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
            (-32602, "BlockOutOfRangeError: block height is 0 but requested was 153", Refusal::UnknownBlock),
            (-32001, "0xab could not be found", Refusal::UnknownBlock),
            (-32000, "intrinsic gas too low: have 0, want 21000", Refusal::OutOfGas),
            (-32000, "gas required exceeds allowance (50000000)", Refusal::OutOfGas),
            (-32000, "intrinsic gas too high", Refusal::GasTooHigh),
            (-32000, "intrinsic gas too high -- CallerGasLimitMoreThanBlock", Refusal::GasTooHigh),
            (-32603, "provider-specified max eth_call gas limit exceeded", Refusal::GasTooHigh),
            (-32000, "transaction gas limit too high (cap: 16777216, tx: 30000000)", Refusal::GasTooHigh),
            (-32000, "Transaction gas limit of 30 exceeds block gas limit of 20", Refusal::GasTooHigh),
            (-32602, "too many arguments, want at most 2", Refusal::Fault(Fault::Rpc(-32602))),
            (-32005, "Response size exceeded", Refusal::TooLarge),
            (-32603, "internal error at google", Refusal::Unclear(-32603)),
            (-32000, "missing trie node", Refusal::Unclear(-32000)),
        ];
        for (code, message, refusal) in cases {
            assert_eq!(meaning(*code, message, &Value::Null), *refusal, "{message}");
        }
    }

    #[test]
    fn the_verdict_tells_the_worst_that_is_true() {
        use Fault::{Http, Timeout, WrongChain};
        assert_eq!(Fault::verdict(&[WrongChain(5), WrongChain(6)]), ReadFailure::WrongChain);
        assert_eq!(Fault::verdict(&[WrongChain(5), Http(500)]), ReadFailure::Upstream);
        assert_eq!(Fault::verdict(&[Http(500), Timeout, WrongChain(5)]), ReadFailure::Timeout);
        assert_eq!(Fault::verdict(&[]), ReadFailure::Upstream);
        assert_eq!(Fault::verdict(&[WrongChain(5), Fault::Lag]), ReadFailure::BlockLost);
        assert_eq!(Fault::verdict(&[Fault::Lag, Http(500)]), ReadFailure::Upstream);
    }

    #[test]
    fn a_throttling_endpoint_tells_how_long_to_wait() {
        let wait = |seconds: f64| Some(Duration::from_secs_f64(seconds));
        let infura = |seconds: f64| json!({"rate": {"backoff_seconds": seconds, "allowed_rps": 1}, "see": "x"});
        for (code, message, data, told) in [
            (-32005, "daily request count exceeded, request rate limited", infura(30.0), wait(30.0)),
            (-32005, "project ID request rate exceeded", infura(0.5), wait(0.5)),
            (-32005, "project ID request rate exceeded", infura(86400.0), wait(60.0)),
            (-32005, "project ID request rate exceeded", infura(-1.0), None),
            (429, "Your app has exceeded its compute units per second capacity", Value::Null, None),
            (-32000, "Too Many Requests, try again in 407ms", Value::Null, wait(0.407)),
            (-32000, "rate limit: try again in 3 seconds.", Value::Null, wait(3.0)),
            (-32000, "rate limit: try again in a while", Value::Null, None),
            (-32000, "rate limit: try again in 99999999999999999999s", Value::Null, None),
            (-32007, "50/second request limit reached - reduce calls per second", Value::Null, None),
        ] {
            assert_eq!(meaning(code, message, &data), Refusal::Fault(Fault::Throttled(told)), "{message}");
        }
    }

    #[test]
    fn the_words_of_a_contract_never_look_like_the_endpoints() {
        for reason in ["rate limit", "header not found", "out of gas", "response too large", "try again in 5s"] {
            let message = format!("execution reverted: {reason}");
            assert_eq!(meaning(3, &message, &json!("0xab")), Refusal::Reverted(bytes!("ab")), "{reason}");
            assert_eq!(meaning(-32000, &message, &Value::Null), Refusal::Reverted(Bytes::new()), "{reason}");
        }
    }

    #[test]
    fn an_error_is_an_object_or_a_bare_text() {
        let read = |text: &str| ErrorPayload::read(serde_json::from_str(text).unwrap()).map(|error| refusal(&error));
        assert_eq!(read(r#""rate limit""#), Some(Fault::Throttled(None).into()));
        assert_eq!(read(r#"{"message":"header n\u006ft found"}"#), Some(Refusal::UnknownBlock));
        assert_eq!(read(r#"{"code":-32000}"#), Some(Refusal::Unclear(-32000)));
        assert_eq!(read("{}"), Some(Refusal::Unclear(0)));
        for text in ["7", "true", "[]", r#"{"code":"x"}"#, r#"{"code":1e99}"#, r#"{"message":7}"#] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn long_revert_data_is_kept_and_a_long_wrapper_is_not_looked_into() {
        let long = "ab".repeat(DATA_OBJECT_MAX_BYTES);
        let told = meaning(3, "execution reverted", &json!(format!("0x{long}")));
        assert_eq!(told, Refusal::Reverted(vec![0xab; DATA_OBJECT_MAX_BYTES].into()));
        let wrapper = json!({"data": "0xab", "stack": long});
        assert_eq!(meaning(3, "execution reverted", &wrapper), Refusal::Reverted(Bytes::new()));
    }

    #[test]
    fn only_another_kind_of_request_may_do_better_after_a_refusal() {
        for (fault, is_refusal) in [
            (Fault::Rpc(-32602), true),
            (Fault::Http(400), true),
            (Fault::Http(413), true),
            (Fault::TooLarge, true),
            (Fault::Http(401), false),
            (Fault::Http(429), false),
            (Fault::Http(500), false),
            (Fault::Throttled(None), false),
            (Fault::Timeout, false),
            (Fault::Unreachable, false),
            (Fault::Malformed, false),
        ] {
            assert_eq!(fault.is_refusal(), is_refusal, "{fault}");
        }
    }
}
