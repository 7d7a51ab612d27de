//! An account's document, as Uniswap's scripts write it: `{"index": 7, "amount": "0x2a", "proof": ["0x…"]}`; or one such
//! value for each token.

use std::collections::BTreeMap;

use portolan_plugin_api::{Address, B256, U256};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// Members of a proof; a tree with this many levels has more leaves than there are accounts.
const PROOF_MAX: usize = 64;

/// Claimable amount of an account, with its proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) index: U256,
    pub(crate) amount: U256,
    pub(crate) proof: Vec<B256>,
}

/// JSON form of a [`Document`].
#[derive(Deserialize)]
struct DocumentJson {
    index: NumberJson,
    amount: NumberJson,
    proof: Vec<String>,
}

/// A number, or a text of decimal digits, or of hexadecimal ones after `0x`.
#[derive(Deserialize)]
#[serde(untagged)]
enum NumberJson {
    Number(u64),
    Text(String),
}

impl Document {
    /// Parses a document.
    ///
    /// # Errors
    /// A description of the fault, without the document's text.
    pub(super) fn parse(body: &[u8]) -> Result<Self, String> {
        Self::of_json(json(body, "a proof")?)
    }

    /// Parses a document with a value for each token, `{"0x…": {"index": 7, …}, …}`.
    ///
    /// # Errors
    /// A description of the first fault, without the document's text.
    pub(crate) fn parse_by_token(body: &[u8]) -> Result<BTreeMap<Address, Self>, String> {
        let json: BTreeMap<Address, DocumentJson> = json(body, "a list of proofs by token")?;
        json.into_iter().map(|(token, json)| Ok((token, Self::of_json(json)?))).collect()
    }

    fn of_json(json: DocumentJson) -> Result<Self, String> {
        if json.proof.len() > PROOF_MAX {
            return Err(format!("the document's proof has {} members", json.proof.len()));
        }
        let proof: Option<Vec<B256>> = json.proof.iter().map(|member| hash(member)).collect();
        let proof = proof.ok_or("the document's proof has members that are not hashes")?;
        let number = |number, what| number_of(number).ok_or(format!("the document's {what} is not a number"));
        Ok(Self { index: number(json.index, "index")?, amount: number(json.amount, "amount")?, proof })
    }
}

fn json<T: DeserializeOwned>(body: &[u8], what: &str) -> Result<T, String> {
    serde_json::from_slice(body)
        .map_err(|error| format!("the document is not {what} (line {}, column {})", error.line(), error.column()))
}

fn hash(text: &str) -> Option<B256> {
    text.strip_prefix("0x").filter(|digits| digits.len() == 64)?.parse().ok()
}

fn number_of(json: NumberJson) -> Option<U256> {
    match json {
        NumberJson::Number(number) => Some(U256::from(number)),
        NumberJson::Text(text) => match text.strip_prefix("0x") {
            Some(digits) => U256::from_str_radix(digits, 16).ok().filter(|_| !digits.is_empty()),
            None => U256::from_str_radix(&text, 10).ok().filter(|_| !text.is_empty()),
        },
    }
}
