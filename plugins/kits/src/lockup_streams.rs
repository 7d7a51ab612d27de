//! Sablier's Lockup, of all versions: streams of one token, which vest by a line, a curve or in parts. A stream is an NFT
//! whose owner is paid.
//!
//! Settings keys: `lockups` and `fee_lockups`. Answers claimables of what was released, and locked positions of the
//! rest, with the schedule. No view lists an account's streams: the owners of all streams are read, once for all
//! accounts, and only if the account has one. Invariant: amounts are the contract's own. A stream that cannot be read
//! loses only its own rows, and the answer reports it.
//!
//! Source: <https://github.com/sablier-labs/lockup/tree/main/src>, and its releases.

mod stream;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Position, Question, Revert, Role, SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    function balanceOf(address owner) external view returns (uint256);
    // The first stream has the id 1.
    function nextStreamId() external view returns (uint256);
    function ownerOf(uint256 streamId) external view returns (address);
    function getDepositedAmount(uint256 streamId) external view returns (uint128);
    function getWithdrawnAmount(uint256 streamId) external view returns (uint128);
    function getRefundedAmount(uint256 streamId) external view returns (uint128);
    function withdrawableAmountOf(uint256 streamId) external view returns (uint128);
    function getStartTime(uint256 streamId) external view returns (uint40);
    function getEndTime(uint256 streamId) external view returns (uint40);
    // Of linear streams alone.
    function getCliffTime(uint256 streamId) external view returns (uint40);
    // The token, before version 2 and since.
    function getAsset(uint256 streamId) external view returns (address);
    function getUnderlyingToken(uint256 streamId) external view returns (address);
    // The least value that a withdrawal has to have, since version 3.
    function calculateMinFeeWei(uint256 streamId) external view returns (uint256);
    function withdrawMax(uint256 streamId, address to) external payable;
}

/// Streams of a contract whose owners are read: the newest ones. Six contracts of that many are half of the reads of a
/// job.
const STREAMS_MAX: u64 = 10_000;
/// Streams of an account in a contract that are answered.
const OWN_MAX: usize = 64;
/// Cache time of a list of owners, in seconds.
const OWNERS_STAND_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockupStreamsKit {
    /// Mechanism of streams, and `type` of what they pay.
    pub stream: &'static str,
}

/// A contract that holds streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lockup {
    address: Address,
    has_fee: bool,
}

/// Contracts of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LockupStreams {
    lockups: Vec<Lockup>,
    types: LockupStreamsKit,
}

impl LockupStreamsKit {
    /// Keys of a row for Sablier's Lockup, at least one of both:
    /// - `lockups` (array of addresses): contracts of versions 1 and 2
    /// - `fee_lockups` (array of addresses): contracts of versions 3 and 4, where a withdrawal may cost a fee
    pub const KEYS: &'static [&'static str] = &["lockups", "fee_lockups"];
}

impl Kit for LockupStreamsKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let of = |key, has_fee| {
            let lockups = keys.addresses(key)?.into_iter().map(move |address| Lockup { address, has_fee });
            Ok::<_, SettingsError>(lockups)
        };
        let lockups: Vec<Lockup> = of("lockups", false)?.chain(of("fee_lockups", true)?).collect();
        Ok((!lockups.is_empty()).then(|| LockupStreams { lockups, types: *self }.shared()))
    }

    /// Returns the withdrawal without a fee, and next to it that with one: claims with a fee name the next template.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let withdrawal = || ClaimTemplate::new::<withdrawMaxCall>([Role::NUMBER, Role::ACCOUNT]);
        vec![withdrawal(), withdrawal().with_fee_of::<calculateMinFeeWeiCall>([0])]
    }
}

impl DeploymentReader for LockupStreams {
    fn contracts(&self) -> Vec<Address> {
        self.lockups.iter().map(|lockup| lockup.address).collect()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns a claim per stream that has released something.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let owned = self.owned(cx, labels, account).await?.into_iter();
            let rows = owned.map(|(lockup, id)| stream::claimable(cx, self.types, labels, lockup, id, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    /// Returns a position per stream that has not released all.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let owned = self.owned(cx, labels, account).await?.into_iter();
            let rows = owned.map(|(lockup, id)| stream::position(cx, self.types, labels, lockup, id));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }
}

impl LockupStreams {
    /// Returns the account's streams, each with its contract.
    async fn owned(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<(Lockup, U256)>, Error> {
        let lockups = self.lockups.to_vec();
        let call = |lockup: &Lockup| (lockup.address, balanceOfCall { owner: account });
        let held = read_nonzero(cx, labels.market, lockups, call).await?.into_iter();
        let parts = held.map(|(lockup, count)| owned_in(cx, labels, lockup, count, account));
        Ok(join_partial(cx, parts).await.or_report(cx, labels.market).concat())
    }
}

/// Returns the account's streams in a contract, by their owners in the answer's block.
async fn owned_in(
    cx: &JobContext,
    labels: Labels<'_>,
    lockup: Lockup,
    count: U256,
    account: Address,
) -> Result<Vec<(Lockup, U256)>, Error> {
    let next: u64 = cx.call(lockup.address, nextStreamIdCall {}).await?.saturating_to();
    let owner_of = |id: &U256| (lockup.address, ownerOfCall { streamId: *id });
    let all: Vec<U256> = (next.saturating_sub(STREAMS_MAX).max(1)..next).map(U256::from).collect();
    // The same reads for every account; a stream that was burnt reverts.
    let owners = cx.try_call_each(all.iter().map(owner_of)).within(OWNERS_STAND_S).await;
    let mut ids = of_account(all, owners, account)?;
    ids.truncate(OWN_MAX);
    // One may have been transferred since.
    let owners = cx.try_call_each(ids.iter().map(owner_of)).await;
    let ids = of_account(ids, owners, account)?;
    if count != U256::from(ids.len()) {
        let (market, at, found) = (labels.market, lockup.address, ids.len());
        cx.report_not_covered(format!(
            "{market}: {at}: {found} of {count} streams are answered; others are not among the first {OWN_MAX}, not among \
             the newest {STREAMS_MAX} of all, or were received in the last {OWNERS_STAND_S} s"
        ));
    }
    Ok(ids.into_iter().map(|id| (lockup, id)).collect())
}

fn of_account(
    ids: Vec<U256>,
    owners: Vec<Result<Result<Address, Revert>, Error>>,
    account: Address,
) -> Result<Vec<U256>, Error> {
    let owned = ids.into_iter().zip(owners).map(|(id, owner)| Ok((owner? == Ok(account)).then_some(id)));
    owned.filter_map(Result::transpose).collect()
}
