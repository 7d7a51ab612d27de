//! One read, made of a chain by one request, and what became of it.

use std::net::SocketAddr;

use anyhow::{Context as _, Result};
use portolan_abi::row::kind;
use portolan_plugin_api::Bytes;
use portolan_plugin_api::alloy::primitives::{U256, hex};
use portolan_plugin_api::testing::{ReadRequest, ReadResult};
use serde_json::{Value, json};

use portolan_tests::chain::Chain;
use portolan_tests::http;

/// The sender of reads that name none.
const SENDER: &str = "0xca11bde05977b3631167028862be2a173976ca11";
/// The gas that one read may use: a block's.
const GAS: u64 = 30_000_000;
/// The part of a transaction's gas that its call does not get.
const TRANSACTION_GAS: u64 = 100_000;

/// Returns the chain's reply to a read; if the chain does not answer, the read is unavailable.
pub(super) fn answer(chain: &Chain, read: &ReadRequest) -> ReadResult {
    try_answer(chain, read).unwrap_or(ReadResult::Unavailable)
}

fn try_answer(chain: &Chain, read: &ReadRequest) -> Result<ReadResult> {
    let to = format!("{:#x}", read.to);
    let word = |value: U256| ReadResult::Ok(value.to_be_bytes::<32>().into());
    match read.kind {
        kind::CALL => call(chain, read, &to),
        kind::NATIVE_BALANCE => {
            let balance = request(chain, "eth_getBalance", json!([to, "latest"]))?;
            Ok(word(balance["result"].as_str().context("no balance")?.parse()?))
        }
        kind::CODE_SIZE => Ok(word(U256::from(code(chain, &to)?.len()))),
        _ => Ok(ReadResult::Unsupported),
    }
}

fn call(chain: &Chain, read: &ReadRequest, to: &str) -> Result<ReadResult> {
    let from = read.from.map_or_else(|| SENDER.to_owned(), |from| format!("{from:#x}"));
    let gas = if read.gas_cap == 0 { GAS } else { u64::from(read.gas_cap) + TRANSACTION_GAS };
    let data = hex::encode_prefixed(&read.data);
    let transaction = json!({"from": from, "to": to, "data": data, "gas": format!("{gas:#x}")});
    let reply = request(chain, "eth_call", json!([transaction, "latest"]))?;
    if let Some(result) = reply["result"].as_str() {
        let bytes = Bytes::from(hex::decode(result)?);
        let nobody = bytes.is_empty() && code(chain, to)?.is_empty();
        return Ok(if nobody { ReadResult::NoCode } else { ReadResult::Ok(bytes) });
    }
    let error = reply.get("error").context("neither a result nor an error")?;
    let message = error["message"].as_str().unwrap_or_default();
    if message.contains("OutOfGas") || message.contains("out of gas") {
        return Ok(ReadResult::GasCap);
    }
    let data = error["data"].as_str().map(hex::decode).transpose()?.unwrap_or_default();
    Ok(ReadResult::Reverted(data.into()))
}

fn code(chain: &Chain, at: &str) -> Result<Vec<u8>> {
    let reply = request(chain, "eth_getCode", json!([at, "latest"]))?;
    Ok(hex::decode(reply["result"].as_str().context("no code")?)?)
}

/// A JSON-RPC reply with its error, whose data is what a contract reverted with.
fn request(chain: &Chain, method: &str, params: Value) -> Result<Value> {
    let address: SocketAddr = chain.url.strip_prefix("http://").context("no http URL")?.parse()?;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let response = runtime.block_on(http::post(address, body.into()))?;
    Ok(serde_json::from_str(&response.body)?)
}
