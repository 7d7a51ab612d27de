//! Stash of many Merkle roots (Votium's): rewards in many tokens, each with a root of its own, which every round replaces.
//!
//! Settings keys: `merkle_stash`, `stash_tokens`, and `entries` with the URL of an account's document, in which
//! `{account}` stands for its address in lower case. Answers claimables. Invariant: an entry counts only if its proof
//! leads to the root that the contract has for its token.
//!
//! Source: <https://github.com/oo-00/Votium/blob/af63fd2131c69c7ba4af956dc3ded46890a3d093/contracts/MultiMerkleStash.sol>

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, B256, ClaimTemplate, Claimable, Error, JobContext, Keys, Question, Role, SettingsError, merkle, symbol,
};

use crate::account_url::AccountUrl;
use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::merkle_distributor::document::Document;
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    struct ClaimParam { address token; uint256 index; uint256 amount; bytes32[] merkleProof; }

    // Zero while a token is frozen: between two rounds, or for good.
    function merkleRoot(address token) external view returns (bytes32);
    function isClaimed(address token, uint256 index) external view returns (bool);
    function claim(address token, uint256 index, address account, uint256 amount, bytes32[] merkleProof) external;
    function claimMulti(address account, ClaimParam[] claims) external;
}

const URL_EXAMPLE: &str = "https://merkle.example.org/votium/{account}.json";

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerkleStashKit {
    /// `type` in the answer.
    pub reward_type: &'static str,
}

/// One stash.
#[derive(Clone, Debug, PartialEq, Eq)]
struct MerkleStash {
    address: Address,
    /// No view lists them.
    tokens: Vec<Address>,
    entries: AccountUrl,
    reward_type: &'static str,
}

/// An account's rewards in a token, with what the contract says of them.
struct StashEntry {
    token: Address,
    document: Document,
    root: B256,
    is_claimed: bool,
}

impl MerkleStashKit {
    /// Keys of a row for Votium's stash:
    /// - `merkle_stash` (address): a `MultiMerkleStash` like Votium's
    /// - `stash_tokens` (array of addresses): the tokens that claims may name
    /// - `entries` (text): the URL of an account's document, `https://merkle.example.org/{account}.json`, by token:
    ///   `{"0x…": {"index": 7, "amount": "0x2a", "proof": ["0x…"]}}`; the operator has to grant its host
    pub const KEYS: &'static [&'static str] = &["merkle_stash", "stash_tokens", "entries"];
}

impl Kit for MerkleStashKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let (address, tokens) = (keys.address("merkle_stash")?, keys.addresses("stash_tokens")?);
        if tokens.is_empty() {
            return Err(SettingsError::new("missing beside `merkle_stash`").at("stash_tokens"));
        }
        let entries = AccountUrl::new(keys.text("entries")?.unwrap_or_default(), "entries", URL_EXAMPLE)?;
        Ok(Some(MerkleStash { address, tokens, entries, reward_type: self.reward_type }.shared()))
    }

    /// Returns the claim of one token, and that of several.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let proof = || Role::array(Role::PROOF);
        let one = [Role::TOKEN, Role::NUMBER, Role::ACCOUNT, Role::NUMBER, proof()];
        let member = Role::tuple([Role::TOKEN, Role::NUMBER, Role::NUMBER, proof()]);
        let several = ClaimTemplate::new::<claimMultiCall>([Role::ACCOUNT, Role::array(member)]);
        vec![ClaimTemplate::new::<claimCall>(one).by_anyone(), several.by_anyone().merging([1])]
    }
}

impl DeploymentReader for MerkleStash {
    fn contracts(&self) -> Vec<Address> {
        vec![self.address]
    }

    fn tokens(&self) -> Vec<Address> {
        self.tokens.clone()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES]
    }

    fn hosts(&self) -> Vec<String> {
        self.entries.hosts()
    }

    /// Returns a claim per token whose rewards were not claimed.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let document = self.entries.document(cx, self.address, account);
            let Some(body) = document.await? else { return Ok(Vec::new()) };
            let entries = Document::parse_by_token(&body);
            let entries = entries.map_err(|why| Error::new(format!("{}: {why}", self.address)))?;
            let listed = self.listed(cx, labels, entries);
            let read = listed.into_iter().map(|(token, document)| self.entry(cx, token, document));
            let read = join_partial(cx, read).await.or_report(cx, labels.market);
            let open = self.proven(cx, labels, account, read).into_iter().filter(|entry| !entry.is_claimed);
            Ok(open.map(|entry| self.claimable(cx, labels, account, entry)).collect())
        })
    }
}

impl MerkleStash {
    /// Returns the entries in tokens of the row; reports the others.
    fn listed(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        entries: BTreeMap<Address, Document>,
    ) -> Vec<(Address, Document)> {
        let owed = entries.into_iter().filter(|(_, document)| !document.amount.is_zero());
        let (listed, others): (Vec<_>, Vec<_>) = owed.partition(|(token, _)| self.tokens.contains(token));
        if let [(first, _), ..] = &others[..] {
            let (market, count) = (labels.market, others.len());
            cx.report_not_covered(format!(
                "{market}: rewards in {count} tokens that the row does not list, as {first}"
            ));
        }
        listed
    }

    async fn entry(&self, cx: &JobContext, token: Address, document: Document) -> Result<StashEntry, Error> {
        let root = cx.call(self.address, merkleRootCall { token });
        let is_claimed = cx.call(self.address, isClaimedCall { token, index: document.index });
        let (root, is_claimed) = cx.join((root, is_claimed)).await?;
        Ok(StashEntry { token, document, root, is_claimed })
    }

    /// Returns the entries whose proofs lead to their roots; reports the others. Nobody can claim a token without a root.
    fn proven(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        account: Address,
        entries: Vec<StashEntry>,
    ) -> Vec<StashEntry> {
        let leads = |StashEntry { document: Document { index, amount, proof }, root, .. }: &StashEntry| {
            merkle::root(merkle::packed(&(*index, account, *amount)), proof) == *root
        };
        let active = entries.into_iter().filter(|entry| !entry.root.is_zero());
        let (proven, others): (Vec<_>, Vec<_>) = active.partition(leads);
        if let [first, ..] = &others[..] {
            let (market, count, token) = (labels.market, others.len(), first.token);
            let why = "do not lead to the contract's Merkle roots; the document may be of other ones";
            cx.report_missing(format!("{market}: {}: the proofs of {count} tokens, as {token}, {why}", self.address));
        }
        proven
    }

    fn claimable(&self, cx: &JobContext, labels: Labels<'_>, account: Address, entry: StashEntry) -> Claimable {
        let StashEntry { token, document: Document { index, amount, proof }, .. } = entry;
        let claims = vec![ClaimParam { token, index, amount, merkleProof: proof.clone() }];
        let several = cx.claim(self.address, &claimMultiCall { account, claims });
        let claim = cx.claim(self.address, &claimCall { token, index, account, amount, merkleProof: proof });
        let row = Claimable::new(labels.market, self.address, claim.mergeable_as(several));
        row.mechanism(self.reward_type).named(format!("{} rewards", symbol(token))).pays(token, amount)
    }
}
