//! Escrowed tokens in entries that are whole at their end, like Synthetix' `RewardEscrowV2`.
//!
//! A deployment is the escrow and its token; settings keys `reward_escrow` and `escrowed_token`. Answers claims of the
//! entries that are over, many by one call, and locked positions of the others. Invariant: an entry is paid from its end
//! on, and never in part; it is either in a claim or in a position.
//!
//! Source: <https://github.com/Synthetixio/synthetix/blob/develop/contracts/BaseRewardEscrowV2.sol>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    Role, SettingsError, U256, symbol,
};

use crate::bounds;
use crate::boxed::Boxed;
use crate::fixed_point::too_large;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

portolan_plugin_api::sol! {
    struct EscrowEntry { uint64 endTime; uint256 escrowAmount; uint256 entryID; }
    // What all entries hold together.
    function balanceOf(address account) external view returns (uint256);
    function numVestingEntries(address account) external view returns (uint256);
    // Those that were paid have no amount.
    function getVestingSchedules(address account, uint256 index, uint256 pageSize) external view
        returns (EscrowEntry[]);
    // Pays the sender; skips entries that are not over.
    function vest(uint256[] entryIDs) external;
}

/// Entries of an account that are read, the newest ones: a weekly one for ten years.
const ENTRIES_MAX: u64 = 520;
/// Entries of a page; the contract reads each of them from two others.
const PAGE: u64 = 65;
/// Entries that one claim pays, so that it fits into a block with much room left.
const VESTED_MAX: usize = 65;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewardEscrowKit {
    /// Mechanism of entries, and `type` of what they pay.
    pub escrow: &'static str,
}

/// One escrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RewardEscrow {
    escrow: Address,
    token: Address,
    types: RewardEscrowKit,
}

impl RewardEscrowKit {
    /// Keys of a row for an escrow in the manner of Synthetix':
    /// - `reward_escrow` (address): the escrow, which lists the entries of an account
    /// - `escrowed_token` (address): the token that it pays
    pub const KEYS: &'static [&'static str] = &["reward_escrow", "escrowed_token"];
}

impl Kit for RewardEscrowKit {
    fn keys(&self) -> &'static [&'static str] {
        &["reward_escrow"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(escrow) = keys.address_opt("reward_escrow")? else { return Ok(None) };
        Ok(Some(RewardEscrow { escrow, token: keys.address("escrowed_token")?, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<vestCall>([Role::array(Role::NUMBER)])]
    }
}

impl DeploymentReader for RewardEscrow {
    fn contracts(&self) -> Vec<Address> {
        vec![self.escrow]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns a claim of the entries that are over, or several where they are many.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let mut entries = self.entries(cx, labels, account).await?;
            entries.retain(|entry| is_over(cx, entry));
            let rows = entries.chunks(VESTED_MAX).map(|entries| self.vested(cx, labels, entries));
            rows.collect()
        })
    }

    /// Returns a position per entry that is not over.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let entries = self.entries(cx, labels, account).await?.into_iter();
            Ok(entries.filter(|entry| !is_over(cx, entry)).map(|entry| self.locked(labels, &entry)).collect())
        })
    }
}

impl RewardEscrow {
    /// Returns the entries of the account that hold something, the newest ones of its list.
    async fn entries(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<EscrowEntry>, Error> {
        if cx.call(self.escrow, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?.is_zero() {
            return Ok(Vec::new());
        }
        let count = cx.call(self.escrow, numVestingEntriesCall { account }).await?;
        let read = bounds::answered(cx, labels.market, count, "entries", ENTRIES_MAX);
        let first = count.saturating_sub(U256::from(read));
        let pages = (0..read).step_by(usize::try_from(PAGE).unwrap_or(usize::MAX)).map(|place| {
            let page_size = U256::from(PAGE.min(read.saturating_sub(place)));
            let index = first.saturating_add(U256::from(place));
            cx.call(self.escrow, getVestingSchedulesCall { account, index, pageSize: page_size })
        });
        let mut entries = cx.join(pages).await?.concat();
        entries.retain(|entry| !entry.escrowAmount.is_zero());
        Ok(entries)
    }

    fn vested(&self, cx: &JobContext, labels: Labels<'_>, entries: &[EscrowEntry]) -> Result<Claimable, Error> {
        let amounts = entries.iter().map(|entry| entry.escrowAmount);
        let sum = amounts.into_iter().try_fold(U256::ZERO, U256::checked_add).ok_or_else(too_large)?;
        let claim = cx.claim(self.escrow, &vestCall { entryIDs: entries.iter().map(|entry| entry.entryID).collect() });
        let row = Claimable::new(labels.market, self.escrow, claim).mechanism(self.types.escrow);
        // Several claims of an account differ by their first entry.
        let row = entries.first().into_iter().fold(row, |row, entry| row.numbered(entry.entryID));
        Ok(row.named(format!("{} vested", symbol(self.token))).pays(self.token, sum))
    }

    fn locked(&self, labels: Labels<'_>, entry: &EscrowEntry) -> Position {
        let row = Position::new(PositionKind::LOCKED, labels.market, self.escrow).mechanism(self.types.escrow);
        let row = row.named(format!("{} escrow", symbol(self.token))).numbered(entry.entryID);
        let row = row.leg(Leg::new(LegRole::LOCKED, self.token, entry.escrowAmount));
        Position { lock: Some(Lock { unlocks_at: Some(entry.endTime), is_permanent: Some(false) }), ..row }
    }
}

/// Returns true from the second of the entry's end on.
fn is_over(cx: &JobContext, entry: &EscrowEntry) -> bool {
    entry.endTime <= cx.block().timestamp
}
