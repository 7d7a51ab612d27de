//! Merkl: rewards of many campaigns, which one distributor pays by proofs of a Merkle tree that grows. A leaf has what
//! an account has earned of a token since the beginning.
//!
//! Settings keys: `merkl_distributor`, `merkl_creator` and `rewards` with the URL of an account's document, in which
//! `{account}` stands for its address in lower case and `{network}` for the chain id. Answers claimables. Invariant: a
//! document is trusted only where its proof leads to the contract's root. What was claimed is what the contract says.
//!
//! Source: <https://github.com/AngleProtocol/merkl-contracts/blob/main/contracts/Distributor.sol>

mod document;

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, B256, ClaimTemplate, Claimable, Error, JobContext, Keys, Lineage, Question, Revert, Role, SettingsError,
    U256, merkle, symbol,
};

use crate::account_url::AccountUrl;
use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use document::Entry;

portolan_plugin_api::sol! {
    struct RewardToken { address token; uint256 minimumAmountPerEpoch; }

    // The root that claims are checked against: the last one, or that before it while a new one can be disputed.
    function getMerkleRoot() external view returns (bytes32);
    function claimed(address user, address token) external view returns (uint208 amount, uint48 timestamp, bytes32 merkleRoot);
    // Older distributors lack it.
    function claimRecipient(address user, address token) external view returns (address);
    function claim(address[] users, address[] tokens, uint256[] amounts, bytes32[][] proofs) external;

    // https://github.com/AngleProtocol/merkl-contracts/blob/main/contracts/DistributionCreator.sol
    function getValidRewardTokens() external view returns (RewardToken[]);
}

const URL_EXAMPLE: &str = "https://merkl.example.org/{account}?chain={network}";
/// Tokens of a document that are answered.
const ENTRIES_MAX: usize = 64;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerklKit {
    /// `type` in the answer.
    pub reward_type: &'static str,
}

/// One distributor.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Merkl {
    distributor: Address,
    creator: Address,
    rewards: AccountUrl,
    reward_type: &'static str,
}

impl MerklKit {
    /// Keys of a row for Merkl:
    /// - `merkl_distributor` (address): the contract that pays
    /// - `merkl_creator` (address): the contract of the campaigns, which lists the tokens that rewards may be in
    /// - `rewards` (text): the URL of an account's document, in which `{account}` and `{network}` stand for the address
    ///   and the chain id; the operator has to grant its host
    pub const KEYS: &'static [&'static str] = &["merkl_distributor", "merkl_creator", "rewards"];
}

impl Kit for MerklKit {
    fn keys(&self) -> &'static [&'static str] {
        &["merkl_distributor", "merkl_creator"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let (distributor, creator) = (keys.address("merkl_distributor")?, keys.address("merkl_creator")?);
        let rewards = AccountUrl::new(keys.text("rewards")?.unwrap_or_default(), "rewards", URL_EXAMPLE)?;
        Ok(Some(Merkl { distributor, creator, rewards, reward_type: self.reward_type }.shared()))
    }

    /// Returns the claim of one token. Claims of several tokens are merged.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let [account, token, number] = [Role::ACCOUNT, Role::TOKEN, Role::NUMBER].map(Role::array);
        let roles = [account, token, number, Role::array(Role::array(Role::PROOF))];
        vec![ClaimTemplate::new::<claimCall>(roles).merging([0, 1, 2, 3])]
    }

    /// Returns the list of tokens that claims may name.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::tokens::<getValidRewardTokensCall>().list_of(2, 0)]
    }
}

impl DeploymentReader for Merkl {
    fn contracts(&self) -> Vec<Address> {
        vec![self.distributor, self.creator]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES]
    }

    fn hosts(&self) -> Vec<String> {
        self.rewards.hosts()
    }

    /// Returns a claim per token of which something is left.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let entries = self.entries(cx, labels, account).await?;
            if entries.is_empty() {
                return Ok(Vec::new());
            }
            let root = cx.call(self.distributor, getMerkleRootCall {});
            let tokens = cx.call(self.creator, getValidRewardTokensCall {});
            let (root, tokens) = cx.join((root, tokens)).await?;
            let entries = self.proven(cx, labels, account, entries, root);
            let tokens: BTreeSet<Address> = tokens.into_iter().map(|listed| listed.token).collect();
            let rows = entries.into_iter().map(|entry| self.claimable(cx, labels, account, entry, &tokens));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }
}

impl Merkl {
    /// Returns the entries of the account's document.
    async fn entries(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Entry>, Error> {
        let document = self.rewards.document(cx, self.distributor, account);
        let Some(body) = document.await? else { return Ok(Vec::new()) };
        let mut entries = document::entries(&body, cx.network(), account).map_err(|why| self.error(&why))?;
        if entries.len() > ENTRIES_MAX {
            let (market, count) = (labels.market, entries.len());
            cx.report_not_covered(format!("{market}: rewards in {count} tokens, of which {ENTRIES_MAX} are answered"));
            entries.truncate(ENTRIES_MAX);
        }
        Ok(entries)
    }

    /// Returns the entries whose proofs lead to the root; reports the others.
    fn proven(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        account: Address,
        entries: Vec<Entry>,
        root: B256,
    ) -> Vec<Entry> {
        let leads = |entry: &Entry| {
            let leaf = merkle::encoded(&(account, entry.token, entry.amount));
            merkle::root(leaf, &entry.proof) == root
        };
        let (proven, other): (Vec<_>, Vec<_>) = entries.into_iter().partition(leads);
        if !other.is_empty() {
            let (market, count) = (labels.market, other.len());
            let why = "do not lead to the contract's Merkle root; the document may be of another one";
            cx.report_missing(format!("{market}: {}: the proofs of {count} tokens {why}", self.distributor));
        }
        proven
    }

    /// Returns the claim of an entry, unless all of it was claimed.
    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        account: Address,
        Entry { token, amount, proof }: Entry,
        tokens: &BTreeSet<Address>,
    ) -> Result<Option<Claimable>, Error> {
        let recipient = |token| cx.try_call(self.distributor, claimRecipientCall { user: account, token });
        let claimed = cx.call(self.distributor, claimedCall { user: account, token });
        let (claimed, own, general) = cx.join((claimed, recipient(token), recipient(Address::ZERO))).await?;
        let left = amount.checked_sub(U256::from(claimed.amount));
        let left = left.ok_or_else(|| self.error(&format!("more of {token} was claimed than its root has")))?;
        if left.is_zero() {
            return Ok(None);
        }
        let market = labels.market;
        if pays_another(&[own, general], account) {
            cx.report_not_covered(format!("{market}: the account has its rewards in {token} paid to another address"));
            return Ok(None);
        }
        if !tokens.contains(&token) {
            cx.report_not_covered(format!("{market}: rewards in {token}, which is not on the list of reward tokens"));
            return Ok(None);
        }
        let call = claimCall { users: vec![account], tokens: vec![token], amounts: vec![amount], proofs: vec![proof] };
        let claim = cx.claim(self.distributor, &call).mergeable_as(cx.claim(self.distributor, &call));
        let row = Claimable::new(market, self.distributor, claim).mechanism(self.reward_type);
        Ok(Some(row.named(format!("{} rewards", symbol(token))).pays(token, left)))
    }

    fn error(&self, why: &str) -> Error {
        Error::new(format!("{}: {why}", self.distributor))
    }
}

/// Returns true if the account has named another recipient: for the token, or else for all tokens.
fn pays_another(recipients: &[Result<Address, Revert>], account: Address) -> bool {
    let named = recipients.iter().flatten().find(|named| !named.is_zero());
    named.is_some_and(|named| *named != account)
}
