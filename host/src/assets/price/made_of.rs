//! How much a token holds of what it is made of, at the answer's block, and what it is worth by that.
//!
//! Who it is, [`Told`](crate::assets::token::Told) says, and that is the token's own word: who asks for the price of a token
//! that anyone may have put there gets the price that this one wishes.

use alloy::primitives::{Address, U256};
use alloy::sol_types::SolCall;
use bigdecimal::BigDecimal;
use portolan_reader::{Outcome, Read, Reply};

use super::worth::{self, Part};
use crate::assets::token::{CToken, Erc20, Erc4626, MadeOf, Pair};

/// A rate of one to one, with 18 decimals.
const ONE_WAD: u64 = 1_000_000_000_000_000_000;

impl MadeOf {
    /// What a price of it is called.
    pub(super) fn source(self) -> &'static str {
        match self {
            Self::Native(_) => "derived:wrapped",
            Self::Pair(_) | Self::Volatile(_) | Self::Stable(_) => "derived:pair",
            Self::Vault(_) => "derived:erc4626",
            Self::Receipt(_) => "derived:aave",
            Self::RatedReceipt(_) => "derived:compound",
        }
    }

    /// How much of its parts it holds, at the answer's block.
    pub(super) fn amount_reads(self, token: Address, decimals: u8) -> Vec<Read> {
        let read = |data: Vec<u8>| Read::call(token, data);
        match self {
            // What a stable pair is worth, no simple rule tells safely.
            Self::Native(_) | Self::Receipt(_) | Self::Stable(_) => Vec::new(),
            Self::Pair(_) | Self::Volatile(_) => {
                vec![read(Pair::getReservesCall {}.abi_encode()), read(Erc20::totalSupplyCall {}.abi_encode())]
            }
            Self::Vault(_) => {
                // A whole share that no word can hold converts to nothing that one can.
                let shares = U256::from(10).checked_pow(U256::from(decimals));
                shares.map(|shares| read(Erc4626::convertToAssetsCall { shares }.abi_encode())).into_iter().collect()
            }
            Self::RatedReceipt(_) => vec![read(CToken::exchangeRateStoredCall {}.abi_encode())],
        }
    }

    /// What one whole token is worth, from the replies to [`MadeOf::amount_reads`] and its priced parts.
    pub(super) fn worth(self, decimals: u8, replies: &[Reply], parts: &[Part]) -> Option<BigDecimal> {
        match (self, replies, parts) {
            (Self::Native(_) | Self::Receipt(_), [], [part]) => worth::receipt(U256::from(ONE_WAD), decimals, part),
            (Self::RatedReceipt(_), [rate], [part]) => worth::receipt(word(rate)?, decimals, part),
            (Self::Vault(_), [assets], [part]) => worth::share(word(assets)?, part),
            (Self::Pair(_) | Self::Volatile(_), [reserves, supply], [first, second]) => {
                let reserves = Pair::getReservesCall::abi_decode_returns_validate(bytes(reserves)?).ok()?;
                let reserves = [U256::from(reserves.reserve0), U256::from(reserves.reserve1)];
                worth::pair_share(reserves, word(supply)?, decimals, [first, second])
            }
            _ => None,
        }
    }
}

fn bytes(reply: &Reply) -> Option<&[u8]> {
    match &reply.outcome {
        Outcome::Ok(bytes) => Some(bytes),
        _ => None,
    }
}

/// Exactly a word; what has no such function may answer anything, or nothing.
fn word(reply: &Reply) -> Option<U256> {
    let bytes = bytes(reply)?;
    (bytes.len() == 32).then(|| U256::from_be_slice(bytes))
}
