//! Withdrawals from vaults of the first generation: each belongs to an epoch, waits until that is over, and is claimed
//! once.

use portolan_plugin_api::{
    Address, Claimable, Error, JobContext, Leg, LegRole, Lock, Position, PositionKind, U256, symbol,
};

use super::{RestakingVaultsKit, collateralCall};
use crate::kit::Labels;
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    // Vault.sol: what is left of a withdrawal after slashing, also once it was claimed.
    function withdrawalsOf(uint256 epoch, address account) external view returns (uint256);
    // What an account has with what waits.
    function slashableBalanceOf(address account) external view returns (uint256);
    function isWithdrawalsClaimed(uint256 epoch, address account) external view returns (bool);
    function claim(address recipient, uint256 epoch) external returns (uint256);
}

/// How many epochs that are over are looked at, the last ones; an epoch mostly takes a week or two.
const EPOCHS_MAX: u64 = 4;

/// The epochs of a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VaultEpochs {
    start_s: u64,
    duration_s: u64,
    /// The epoch that runs.
    current: u64,
}

/// A withdrawal of an account.
#[derive(Clone, Copy, Debug)]
struct Withdrawal {
    vault: Address,
    epoch: u64,
    /// The second in which it can be claimed; `None` if no clock reaches that.
    end_s: Option<u64>,
}

impl VaultEpochs {
    /// Returns the epochs of a vault at a time; `None` if the vault has none that can be.
    pub(super) fn at(now_s: u64, start_s: Option<u64>, duration_s: Option<u64>) -> Option<Self> {
        let (start_s, duration_s) = (start_s?, duration_s?);
        let current = now_s.checked_sub(start_s)?.checked_div(duration_s)?;
        Some(Self { start_s, duration_s, current })
    }

    /// Returns the withdrawals that wait: those of this epoch, and those that were made in it.
    fn waiting(self, vault: Address) -> impl Iterator<Item = Withdrawal> {
        [self.current, self.current.saturating_add(1)].into_iter().map(move |epoch| self.withdrawal(vault, epoch))
    }

    /// Returns the withdrawals that are over.
    fn over(self, vault: Address) -> impl Iterator<Item = Withdrawal> {
        let first = self.current.saturating_sub(EPOCHS_MAX);
        (first..self.current).map(move |epoch| self.withdrawal(vault, epoch))
    }

    fn withdrawal(self, vault: Address, epoch: u64) -> Withdrawal {
        let passed = epoch.checked_add(1).and_then(|epochs| epochs.checked_mul(self.duration_s));
        Withdrawal { vault, epoch, end_s: passed.and_then(|passed| self.start_s.checked_add(passed)) }
    }
}

/// Returns a claim per epoch that is over and was not claimed.
pub(super) async fn claimables(
    cx: &JobContext,
    types: RestakingVaultsKit,
    labels: Labels<'_>,
    vaults: Vec<(Address, VaultEpochs)>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let over = vaults.into_iter().flat_map(|(vault, epochs)| epochs.over(vault)).collect();
    let found = amounts(cx, labels, over, account).await?.into_iter();
    let rows = found.map(async |(Withdrawal { vault, epoch, .. }, amount)| {
        let epoch = U256::from(epoch);
        let claimed = cx.call(vault, isWithdrawalsClaimedCall { epoch, account });
        let (claimed, token) = cx.join((claimed, cx.call(vault, collateralCall {}).immutable())).await?;
        let claim = cx.claim(vault, &claimCall { recipient: account, epoch });
        let row = Claimable::new(labels.market, vault, claim).mechanism(types.vault).numbered(epoch);
        Ok((!claimed).then(|| row.named(format!("{} withdrawal", symbol(token))).pays(token, amount)))
    });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
}

/// Returns a locked position per epoch that is not over.
pub(super) async fn waiting(
    cx: &JobContext,
    types: RestakingVaultsKit,
    labels: Labels<'_>,
    vaults: Vec<(Address, VaultEpochs)>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    // One read for a vault in which the account has nothing.
    let vaults = read_nonzero(cx, labels.market, vaults, |(vault, _)| (*vault, slashableBalanceOfCall { account }));
    let waiting = vaults.await?.into_iter().flat_map(|((vault, epochs), _)| epochs.waiting(vault)).collect();
    let found = amounts(cx, labels, waiting, account).await?.into_iter();
    let rows = found.map(async |(Withdrawal { vault, epoch, end_s }, amount)| {
        let token = cx.call(vault, collateralCall {}).immutable().await?;
        let row = Position::new(PositionKind::LOCKED, labels.market, vault).mechanism(types.vault);
        let row = row.named(format!("{} withdrawal", symbol(token))).numbered(U256::from(epoch));
        let row = row.leg(Leg::new(LegRole::LOCKED, token, amount));
        Ok(Position { lock: Some(Lock { unlocks_at: end_s, is_permanent: Some(false) }), ..row })
    });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns the withdrawals that the account has made, with what is left of them.
async fn amounts(
    cx: &JobContext,
    labels: Labels<'_>,
    withdrawals: Vec<Withdrawal>,
    account: Address,
) -> Result<Vec<(Withdrawal, U256)>, Error> {
    let call = |of: &Withdrawal| (of.vault, withdrawalsOfCall { epoch: U256::from(of.epoch), account });
    read_nonzero(cx, labels.market, withdrawals, call).await
}
