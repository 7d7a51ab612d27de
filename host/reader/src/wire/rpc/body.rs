//! Writes the bodies of requests. The body of an `eth_call` carries thousands of reads and is written by hand into
//! one buffer.

use alloy::hex;
use serde::Serialize;

use super::{BlockId, EthCall};
use crate::wire::error::{EndpointError, RequestError};

/// Room for all but calldata and code: names, two or three addresses, a hash, a gas limit, an id.
const FRAME_BYTES: usize = 512;

pub(super) fn call(id: u64, call: &EthCall<'_>, at: BlockId) -> Vec<u8> {
    let payload = call.data.len().saturating_add(call.code.map_or(0, <[u8]>::len));
    let mut body = Vec::with_capacity(payload.saturating_mul(2).saturating_add(FRAME_BYTES));
    put(&mut body, r#"{"jsonrpc":"2.0","id":"#);
    put(&mut body, &id.to_string());
    put(&mut body, r#","method":"eth_call","params":[{"from":"#);
    put_hex(&mut body, call.from.as_slice());
    put(&mut body, r#","to":"#);
    put_hex(&mut body, call.to.as_slice());
    if let Some(gas) = call.gas {
        put(&mut body, &format!(r#","gas":"{gas:#x}""#));
    }
    put(&mut body, r#","data":"#);
    put_hex(&mut body, call.data);
    put(&mut body, "},");
    put_at(&mut body, at);
    if let Some(code) = call.code {
        put(&mut body, ",{");
        put_hex(&mut body, call.to.as_slice());
        put(&mut body, r#":{"code":"#);
        put_hex(&mut body, code);
        put(&mut body, "}}");
    }
    put(&mut body, "]}");
    body
}

#[derive(Serialize)]
struct RequestBody<'a, P> {
    jsonrpc: &'static str,
    id: u64,
    method: &'static str,
    params: &'a P,
}

pub(super) fn request(id: u64, method: &'static str, params: &impl Serialize) -> Result<Vec<u8>, RequestError> {
    // Serialization fails only for maps with keys that are not text, and no method takes one.
    serde_json::to_vec(&RequestBody { jsonrpc: "2.0", id, method, params }).map_err(|_| EndpointError::Malformed.into())
}

/// Writes a batch of these requests.
pub(super) fn batch(requests: &[Vec<u8>]) -> Vec<u8> {
    [&b"["[..], &requests.join(&b','), b"]"].concat()
}

fn put(body: &mut Vec<u8>, text: &str) {
    body.extend_from_slice(text.as_bytes());
}

fn put_hex(body: &mut Vec<u8>, bytes: &[u8]) {
    put(body, r#""0x"#);
    let start = body.len();
    body.resize(start.saturating_add(bytes.len().saturating_mul(2)), 0);
    if let Some(room) = body.get_mut(start..) {
        // Fails only if the room has another size.
        let _ = hex::encode_to_slice(bytes, room);
    }
    body.push(b'"');
}

fn put_at(body: &mut Vec<u8>, at: BlockId) {
    match at {
        BlockId::Hash(hash) => {
            put(body, r#"{"blockHash":"#);
            put_hex(body, hash.as_slice());
            body.push(b'}');
        }
        BlockId::Number(number) => put(body, &format!(r#""{number:#x}""#)),
        BlockId::Latest => put(body, r#""latest""#),
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, B256};
    use serde_json::Value;

    use super::*;

    const CALL: EthCall<'_> = EthCall {
        from: Address::repeat_byte(0xaa),
        to: Address::repeat_byte(0xbb),
        data: &[0x00, 0x01, 0xfe, 0xff],
        gas: None,
        code: None,
    };

    #[test]
    fn the_body_of_a_call_at_a_number_is_this() {
        assert_eq!(
            String::from_utf8(call(1, &CALL, BlockId::Number(0))).unwrap(),
            concat!(
                r#"{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"#,
                r#""from":"0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","#,
                r#""to":"0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","#,
                r#""data":"0x0001feff"},"0x0"]}"#,
            ),
        );
    }

    #[test]
    fn the_body_of_a_call_with_gas_and_code_at_a_hash_is_this() {
        let eth_call = EthCall { data: &[], gas: Some(30_000_000), code: Some(&[0x60, 0x00]), ..CALL };
        assert_eq!(
            String::from_utf8(call(u64::MAX, &eth_call, BlockId::Hash(B256::repeat_byte(0x1c)))).unwrap(),
            concat!(
                r#"{"jsonrpc":"2.0","id":18446744073709551615,"method":"eth_call","params":[{"#,
                r#""from":"0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","#,
                r#""to":"0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb","#,
                r#""gas":"0x1c9c380","#,
                r#""data":"0x"},"#,
                r#"{"blockHash":"0x1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c"},"#,
                r#"{"0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb":{"code":"0x6000"}}]}"#,
            ),
        );
    }

    #[test]
    fn a_block_reads_the_same_written_by_hand_and_by_serde() {
        for at in
            [BlockId::Hash(B256::repeat_byte(0xd7)), BlockId::Number(0), BlockId::Number(u64::MAX), BlockId::Latest]
        {
            let by_hand: Value = serde_json::from_slice(&call(1, &CALL, at)).unwrap();
            let by_serde: Value = serde_json::from_slice(&request(1, "eth_call", &((), at)).unwrap()).unwrap();
            assert_eq!(by_hand["params"][1], by_serde["params"][1], "{at:?}");
        }
    }

    #[test]
    fn the_buffer_of_a_call_never_grows() {
        let payload = vec![0x5a; 100_000];
        let eth_call = EthCall { data: &payload, gas: Some(u64::MAX), code: Some(&payload), ..CALL };
        let body = call(u64::MAX, &eth_call, BlockId::Hash(B256::ZERO));
        assert_eq!(body.capacity(), 4 * payload.len() + FRAME_BYTES);
    }

    #[test]
    fn the_bodies_of_other_requests_are_these() {
        let written = request(7, "eth_getBlockByNumber", &("latest", false)).unwrap();
        let body = r#"{"jsonrpc":"2.0","id":7,"method":"eth_getBlockByNumber","params":["latest",false]}"#;
        assert_eq!(String::from_utf8(written).unwrap(), body);
        let two = |methods: [&'static str; 2], params: [&str; 2]| {
            batch(&[request(8, methods[0], &[params[0]]).unwrap(), request(9, methods[1], &[params[1]]).unwrap()])
        };
        let written = two(["eth_a", "eth_b"], ["0x1", "0x1"]);
        let body = concat!(
            r#"[{"jsonrpc":"2.0","id":8,"method":"eth_a","params":["0x1"]},"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"eth_b","params":["0x1"]}]"#,
        );
        assert_eq!(String::from_utf8(written).unwrap(), body);
        let written = two(["eth_a", "eth_a"], ["0x1", "0x2"]);
        let body = concat!(
            r#"[{"jsonrpc":"2.0","id":8,"method":"eth_a","params":["0x1"]},"#,
            r#"{"jsonrpc":"2.0","id":9,"method":"eth_a","params":["0x2"]}]"#,
        );
        assert_eq!(String::from_utf8(written).unwrap(), body);
        let written = request(8, "eth_chainId", &[(); 0]).unwrap();
        assert_eq!(
            String::from_utf8(written).unwrap(),
            r#"{"jsonrpc":"2.0","id":8,"method":"eth_chainId","params":[]}"#
        );
    }
}
