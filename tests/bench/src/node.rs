//! The anvil that all sides read, with Multicall3 and a few blocks.
//!
//! Its gas limit and body limit are no side's problem: what a real node caps is described in the README, not measured
//! here.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use super::meter::Threads;
use super::world::{Prepared, World};
use portolan_tests::chain;

const MULTICALL3: &str = "0xca11bde05977b3631167028862be2a173976ca11";
/// A block that proves itself by its parent needs some before it.
const BLOCKS: &str = "0x4";

/// A running node; ends with the value.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) url: String,
    port: u16,
    anvil: Child,
}

impl Node {
    pub(super) fn start(prepared: &Prepared, world: &World) -> Result<Self> {
        Self::start_as(prepared, world, world.chain_id)
    }

    /// Under another chain id than the genesis says.
    pub(super) fn start_as(prepared: &Prepared, world: &World, chain_id: u64) -> Result<Self> {
        let program = chain::anvil_program(&prepared.packages);
        let mut anvil = Command::new(&program)
            .args(["--host", "127.0.0.1", "--port", "0", "--chain-id", &chain_id.to_string()])
            .args(["--gas-limit", "1000000000", "--no-request-size-limit"])
            .arg("--init")
            .arg(AsRef::<Path>::as_ref(&prepared.genesis))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let port = match chain::listening_port(&mut anvil) {
            Ok(port) => port,
            Err(error) => {
                chain::end(&mut anvil);
                return Err(error);
            }
        };
        let node = Self { url: format!("http://127.0.0.1:{port}"), port, anvil };
        // A call without a target answers the code that its creation code would leave behind.
        let code = node.rpc("eth_call", &json!([{"data": world.multicall3}, "latest"]))?;
        node.rpc("anvil_setCode", &json!([MULTICALL3, code]))?;
        node.rpc("anvil_mine", &json!([BLOCKS]))?;
        Ok(node)
    }

    /// The CPU that it has used.
    pub(super) fn threads(&self) -> Result<Threads> {
        Threads::of(self.anvil.id())
    }

    pub(super) fn rpc(&self, method: &str, params: &Value) -> Result<Value> {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let body = chain::post(self.port, &request.to_string()).with_context(|| method.to_owned())?;
        let mut answer: Value = serde_json::from_slice(&body).with_context(|| format!("{method}: no JSON"))?;
        match answer.get("error") {
            Some(error) => bail!("{method}: {error}"),
            None => Ok(answer["result"].take()),
        }
    }

    /// The gas that a captured `eth_call` takes: all of a transaction's, so with its calldata.
    pub(super) fn gas(&self, call: &Value) -> Result<u64> {
        let mut options = json!({"tracer": "callTracer", "tracerConfig": {"onlyTopCall": true}});
        options["stateOverrides"] = call["params"][2].clone();
        let traced = self.rpc("debug_traceCall", &json!([call["params"][0], call["params"][1], options]))?;
        let gas = traced["gasUsed"].as_str().and_then(|gas| gas.strip_prefix("0x")).context("a trace without gas")?;
        Ok(u64::from_str_radix(gas, 16)?)
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        chain::end(&mut self.anvil);
    }
}
