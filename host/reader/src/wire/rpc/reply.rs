//! Decodes replies without a JSON tree: large values are borrowed from the body, and hex is decoded once.
//!
//! Invariant: a result needs the request's own id; an error may come without one. A reply is malformed if it has
//! another number of replies than requests, a duplicate member, a result beside an error, or trailing data. Unknown
//! members are skipped.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use alloy::hex;
use alloy::primitives::Bytes;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, DeserializeOwned, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::Both;
use crate::wire::error::{EndpointError, ErrorPayload, RequestError};

/// Decodes the return data of an `eth_call`.
pub(crate) fn call_reply(body: &[u8], id: u64) -> Result<Bytes, RequestError> {
    let result = parse_result(body, id, Option::<HexBytes>::is_none)?;
    result.map(|HexBytes(bytes)| bytes).ok_or(RequestError::Endpoint(EndpointError::Malformed))
}

/// Decodes the result of any other method.
pub(crate) fn request_reply<R: DeserializeOwned>(body: &[u8], id: u64) -> Result<R, RequestError> {
    decode(parse_result(body, id, is_null)?)
}

/// Decodes both results of a batch of two. An error of either is an error of the pair.
pub(crate) fn pair_reply<A: DeserializeOwned, B: DeserializeOwned>(
    body: &[u8],
    ids: [u64; 2],
) -> Result<(A, B), RequestError> {
    let (one, other) = pair_results(body, ids)?;
    Ok((one?, other?))
}

/// Decodes each result of a batch of two, in any order. A single reply to the whole batch can only be an error.
pub(crate) fn pair_results<A: DeserializeOwned, B: DeserializeOwned>(
    body: &[u8],
    ids: [u64; 2],
) -> Result<Both<A, B>, RequestError> {
    let [first, second] = ids;
    let Ok([Object(one), Object(other)]) = serde_json::from_slice::<[Object<Envelope<'_, &RawValue>>; 2]>(body) else {
        let single: Result<&RawValue, RequestError> = parse_result(body, first, is_null);
        return Err(single.err().unwrap_or(EndpointError::Malformed.into()));
    };
    let (one, other) = if one.has_id(first) == Some(true) { (one, other) } else { (other, one) };
    Ok((one.result(first, is_null).and_then(decode), other.result(second, is_null).and_then(decode)))
}

/// Decodes the results of a batch, in any order. A single reply to the whole batch can only be an error.
pub(crate) fn batch_reply<R: DeserializeOwned>(
    body: &[u8],
    ids: &[u64],
) -> Result<Vec<Result<R, RequestError>>, RequestError> {
    let Ok(replies) = serde_json::from_slice::<Vec<Object<Envelope<'_, &RawValue>>>>(body) else {
        let first = ids.first().copied().unwrap_or_default();
        let single: Result<&RawValue, RequestError> = parse_result(body, first, is_null);
        return Err(single.err().unwrap_or(EndpointError::Malformed.into()));
    };
    if replies.len() != ids.len() {
        return Err(EndpointError::Malformed.into());
    }
    let mut by_id: BTreeMap<u64, Envelope<'_, &RawValue>> = BTreeMap::new();
    for Object(reply) in replies {
        by_id.insert(reply.number().ok_or(EndpointError::Malformed)?, reply);
    }
    let result = |id: &u64| {
        let reply = by_id.remove(id).ok_or(EndpointError::Malformed)?;
        Ok(reply.result(*id, is_null).and_then(decode))
    };
    ids.iter().map(result).collect()
}

fn is_null(raw: &&RawValue) -> bool {
    raw.get() == "null"
}

fn decode<R: DeserializeOwned>(result: &RawValue) -> Result<R, RequestError> {
    serde_json::from_str(result.get()).map_err(|_| EndpointError::Malformed.into())
}

#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct Envelope<'a, T> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    /// `null` is a result; only a missing member is `None`.
    #[serde(default = "missing", deserialize_with = "present")]
    result: Option<T>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

fn missing<T>() -> Option<T> {
    None
}

fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

fn parse_result<'a, T: Deserialize<'a>>(body: &'a [u8], id: u64, is_null: fn(&T) -> bool) -> Result<T, RequestError> {
    let Object(envelope): Object<Envelope<'a, T>> =
        serde_json::from_slice(body).map_err(|_| EndpointError::Malformed)?;
    envelope.result(id, is_null)
}

impl<T> Envelope<'_, T> {
    /// Returns true if it has this id; `None` if it has none.
    fn has_id(&self, id: u64) -> Option<bool> {
        self.id.map(|own| own.get().parse() == Ok(id))
    }

    /// Returns its id, if that is a number.
    fn number(&self) -> Option<u64> {
        self.id?.get().parse().ok()
    }

    fn result(self, id: u64, is_null: fn(&T) -> bool) -> Result<T, RequestError> {
        let is_ours = self.has_id(id);
        match (self.error, self.result) {
            // JSON-RPC 1.0 has both members, one of them null.
            (Some(error), result) if result.as_ref().is_none_or(is_null) && is_ours != Some(false) => {
                Err(ErrorPayload::read(error).ok_or(EndpointError::Malformed)?.classify())
            }
            (None, Some(result)) if is_ours == Some(true) => Ok(result),
            _ => Err(EndpointError::Malformed.into()),
        }
    }
}

/// A JSON object. Serde itself would also take an array whose elements are the members in order.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Members<T> {
            type Value = T;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(members))
            }
        }

        deserializer.deserialize_map(Members(PhantomData)).map(Self)
    }
}

/// Hex digits after `0x`, decoded in place.
struct HexBytes(Bytes);

impl<'de> Deserialize<'de> for HexBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = HexBytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("hex digits behind 0x")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<HexBytes, E> {
                // Without this check the decoder would accept digits alone, and a second prefix.
                let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with("0x"));
                let bytes = digits.and_then(|digits| hex::decode(digits).ok());
                bytes.map(|bytes| HexBytes(bytes.into())).ok_or_else(|| E::custom("no hex"))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{U64, bytes};
    use serde_json::Value;

    use super::*;

    const MALFORMED: RequestError = RequestError::Endpoint(EndpointError::Malformed);

    #[test]
    fn a_result_with_our_id_is_taken_in_any_order_and_company() {
        for (body, expected) in [
            (r#"{"jsonrpc":"2.0","id":7,"result":"0x00ff"}"#, bytes!("00ff")),
            (r#"{"result":"0xDeadBeef","id":7,"jsonrpc":"2.0"}"#, bytes!("deadbeef")),
            (r#"{"id":7,"result":"0x"}"#, bytes!("")),
            (" \r\n{ \"id\" : 7 , \"result\" : \"0x01\" }\t\n", bytes!("01")),
            (r#"{"id":7,"result":"0x01","error":null}"#, bytes!("01")),
            (r#"{"id":7,"result":"0x01","node":{"result":"0x02","id":[8,{"error":{}}]},"gas":1e9}"#, bytes!("01")),
            (r#"{"\u0069d":7,"res\u0075lt":"\u0030x\u0030\u0031"}"#, bytes!("01")),
        ] {
            assert_eq!(call_reply(body.as_bytes(), 7), Ok(expected), "{body}");
        }
    }

    #[test]
    fn replies_of_a_batch_come_in_any_order_and_fail_one_by_one() {
        let numbers = |body: &str| batch_reply::<U64>(body.as_bytes(), &[7, 8]);
        let (one, other) = (r#"{"id":7,"result":"0x1"}"#, r#"{"id":8,"result":"0x2"}"#);
        let both = Ok(vec![Ok(U64::from(1)), Ok(U64::from(2))]);
        assert_eq!(numbers(&format!("[{one},{other}]")), both);
        assert_eq!(numbers(&format!("[{other},{one}]")), both);
        let failed = r#"{"id":8,"error":{"code":3,"message":"execution reverted"}}"#;
        let expected = Ok(vec![Ok(U64::from(1)), Err(RequestError::Reverted(Bytes::new()))]);
        assert_eq!(numbers(&format!("[{one},{failed}]")), expected);
        for body in [format!("[{one}]"), format!("[{one},{one}]"), format!("[{one},{other},{one}]"), one.to_owned()] {
            assert_eq!(numbers(&body), Err(MALFORMED), "{body}");
        }
        let refused = r#"{"id":null,"error":{"code":-32600,"message":"batches are not allowed"}}"#;
        assert!(numbers(refused).is_err());
    }

    #[test]
    fn what_is_no_reply_to_this_request_is_malformed() {
        let deep = format!(r#"{{"id":7,"result":"0x01","x":{}1{}}}"#, "[".repeat(200_000), "]".repeat(199_999));
        for body in [
            "",
            " ",
            "null",
            "7",
            "<html>502</html>",
            r#"{"id":7,"result":"0x01""#,
            r#"{"id":7,"result":"0x01"#,
            r#"{"id":7,"result":"0x01"}}"#,
            r#"{"id":7,"result":"0x01"} {"id":7,"result":"0x01"}"#,
            "{\"id\":7,\"result\":\"0x01\"}\0",
            r#"[{"id":7,"result":"0x01"}]"#,
            r#"[7,"0x01",null]"#,
            r#"{"id":8,"result":"0x01"}"#,
            r#"{"id":"7","result":"0x01"}"#,
            r#"{"id":7.0,"result":"0x01"}"#,
            r#"{"id":null,"result":"0x01"}"#,
            r#"{"result":"0x01"}"#,
            r#"{"id":7}"#,
            r#"{"id":7,"result":null}"#,
            r#"{"id":7,"result":null,"error":null}"#,
            r#"{"id":7,"id":7,"result":"0x01"}"#,
            r#"{"id":8,"id":7,"result":"0x01"}"#,
            r#"{"id":null,"id":7,"result":"0x01"}"#,
            r#"{"id":7,"result":"0x01","result":"0x01"}"#,
            r#"{"id":7,"result":null,"result":"0x01"}"#,
            r#"{"id":7,"result":"0x01","res\u0075lt":"0x02"}"#,
            r#"{"id":7,"result":"0x01","error":{"code":-32000,"message":"header not found"}}"#,
            r#"{"id":7,"error":{"code":3},"error":{"code":3}}"#,
            r#"{"id":7,"error":{"code":3,"code":4}}"#,
            r#"{"id":8,"error":{"code":3,"message":"execution reverted"}}"#,
            r#"{"id":7,"error":7}"#,
            r#"{"id":7,"result":"01"}"#,
            r#"{"id":7,"result":"0x0"}"#,
            r#"{"id":7,"result":"0x0g"}"#,
            r#"{"id":7,"result":"0x0x01"}"#,
            r#"{"id":7,"result":" 0x01"}"#,
            r#"{"id":7,"result":1}"#,
            r#"{"id":7,"result":["0x01"]}"#,
            r#"{"id":7,"result":{"data":"0x01"}}"#,
            &deep,
        ] {
            assert_eq!(call_reply(body.as_bytes(), 7), Err(MALFORMED), "{}", &body[..body.len().min(99)]);
        }
        assert_eq!(call_reply(b"{\"id\":7,\"result\":\"0x\xff\"}", 7), Err(MALFORMED));
        assert_eq!(call_reply(&vec![b'['; 1 << 20], 7), Err(MALFORMED));
    }

    #[test]
    fn an_error_is_taken_with_our_id_or_none() {
        let unknown = r#""error":{"code":-32000,"message":"header not found"}"#;
        for body in [
            format!(r#"{{"id":7,{unknown}}}"#),
            format!(r#"{{"id":null,{unknown}}}"#),
            format!("{{{unknown}}}"),
            format!(r#"{{{unknown},"id":7,"result":null}}"#),
        ] {
            assert_eq!(call_reply(body.as_bytes(), 7), Err(RequestError::UnknownBlock), "{body}");
            assert_eq!(request_reply::<Value>(body.as_bytes(), 7), Err(RequestError::UnknownBlock), "{body}");
        }
    }

    #[test]
    fn results_of_other_requests_have_the_expected_shape() {
        let reply = |result: &str| format!(r#"{{"id":7,"result":{result}}}"#).into_bytes();
        assert_eq!(request_reply(&reply(r#""0x89""#), 7), Ok(U64::from(137)));
        assert_eq!(request_reply::<U64>(&reply("null"), 7), Err(MALFORMED));
        assert_eq!(request_reply::<Option<U64>>(&reply("null"), 7), Ok(None));
        assert_eq!(request_reply::<Option<U64>>(&reply(r#""0x1""#), 7), Ok(Some(U64::from(1))));
        assert_eq!(request_reply::<U64>(&reply(r#"{"number":"0x1"}"#), 7), Err(MALFORMED));
        assert_eq!(request_reply::<Option<U64>>(br#"{"id":7}"#, 7), Err(MALFORMED));
        assert_eq!(request_reply::<Option<U64>>(br#"{"id":8,"result":null}"#, 7), Err(MALFORMED));
    }

    #[test]
    fn both_replies_of_a_pair_are_taken_by_their_ids() {
        let pair = |body: &str| pair_reply::<U64, Option<U64>>(body.as_bytes(), [7, 8]);
        for (body, other) in [
            (r#"[{"id":7,"result":"0x1"},{"id":8,"result":"0x2"}]"#, Some(U64::from(2))),
            (r#" [ {"result":"0x2","id":8} , {"jsonrpc":"2.0","result":"0x1","id":7} ] "#, Some(U64::from(2))),
            (r#"[{"id":7,"result":"0x1"},{"id":8,"result":null,"error":null}]"#, None),
        ] {
            assert_eq!(pair(body), Ok((U64::from(1), other)), "{body}");
        }
        for body in [
            "",
            "[]",
            "null",
            r#"{"id":7,"result":"0x1"}"#,
            r#"[{"id":7,"result":"0x1"}]"#,
            r#"[{"id":7,"result":"0x1"},{"id":7,"result":"0x1"}]"#,
            r#"[{"id":8,"result":"0x1"},{"id":8,"result":"0x2"}]"#,
            r#"[{"id":7,"result":"0x1"},{"id":9,"result":"0x2"}]"#,
            r#"[{"id":7,"result":"0x1"},{"id":8,"result":"0x2"},{"id":8,"result":"0x2"}]"#,
            r#"[{"id":7,"result":"0x1"},{"id":8,"result":"0x2"}"#,
            r#"[{"id":7,"result":"0x1"},{"id":8,"result":"0x2"}]]"#,
            r#"[{"id":7,"result":"0x1"},null]"#,
            r#"[[7,"0x1",null],[8,"0x2",null]]"#,
            r#"[{"id":7,"result":"0x1"},{"id":8}]"#,
            r#"[{"id":7,"result":null},{"id":8,"result":null}]"#,
            r#"[{"id":7,"result":"0x1"},{"id":8,"result":[]}]"#,
        ] {
            assert_eq!(pair(body), Err(MALFORMED), "{body}");
        }
    }

    #[test]
    fn an_error_of_a_pair_stands_for_one_request_or_for_both() {
        let pair = |body: &str| pair_reply::<U64, U64>(body.as_bytes(), [7, 8]);
        let error = r#""error":{"code":-32005,"message":"rate limit reached"}"#;
        for body in [
            format!("{{{error}}}"),
            format!(r#"{{"id":null,{error}}}"#),
            format!(r#"[{{"id":7,"result":"0x1"}},{{"id":8,{error}}}]"#),
            format!(r#"[{{"id":8,"result":"0x1"}},{{"id":7,{error}}}]"#),
            format!(r#"[{{"id":null,{error}}},{{"id":null,{error}}}]"#),
        ] {
            assert_eq!(pair(&body), Err(RequestError::Endpoint(EndpointError::Throttled(None))), "{body}");
        }
    }
}
