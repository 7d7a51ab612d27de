//! MerkleDistributor: an airdrop that pays each account once, by a proof from a server's document.
//!
//! Settings keys: `merkle_distributor`, and `proofs` with the URL of an account's document, in which `{account}` stands
//! for its address in lower case. Answers claimables. Invariant: a document is trusted only if its proof leads to the
//! contract's root, so a lying server only loses its own row.

mod contracts;
mod document;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, B256, ClaimTemplate, Claimable, Error, JobContext, Keys, NoDocument, Question, Role, SettingsError, U256,
    merkle, off_chain, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use contracts::{claimCall, isClaimedCall, merkleRootCall, tokenCall};
use document::Document;

/// Placeholder for the account in a URL.
const ACCOUNT: &str = "{account}";
const SCHEME: &str = "https://";

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerkleDistributorKit {
    /// `type` in the answer.
    pub reward_type: &'static str,
}

/// One airdrop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MerkleDistributor {
    address: Address,
    proofs: String,
    reward_type: &'static str,
}

impl MerkleDistributorKit {
    /// Keys of a row for an airdrop:
    /// - `merkle_distributor` (address): a `MerkleDistributor` like Uniswap's
    /// - `proofs` (text): the URL of an account's document, `https://merkle.example.org/{account}.json`:
    ///   `{"index": 7, "amount": "0x2a", "proof": ["0x…"]}`; the operator has to grant its host
    pub const KEYS: &'static [&'static str] = &["merkle_distributor", "proofs"];
}

impl Kit for MerkleDistributorKit {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let missing = |key, beside| SettingsError::new(format!("missing beside `{beside}`")).at(key);
        let (address, proofs) = match (keys.address_opt("merkle_distributor")?, keys.text("proofs")?) {
            (None, None) => return Ok(None),
            (Some(address), Some(proofs)) => (address, proofs),
            (Some(_), None) => return Err(missing("proofs", "merkle_distributor")),
            (None, Some(_)) => return Err(missing("merkle_distributor", "proofs")),
        };
        let host = host(proofs).filter(|host| off_chain::check_host(host).is_ok());
        if host.is_none() || !proofs.contains(ACCOUNT) {
            let text = format!("{proofs:?} is not like https://merkle.example.org/proofs/{ACCOUNT}.json");
            return Err(SettingsError::new(text).at("proofs"));
        }
        let proofs = proofs.to_owned();
        Ok(Some(MerkleDistributor { address, proofs, reward_type: self.reward_type }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let roles = [Role::NUMBER, Role::ACCOUNT, Role::NUMBER, Role::array(Role::PROOF)];
        vec![ClaimTemplate::new::<claimCall>(roles).by_anyone()]
    }
}

impl DeploymentReader for MerkleDistributor {
    fn contracts(&self) -> Vec<Address> {
        vec![self.address]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES]
    }

    fn hosts(&self) -> Vec<String> {
        host(&self.proofs).map(str::to_owned).into_iter().collect()
    }

    /// Returns the account's claim, unless it was claimed.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let url = self.proofs.replace(ACCOUNT, &format!("{account:#x}"));
            // The root may change in copies of the contract.
            let root = cx.call(self.address, merkleRootCall {});
            let token = cx.call(self.address, tokenCall {}).immutable();
            let (body, root, token) = cx.join((cx.try_http_get(&url), root, token)).await?;
            let body = match body {
                Ok(body) => body,
                // The gateway reports hosts that the operator does not allow.
                Err(NoDocument::NotFound | NoDocument::NotAllowed) => return Ok(Vec::new()),
                Err(other) => return Err(self.error(&other.to_string())),
            };
            let Document { index, amount, proof } = Document::parse(&body).map_err(|why| self.error(&why))?;
            if !leaves(index, account, amount).into_iter().any(|leaf| merkle::root(leaf, &proof) == root) {
                return Err(self.error("the document of the account does not lead to the contract's Merkle root"));
            }
            if cx.call(self.address, isClaimedCall { index }).await? {
                return Ok(Vec::new());
            }
            let claim = cx.claim(self.address, &claimCall { index, account, amount, merkleProof: proof });
            let claimable = Claimable::new(labels.market, self.address, claim).mechanism(self.reward_type);
            Ok(vec![claimable.named(format!("{} airdrop", symbol(token))).pays(token, amount)])
        })
    }
}

impl MerkleDistributor {
    fn error(&self, why: &str) -> Error {
        Error::new(format!("{}: {why}", self.address))
    }
}

/// Returns the leaf of an entry, hashed in each way that the contract and its copies do. No entry is known that leads
/// to the root in the wrong way.
fn leaves(index: U256, account: Address, amount: U256) -> [B256; 3] {
    let entry = (index, account, amount);
    [merkle::packed(&entry), merkle::encoded(&entry), merkle::hashed_twice(&entry)]
}

/// Returns the host of a URL.
fn host(url: &str) -> Option<&str> {
    url.strip_prefix(SCHEME)?.split('/').next()
}
