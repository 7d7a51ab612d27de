//! What a batch asks: reads one by one, or the balances of one account in many tokens. Both come down to reads on
//! every rung; the top one has a program for each.
//!
//! Invariant: what a chunk's reply names are places among its members; those that it does not name came to zero.

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol;
use alloy::sol_types::SolCall;

use crate::Read;
use crate::packed::{self, Head, Malformed, Told};
use crate::scan::{self, ScanTold};

sol! {
    /// <https://eips.ethereum.org/EIPS/eip-20>
    function balanceOf(address account) external view returns (uint256);
}

/// Of a read in a packed call: what most views need many times over. One that wants more is asked alone.
const READ_GAS: u32 = 2_000_000;

/// The reads of a batch, by their place in it.
pub(crate) trait Ask: Sync {
    fn len(&self) -> usize;
    fn read(&self, place: usize) -> Read;
    /// Whether the read can stand in a packed call.
    fn may_pack(&self, place: usize) -> bool;
    /// What the read adds to a packed call after another one.
    fn packed_bytes(&self, before: Option<usize>, place: usize) -> usize;
    /// The program that answers packed calls.
    fn program(&self) -> &'static [u8];
    fn encode(&self, members: &[usize]) -> Vec<u8>;
    /// What became of the first members, by place among them; a word of zero where nothing is named.
    fn decode(&self, reply: &[u8], members: usize) -> Result<(Head, Vec<(usize, Told)>), Malformed>;
}

/// Reads, whatever they are.
pub(crate) struct Reads<'a>(pub(crate) &'a [Read]);

impl Ask for Reads<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn read(&self, place: usize) -> Read {
        self.0[place].clone()
    }

    fn may_pack(&self, place: usize) -> bool {
        packed::may_pack(&self.0[place])
    }

    fn packed_bytes(&self, before: Option<usize>, place: usize) -> usize {
        packed::encoded_bytes(before.map(|before| &self.0[before]), &self.0[place])
    }

    fn program(&self) -> &'static [u8] {
        packed::CALL
    }

    fn encode(&self, members: &[usize]) -> Vec<u8> {
        packed::encode(members.iter().map(|place| &self.0[*place]), READ_GAS)
    }

    fn decode(&self, reply: &[u8], members: usize) -> Result<(Head, Vec<(usize, Told)>), Malformed> {
        packed::decode(reply, members)
    }
}

/// `balanceOf` of one account at each token.
pub(crate) struct Balances<'a> {
    account: Address,
    tokens: &'a [Address],
    data: Bytes,
}

impl<'a> Balances<'a> {
    pub(crate) fn new(account: Address, tokens: &'a [Address]) -> Self {
        Self { account, tokens, data: balanceOfCall { account }.abi_encode().into() }
    }
}

impl Ask for Balances<'_> {
    fn len(&self) -> usize {
        self.tokens.len()
    }

    fn read(&self, place: usize) -> Read {
        Read::call(self.tokens[place], self.data.clone())
    }

    fn may_pack(&self, place: usize) -> bool {
        packed::may_pack_call(&self.tokens[place], &self.data)
    }

    fn packed_bytes(&self, _before: Option<usize>, _place: usize) -> usize {
        Address::ZERO.len()
    }

    fn program(&self) -> &'static [u8] {
        packed::SCAN
    }

    fn encode(&self, members: &[usize]) -> Vec<u8> {
        scan::encode(self.account, members.iter().map(|place| &self.tokens[*place]), READ_GAS)
    }

    fn decode(&self, reply: &[u8], members: usize) -> Result<(Head, Vec<(usize, Told)>), Malformed> {
        let (head, named) = scan::decode(reply, members)?;
        let told = |told| match told {
            ScanTold::Balance(held) => Told::Ok(held.to_be_bytes::<32>().into()),
            ScanTold::Failed => Told::Reverted(Bytes::new()),
            ScanTold::Capped => Told::Capped,
        };
        Ok((head, named.into_iter().map(|(place, one)| (place, told(one))).collect()))
    }
}

/// The balance that a token told, if it told one: the first word.
pub(crate) fn balance(reply: &[u8]) -> Option<U256> {
    reply.first_chunk::<32>().map(|word| U256::from_be_bytes(*word))
}
