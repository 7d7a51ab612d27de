//! Vesters of GMX v1 and its forks: deposits of an escrowed token become the real token, evenly over time.
//!
//! A deployment is one vester; settings key `vester`. Answers claimables, and a locked position of what has yet to
//! vest, with its end. Invariant: claimable amounts are what the vester's own claim returns. Tokens reserved during
//! vesting are still staked in their tracker, and shown there.
//!
//! Source: <https://github.com/gmx-io/gmx-contracts/blob/master/contracts/staking/Vester.sol>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Part, Position, PositionKind,
    Question, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

portolan_plugin_api::sol! {
    function esToken() external view returns (address);
    function claimableToken() external view returns (address);
    function vestingDuration() external view returns (uint256);
    // Deposit, less what had vested at the account's last change.
    function balanceOf(address account) external view returns (uint256);
    // Amount vested by then, and how much of it was claimed.
    function cumulativeClaimAmounts(address account) external view returns (uint256);
    function claimedAmounts(address account) external view returns (uint256);
    function lastVestingTimes(address account) external view returns (uint256);
    function claimable(address account) external view returns (uint256);
    // Pays the sender, and returns the amount.
    function claim() external returns (uint256);
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VesterKit {
    /// Mechanism of vesting, and `type` of its claims.
    pub vester: &'static str,
}

/// One vester.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vester {
    vester: Address,
    types: VesterKit,
}

/// Vesting of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Vesting {
    /// Amount yet to vest at the answer's block.
    left: U256,
    /// Time at which all has vested.
    ends_at: U256,
}

impl VesterKit {
    /// Keys of a row for a vester of GMX v1 or of a fork:
    /// - `vester` (address): the contract in which an escrowed token vests
    pub const KEYS: &'static [&'static str] = &["vester"];

    /// Creates a deployment of the vester at this address.
    fn of(self, vester: Address) -> Vester {
        Vester { vester, types: self }
    }
}

impl Kit for VesterKit {
    fn keys(&self) -> &'static [&'static str] {
        &["vester"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("vester")?.map(|vester| self.of(vester).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimCall>([])]
    }
}

impl DeploymentReader for Vester {
    fn contracts(&self) -> Vec<Address> {
        vec![self.vester]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns the claim of what has vested.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let counted = cx.call(self.vester, claimableCall { account }).zero_within(ZERO_STANDS_S).await?;
            if counted.is_zero() {
                return Ok(Vec::new());
            }
            let owed = cx.call(self.vester, claimCall {}).from(account).isolated();
            let (owed, token) = cx.join((owed, cx.call(self.vester, claimableTokenCall {}).immutable())).await?;
            let row = Claimable::new(labels.market, self.vester, cx.claim(self.vester, &claimCall {}));
            let row = row.mechanism(self.types.vester).pays(token, owed);
            Ok(if owed.is_zero() { Vec::new() } else { vec![row.named(format!("{} vested", symbol(token)))] })
        })
    }

    /// Returns the position of what has yet to vest.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let balance = cx.call(self.vester, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
            if balance.is_zero() {
                return Ok(Vec::new());
            }
            let escrowed = cx.call(self.vester, esTokenCall {}).immutable();
            let becomes = cx.call(self.vester, claimableTokenCall {}).immutable();
            let (escrowed, becomes, vesting) = cx.join((escrowed, becomes, self.vesting(cx, balance, account))).await?;
            if vesting.left.is_zero() {
                return Ok(Vec::new());
            }
            let parts = Some(vec![Part { token: becomes, amount: vesting.left }]);
            let leg = Leg { redeems_to: parts, ..Leg::new(LegRole::VESTING, escrowed, vesting.left) };
            let lock = Lock { unlocks_at: u64::try_from(vesting.ends_at).ok(), is_permanent: Some(false) };
            let position =
                Position::new(PositionKind::VESTING, labels.market, self.vester).mechanism(self.types.vester);
            let position = position.named(format!("{} vesting", symbol(escrowed))).leg(leg);
            Ok(vec![Position { lock: Some(lock), ..position }])
        })
    }
}

impl Vester {
    /// Returns the rest of the account's last stored balance, which vests evenly since then.
    async fn vesting(&self, cx: &JobContext, balance: U256, account: Address) -> Result<Vesting, Error> {
        let duration = cx.call(self.vester, vestingDurationCall {}).immutable();
        let vested = cx.call(self.vester, cumulativeClaimAmountsCall { account });
        let claimed = cx.call(self.vester, claimedAmountsCall { account });
        let since = cx.call(self.vester, lastVestingTimesCall { account });
        let claimable = cx.call(self.vester, claimableCall { account });
        let (duration, vested, claimed, since, claimable) =
            cx.join((duration, vested, claimed, since, claimable)).await?;
        let wrong = || Error::new(format!("{}: its amounts contradict each other", self.vester));
        // Vested since then, and still part of the balance.
        let next = vested.checked_sub(claimed).and_then(|before| claimable.checked_sub(before)).ok_or_else(wrong)?;
        let left = balance.checked_sub(next).ok_or_else(wrong)?;
        let total = balance.checked_add(vested).ok_or_else(wrong)?;
        let takes = balance.checked_mul(duration).ok_or_else(wrong)?.div_ceil(total);
        Ok(Vesting { left, ends_at: since.saturating_add(takes) })
    }
}
