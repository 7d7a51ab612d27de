//! MerkleDistributor: an airdrop that pays each account once, by a proof from a server's document.
//!
//! Settings keys: `merkle_distributor`, and `proofs` with the URL of an account's document, in which `{account}` stands
//! for its address in lower case. Answers claimables. Invariant: a document is trusted only if its proof leads to the
//! contract's root, so a lying server only loses its own row.

mod contracts;
pub(crate) mod document;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, B256, ClaimTemplate, Claimable, Error, JobContext, Keys, Question, Role, SettingsError, U256, merkle,
    symbol,
};

use crate::account_url::AccountUrl;
use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use contracts::{claimCall, isClaimedCall, merkleRootCall, tokenCall};
use document::Document;

const URL_EXAMPLE: &str = "https://merkle.example.org/proofs/{account}.json";

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
    proofs: AccountUrl,
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
        let proofs = AccountUrl::new(proofs, "proofs", URL_EXAMPLE)?;
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
        self.proofs.hosts()
    }

    /// Returns the account's claim, unless it was claimed.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            // The root may change in copies of the contract.
            let root = cx.call(self.address, merkleRootCall {});
            let token = cx.call(self.address, tokenCall {}).immutable();
            let document = self.proofs.document(cx, self.address, account);
            let (body, root, token) = cx.join((document, root, token)).await?;
            let Some(body) = body else { return Ok(Vec::new()) };
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
