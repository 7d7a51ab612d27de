//! Contracts of a few bytes, written by hand: each does one thing that a read can meet.
//!
//! They are placed on a running chain, in blocks of their own, so that every test names one truth. All run by the
//! rules of paris.

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::chain::Chain;

/// A contract and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct Contract {
    pub address: &'static str,
    pub code: &'static str,
}

/// Returns its calldata: `CALLDATACOPY(0, 0, CALLDATASIZE) RETURN(0, CALLDATASIZE)`.
pub const ECHO: Contract =
    Contract { address: "0x00000000000000000000000000000000feed0001", code: "0x366000600037366000f3" };
/// Reverts with its calldata.
pub const REVERTER: Contract =
    Contract { address: "0x00000000000000000000000000000000feed0002", code: "0x366000600037366000fd" };
/// Runs until no gas is left: `JUMPDEST JUMP(0)`.
pub const BURNER: Contract = Contract { address: "0x00000000000000000000000000000000feed0003", code: "0x5b600056" };
/// `INVALID`.
pub const HALTER: Contract = Contract { address: "0x00000000000000000000000000000000feed0004", code: "0xfe" };
/// `get` returns slot 0; anything that does not begin with a zero byte adds 100 to it and returns the sum.
pub const COUNTER: Contract = Contract {
    address: "0x00000000000000000000000000000000feed0005",
    code: "0x60003560f81c60145760005460005260206000f35b6000546064018060005560005260206000f3",
};
/// Its block's number and time: `MSTORE(0, NUMBER) MSTORE(32, TIMESTAMP) RETURN(0, 64)`.
pub const CLOCK: Contract =
    Contract { address: "0x00000000000000000000000000000000feed0006", code: "0x436000524260205260406000f3" };
/// Whoever calls it: `MSTORE(0, CALLER) RETURN(0, 32)`.
pub const SENDER: Contract =
    Contract { address: "0x00000000000000000000000000000000feed0007", code: "0x3360005260206000f3" };
/// 1, after 38,000 turns of a loop of 26 gas: 988,000.
pub const COSTLY: Contract = Contract {
    address: "0x00000000000000000000000000000000feed0008",
    code: "0x6194705b6001900380600357600160005260206000f3",
};
/// Calls [`BURNER`] with all its gas, and returns the success flag, which is 0.
pub const SWALLOWER: Contract = Contract {
    address: "0x00000000000000000000000000000000feed0009",
    code: "0x600060006000600060007300000000000000000000000000000000feed00035af160005260206000f3",
};
/// 100,000 zero bytes.
pub const LONG: Contract = Contract { address: "0x00000000000000000000000000000000feed000a", code: "0x620186a06000f3" };
/// 2 MiB of zero bytes.
pub const BOMB: Contract = Contract { address: "0x00000000000000000000000000000000feed000b", code: "0x622000006000f3" };
/// Calls [`COUNTER`] so that it counts, and returns the count.
pub const THIEF: Contract = Contract {
    address: "0x00000000000000000000000000000000feed000c",
    code: "0x6001600053602060006001600060007300000000000000000000000000000000feed00055af15060206000f3",
};
/// Calls its caller with its own calldata, whatever becomes of it, and returns 7.
pub const REENTRANT: Contract = Contract {
    address: "0x00000000000000000000000000000000feed000d",
    code: "0x366000600037600060003660006000335af150600760005260206000f3",
};
/// `SELFDESTRUCT(CALLER)`.
pub const QUITTER: Contract = Contract { address: "0x00000000000000000000000000000000feed000e", code: "0x33ff" };

const ALL: [Contract; 14] =
    [ECHO, REVERTER, BURNER, HALTER, COUNTER, CLOCK, SENDER, COSTLY, SWALLOWER, LONG, BOMB, THIEF, REENTRANT, QUITTER];

/// An address at which nothing stands.
pub const NOBODY: &str = "0x00000000000000000000000000000000feed0bad";
/// An account without code that holds [`WEALTH_WEI`].
pub const WEALTHY: &str = "0x00000000000000000000000000000000feed0ace";
pub const WEALTH_WEI: u128 = 0x0123_4567_89ab_cdef_0123;

/// So that tests can name blocks below the newest one.
const BLOCKS: usize = 4;

/// Places all of them, and mines some blocks in which they stand.
///
/// # Errors
/// Returns an error of the chain.
pub fn place(chain: &Chain) -> Result<()> {
    for Contract { address, code } in ALL {
        chain.rpc("anvil_setCode", json!([address, code])).with_context(|| address.to_owned())?;
    }
    chain.rpc("anvil_setBalance", json!([WEALTHY, format!("{WEALTH_WEI:#x}")]))?;
    (0..BLOCKS).try_for_each(|_| mine(chain))
}

/// A block, one second after the one before.
///
/// # Errors
/// Returns an error of the chain.
pub fn mine(chain: &Chain) -> Result<()> {
    chain.rpc("anvil_setBlockTimestampInterval", json!([1]))?;
    chain.rpc("evm_mine", json!([])).map(drop)
}

/// The code of a contract that returns these bytes to calls with these selectors, and reverts at all others.
#[must_use]
pub fn answering(answers: &[([u8; 4], Vec<u8>)]) -> String {
    // PUSH1 0 CALLDATALOAD PUSH1 224 SHR
    let mut code = vec![0x60, 0x00, 0x35, 0x60, 0xe0, 0x1c];
    let place = |bytes: usize| u16::try_from(bytes).unwrap_or(u16::MAX).to_be_bytes();
    // Each DUP1 PUSH4 selector EQ PUSH2 body JUMPI; then PUSH1 0 DUP1 REVERT.
    let mut body = code.len() + answers.len() * 11 + 4;
    for (selector, returned) in answers {
        code.extend([0x80, 0x63].iter().chain(selector).chain(&[0x14, 0x61]).chain(&place(body)).chain(&[0x57]));
        body += 1 + returned.chunks(32).count() * 37 + 6;
    }
    code.extend([0x60, 0x00, 0x80, 0xfd]);
    for (_, returned) in answers {
        // JUMPDEST, each word as PUSH32 word PUSH2 place MSTORE, then PUSH2 length PUSH1 0 RETURN.
        code.push(0x5b);
        for (number, chunk) in returned.chunks(32).enumerate() {
            let mut word = [0; 32];
            word[..chunk.len()].copy_from_slice(chunk);
            code.extend([0x7f].iter().chain(&word).chain(&[0x61]).chain(&place(32 * number)).chain(&[0x52]));
        }
        code.extend([0x61].iter().chain(&place(returned.len())).chain(&[0x60, 0x00, 0xf3]));
    }
    let digits = code.iter().map(|byte| format!("{byte:02x}"));
    format!("0x{}", digits.collect::<String>())
}
