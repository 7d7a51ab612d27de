//! Classifies JSON-RPC error objects by their code, message and data.
//!
//! Invariant: the texts of nodes are matched here and never shown or logged: some of them repeat the key of the URL.

use std::borrow::Cow;
use std::time::Duration;

use alloy::primitives::Bytes;
use alloy_json_rpc as json_rpc;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{EndpointError, RequestError, WAIT_MAX};

/// Number of characters of a message that are matched; its meaning is at the start.
const MESSAGE_MAX_CHARS: usize = 2048;
/// Maximum length of `data` that is an object: a tree of it takes up to thirty times its bytes. Plain hex may be
/// longer.
const DATA_OBJECT_MAX_BYTES: usize = 1 << 20;

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
    /// Parses an object, or the bare text that some proxies send.
    pub(crate) fn read(error: &'a RawValue) -> Option<Self> {
        match error.get().as_bytes().first()? {
            b'{' => serde_json::from_str(error.get()).ok(),
            b'"' => Some(Self { message: serde_json::from_str(error.get()).ok()?, ..Self::default() }),
            _ => None,
        }
    }

    pub(crate) fn classify(&self) -> RequestError {
        let message = self.message.chars().take(MESSAGE_MAX_CHARS).collect::<String>().to_lowercase();
        match classify(self.code, message, &self.data()) {
            RequestError::Reverted(data) if data.is_empty() => {
                RequestError::Reverted(last_hex(&self.message).unwrap_or_default())
            }
            error => error,
        }
    }

    /// Returns the data as a tree; null if it is an object that is too long.
    fn data(&self) -> Value {
        let text = self.data.map(RawValue::get).unwrap_or_default();
        if !text.starts_with('"') && text.len() > DATA_OBJECT_MAX_BYTES {
            return Value::Null;
        }
        serde_json::from_str(text).unwrap_or_default()
    }
}

/// Lower-case parts of nodes' messages. Geth, Erigon, reth, Nethermind, Besu, anvil and hosted nodes each have their
/// own.
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
    "query returned more than",
    "query exceeds",
    "block range",
    "blocks range",
    "range is too large",
    "range too large",
    "too many results",
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
/// Geth, Erigon, Nethermind, Besu and anvil silently lower the gas to their cap; reth and nodes limited by the
/// block's gas refuse.
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
/// Code of a revert without data, in geth and nodes that follow it.
const REVERT_CODE: i64 = 3;
/// Parse error, invalid request, method not found, method not supported, limit exceeded (EIP-1474): never about the
/// contract.
const ENDPOINT_CODES: &[i64] = &[-32700, -32600, -32601, -32602, -32004, LIMIT_EXCEEDED, 429, 401, 403];
/// Most nodes mean a rate by it.
const LIMIT_EXCEEDED: i64 = -32005;

fn contains_any(message: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| message.contains(part))
}

/// Looks for a revert first, because the contract chooses the text of its reason.
fn classify(code: i64, message: String, data: &Value) -> RequestError {
    if code == REVERT_CODE || contains_any(&message, REVERT) || indicates_revert(data) {
        return RequestError::Reverted(revert_data(data).unwrap_or_default());
    }
    let data_text = data.as_str().unwrap_or_default().to_lowercase();
    if contains_any(&message, UNKNOWN_BLOCK) {
        return RequestError::UnknownBlock;
    }
    if contains_any(&message, TOO_LARGE) {
        return RequestError::TooLarge;
    }
    if contains_any(&message, OUT_OF_GAS) || contains_any(&data_text, OUT_OF_GAS) {
        return RequestError::OutOfGas;
    }
    if contains_any(&message, GAS_TOO_HIGH) || contains_any(&data_text, GAS_TOO_HIGH) {
        return RequestError::GasTooHigh;
    }
    if contains_any(&message, HALTED) {
        return encoded_error(data).unwrap_or(RequestError::Halted);
    }
    let wait = requested_wait(&message, data);
    // Public nodes say no more than the name of this code (EIP-1474) to a request for too many logs.
    if (code, message.as_str(), wait) == (LIMIT_EXCEEDED, "limit exceeded", None) {
        return EndpointError::Rpc(code).into();
    }
    if (json_rpc::ErrorPayload { code, message: message.into(), data: None::<()> }).is_retry_err() {
        return EndpointError::Throttled(wait).into();
    }
    if ENDPOINT_CODES.contains(&code) {
        return EndpointError::Rpc(code).into();
    }
    encoded_error(data).unwrap_or(RequestError::Ambiguous(code))
}

/// Returns the revert of an error that does not name one: its data is a selector and words.
fn encoded_error(data: &Value) -> Option<RequestError> {
    revert_data(data).filter(|bytes| bytes.len() % 32 == 4).map(RequestError::Reverted)
}

/// Returns the wait that a throttling endpoint asks for: Infura in the data, others as `try again in 4ms` or `… 2s`.
fn requested_wait(message: &str, data: &Value) -> Option<Duration> {
    let seconds = data.pointer("/rate/backoff_seconds").and_then(Value::as_f64);
    let wait = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).or_else(|| {
        let rest = message.split_once("try again in ")?.1;
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = rest.split_at_checked(digits)?;
        let (number, unit) = (number.parse().ok()?, unit.trim_start());
        match unit.find(|c: char| !c.is_ascii_lowercase()).map_or(unit, |end| unit.get(..end).unwrap_or_default()) {
            "ms" => Some(Duration::from_millis(number)),
            "s" | "second" | "seconds" => Some(Duration::from_secs(number)),
            _ => None,
        }
    });
    wait.map(|wait| wait.min(WAIT_MAX))
}

/// Returns true if the data holds a revert: some proxies wrap the node's error into a general one.
fn indicates_revert(data: &Value) -> bool {
    match data {
        // A plain hex text is the data itself, and may be long.
        Value::String(text) => !text.starts_with("0x") && contains_any(&text.to_lowercase(), REVERT),
        Value::Object(members) => {
            members.get("code").and_then(Value::as_i64) == Some(REVERT_CODE) || members.values().any(indicates_revert)
        }
        _ => false,
    }
}

/// Members that hold revert data, most trusted first: geth's `data`, Ganache's `return` and `result`, wrappers.
const DATA_MEMBERS: &[&str] = &["data", "return", "result", "output"];

/// Finds the revert data in an error's `data` member: a hex text, `Reverted 0x…`, or an object that holds one
/// somewhere. Skips empty data, because the real data may be elsewhere.
fn revert_data(data: &Value) -> Option<Bytes> {
    match data {
        Value::String(text) => last_hex(text).filter(|bytes| !bytes.is_empty()),
        Value::Object(members) => {
            let named = DATA_MEMBERS.iter().filter_map(|name| members.get(*name));
            // Texts of other members are hashes and reasons; objects below them may hold the data.
            let nested = members.values().filter(|value| value.is_object());
            named.chain(nested).chain(members.get("message")).find_map(revert_data)
        }
        _ => None,
    }
}

/// Returns the bytes of the last word of a text that is hex digits after `0x`.
fn last_hex(text: &str) -> Option<Bytes> {
    let words = text.rsplit(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.starts_with("0x")).find_map(|word| word.parse().ok())
}

#[cfg(test)]
mod tests {
    use alloy::primitives::bytes;
    use serde_json::json;

    use super::*;

    fn meaning(code: i64, message: &str, data: &Value) -> RequestError {
        let error = json!({"code": code, "message": message, "data": data}).to_string();
        ErrorPayload::read(serde_json::from_str(&error).unwrap()).unwrap().classify()
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
            ("wrapped twice", 3, "x", json!({"data": {"code": 3, "message": "x", "data": "Reverted 0xdeadbeef"}})),
            ("empty outside", 3, "x", json!({"data": "0x", "originalError": {"data": "0xdeadbeef"}})),
            ("as JSON text", 3, "x", json!(r#"{"code":3,"data":"0xdeadbeef","message":"reverted"}"#)),
            ("in a wrapped message", -32603, "x", json!({"code": 3, "message": "execution reverted: 0xdeadbeef"})),
            ("in the message", 3, "execution reverted: 0xDeadBeef", Value::Null),
            ("beside an address", -32000, "call to 0xaa00bb reverted with \"0xdeadbeef\".", json!("0x")),
            ("not called a revert", -32015, "VM execution error.", json!("0xdeadbeef")),
            ("not explained", -32603, "Internal error", json!({"data": "0xdeadbeef"})),
        ] {
            assert_eq!(meaning(code, message, &data), RequestError::Reverted(bytes!("deadbeef")), "{node}");
        }
    }

    #[test]
    fn a_revert_without_data_is_a_revert() {
        assert_eq!(meaning(3, "execution reverted", &json!("0x")), RequestError::Reverted(Bytes::new()));
        assert_eq!(meaning(-32000, "execution reverted", &Value::Null), RequestError::Reverted(Bytes::new()));
    }

    #[test]
    fn the_data_of_a_lookup_is_found_however_long_it_is() {
        let lookup = format!("0x556f1830{}", "ab".repeat(32 * 200));
        let data: Bytes = lookup.parse().unwrap();
        for (message, wrapper) in [
            (format!("execution reverted: {lookup}"), Value::Null),
            ("VM execution error.".to_owned(), json!(format!("Reverted {lookup}"))),
            ("Internal JSON-RPC error.".to_owned(), json!({"originalError": {"code": 3, "data": lookup}})),
        ] {
            assert_eq!(meaning(-32603, &message, &wrapper), RequestError::Reverted(data.clone()), "{message:.40}");
        }
    }

    #[test]
    fn other_hex_is_no_revert() {
        for (message, data, expected) in [
            ("header not found", json!("0xdeadbeef"), RequestError::UnknownBlock),
            ("internal error", json!("0xabcdef"), RequestError::Ambiguous(-32000)),
            ("internal error 0xdeadbeef", Value::Null, RequestError::Ambiguous(-32000)),
            ("rate limit", json!("0xdeadbeef"), EndpointError::Throttled(None).into()),
        ] {
            assert_eq!(meaning(-32000, message, &data), expected, "{message}");
        }
    }

    #[test]
    fn messages_of_nodes_are_distinguished() {
        let cases: &[(i64, &str, RequestError)] = &[
            (-32000, "header not found", RequestError::UnknownBlock),
            (-32001, "Resource not found", RequestError::UnknownBlock),
            (-32000, "hash 0xab is not currently canonical", RequestError::UnknownBlock),
            (-32000, "out of gas", RequestError::OutOfGas),
            (-32603, "EVM error OutOfGas", RequestError::OutOfGas),
            (-32603, "EVM error MemoryOOG", RequestError::OutOfGas),
            (-32000, "intrinsic gas too high -- CallGasCostMoreThanGasLimit", RequestError::OutOfGas),
            (-32003, "out of gas: gas required exceeds: 50000000", RequestError::OutOfGas),
            (-32000, "invalid opcode: INVALID", RequestError::Halted),
            (-32603, "EVM error InvalidFEOpcode", RequestError::Halted),
            (-32000, "execution aborted (timeout = 5s)", RequestError::TooLarge),
            (-32008, "Response is too big", RequestError::TooLarge),
            (-32601, "the method eth_call does not exist", RequestError::Endpoint(EndpointError::Rpc(-32601))),
            (-32602, "BlockOutOfRangeError: block height is 0 but requested was 153", RequestError::UnknownBlock),
            (-32001, "0xab could not be found", RequestError::UnknownBlock),
            (-32000, "intrinsic gas too low: have 0, want 21000", RequestError::OutOfGas),
            (-32000, "gas required exceeds allowance (50000000)", RequestError::OutOfGas),
            (-32000, "intrinsic gas too high", RequestError::GasTooHigh),
            (-32000, "intrinsic gas too high -- CallerGasLimitMoreThanBlock", RequestError::GasTooHigh),
            (-32603, "provider-specified max eth_call gas limit exceeded", RequestError::GasTooHigh),
            (-32000, "transaction gas limit too high (cap: 16777216, tx: 30000000)", RequestError::GasTooHigh),
            (-32000, "Transaction gas limit of 30 exceeds block gas limit of 20", RequestError::GasTooHigh),
            (-32602, "too many arguments, want at most 2", RequestError::Endpoint(EndpointError::Rpc(-32602))),
            (-32005, "Response size exceeded", RequestError::TooLarge),
            (-32005, "limit exceeded", RequestError::Endpoint(EndpointError::Rpc(-32005))),
            (-32005, "rate limit exceeded", RequestError::Endpoint(EndpointError::Throttled(None))),
            (-32005, "query returned more than 10000 results", RequestError::TooLarge),
            (-32603, "internal error at google", RequestError::Ambiguous(-32603)),
            (-32000, "missing trie node", RequestError::Ambiguous(-32000)),
        ];
        for (code, message, expected) in cases {
            assert_eq!(meaning(*code, message, &Value::Null), *expected, "{message}");
        }
    }

    #[test]
    fn the_wait_that_a_throttling_endpoint_asks_for_is_found() {
        let wait = |seconds: f64| Some(Duration::from_secs_f64(seconds));
        let infura = |seconds: f64| json!({"rate": {"backoff_seconds": seconds, "allowed_rps": 1}, "see": "x"});
        for (code, message, data, expected) in [
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
            assert_eq!(
                meaning(code, message, &data),
                RequestError::Endpoint(EndpointError::Throttled(expected)),
                "{message}"
            );
        }
    }

    #[test]
    fn the_words_of_a_contract_never_look_like_the_endpoints() {
        for reason in ["rate limit", "header not found", "out of gas", "response too large", "try again in 5s"] {
            let message = format!("execution reverted: {reason}");
            assert_eq!(meaning(3, &message, &json!("0xab")), RequestError::Reverted(bytes!("ab")), "{reason}");
            assert_eq!(meaning(-32000, &message, &Value::Null), RequestError::Reverted(Bytes::new()), "{reason}");
        }
    }

    #[test]
    fn an_error_is_an_object_or_a_bare_text() {
        let read = |text: &str| ErrorPayload::read(serde_json::from_str(text).unwrap()).map(|error| error.classify());
        assert_eq!(read(r#""rate limit""#), Some(EndpointError::Throttled(None).into()));
        assert_eq!(read(r#"{"message":"header n\u006ft found"}"#), Some(RequestError::UnknownBlock));
        assert_eq!(read(r#"{"code":-32000}"#), Some(RequestError::Ambiguous(-32000)));
        assert_eq!(read("{}"), Some(RequestError::Ambiguous(0)));
        for text in ["7", "true", "[]", r#"{"code":"x"}"#, r#"{"code":1e99}"#, r#"{"message":7}"#] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn long_revert_data_is_kept_and_a_long_wrapper_is_not_looked_into() {
        let long = "ab".repeat(DATA_OBJECT_MAX_BYTES);
        let long_revert = meaning(3, "execution reverted", &json!(format!("0x{long}")));
        assert_eq!(long_revert, RequestError::Reverted(vec![0xab; DATA_OBJECT_MAX_BYTES].into()));
        let wrapper = json!({"data": "0xab", "stack": long});
        assert_eq!(meaning(3, "execution reverted", &wrapper), RequestError::Reverted(Bytes::new()));
    }
}
