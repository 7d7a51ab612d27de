//! Farms on a chain of their own that pay, or do other than they say, and tokens of any name. Every account has earned ten
//! in each farm.

use std::fmt::Write as _;

use anyhow::Result;
use serde_json::json;

use crate::build;
use crate::chain::Chain;
use crate::gateway::Setup;

/// The network of the chain.
pub const NETWORK: &str = "polygon";
/// Its chain id.
pub const CHAIN_ID: u64 = 137;
/// An account that nothing else is known of.
pub const ACCOUNT: &str = "0x00000000000000000000000000000000000acc07";
/// The decimals of the tokens.
pub const DECIMALS: u64 = 18;
/// Ten of a token.
pub const TEN: u128 = 10_000_000_000_000_000_000;

/// What a farm does when it is claimed from; its number in the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deed {
    Pay = 0,
    PayNothing = 1,
    Fail = 2,
    Approve = 3,
}

/// Places a token.
///
/// # Errors
/// If the chain does not take it.
pub fn token(chain: &Chain, name: &str, symbol: &str) -> Result<String> {
    let [name, symbol] = [name, symbol].map(text);
    let second = 96 + name.len() / 2;
    chain.deploy("TokenDouble", &format!("{:064x}{second:064x}{DECIMALS:064x}{name}{symbol}", 96))
}

/// Places a farm that owes ten of a token, which it has.
///
/// # Errors
/// If the chain does not take it.
pub fn farm(chain: &Chain, token: &str, deed: Deed) -> Result<String> {
    let farm = chain.deploy("FarmDouble", &format!("{0}{0}{1:064x}{TEN:064x}", word(token), deed as u8))?;
    let mint = format!("0x40c10f19{}{TEN:064x}", word(&farm));
    chain.send(&json!({"from": ACCOUNT, "to": token, "data": mint}))?;
    Ok(farm)
}

/// A gateway that knows these farms alone.
///
/// # Errors
/// If the plugin does not build.
pub fn setup(chain: &Chain, farms: &[String]) -> Result<Setup> {
    let settings = format!(
        "shipped = false\n[[deployment]]\nprotocol = \"quickswap\"\nnetwork = {NETWORK:?}\nmarket = \"farms\"\nfarms = {farms:?}\n"
    );
    let dylib = build::built()?.plugin("libquickswap.so");
    Ok(Setup::default().rpc(NETWORK, &chain.url).plugin(&dylib, &["quickswap"]).settings("quickswap", &settings))
}

fn word(address: &str) -> String {
    format!("{:0>64}", address.trim_start_matches("0x"))
}

/// A text as an ABI encodes it: its length, and its bytes in words.
fn text(text: &str) -> String {
    let mut hex = format!("{:064x}", text.len());
    for byte in text.bytes() {
        // Writing to a text never fails.
        let _ = write!(hex, "{byte:02x}");
    }
    let words = hex.len().div_ceil(64);
    format!("{hex:0<width$}", width = words * 64)
}
