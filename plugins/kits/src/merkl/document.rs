//! An account's document, as Merkl's API has it: a list of networks, each with rewards by token. An amount is what was
//! earned since the beginning.

use portolan_plugin_api::{Address, B256, U256};
use serde::Deserialize;

/// Members of a proof; a tree with this many levels has more leaves than there are accounts.
const PROOF_MAX: usize = 64;

/// Rewards of an account in one token, with their proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) token: Address,
    pub(super) amount: U256,
    pub(super) proof: Vec<B256>,
}

/// JSON form of the rewards of a network.
#[derive(Deserialize)]
struct NetworkJson {
    chain: ChainJson,
    rewards: Vec<EntryJson>,
}

#[derive(Deserialize)]
struct ChainJson {
    id: u64,
}

/// JSON form of an [`Entry`].
#[derive(Deserialize)]
struct EntryJson {
    recipient: Address,
    amount: String,
    proofs: Vec<B256>,
    token: TokenJson,
}

#[derive(Deserialize)]
struct TokenJson {
    address: Address,
}

/// Returns the account's entries on a network, without those that have earned nothing yet.
///
/// # Errors
/// A description of the fault, without the document's text.
pub(super) fn entries(body: &[u8], network: u64, account: Address) -> Result<Vec<Entry>, String> {
    let json: Vec<NetworkJson> = serde_json::from_slice(body).map_err(|error| {
        format!("the document is not a list of rewards (line {}, column {})", error.line(), error.column())
    })?;
    let networks = json.into_iter().filter(|of| of.chain.id == network);
    let own = networks.flat_map(|of| of.rewards).filter(|entry| entry.recipient == account);
    let found: Vec<Entry> = own.map(EntryJson::read).collect::<Result<_, _>>()?;
    Ok(found.into_iter().filter(|entry| !entry.amount.is_zero()).collect())
}

impl EntryJson {
    fn read(self) -> Result<Entry, String> {
        let Self { amount, proofs: proof, token, .. } = self;
        if proof.len() > PROOF_MAX {
            return Err(format!("the document has a proof with {} members", proof.len()));
        }
        let is_number = !amount.is_empty() && amount.bytes().all(|digit| digit.is_ascii_digit());
        let number = U256::from_str_radix(&amount, 10).ok().filter(|_| is_number);
        let amount = number.ok_or("the document has an amount that is not a number")?;
        Ok(Entry { token: token.address, amount, proof })
    }
}
