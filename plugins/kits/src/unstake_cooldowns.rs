//! Cooldowns of vaults whose shares leave in two steps, like Ethena's `StakedUSDeV2`: what an account has taken out
//! waits in a silo, and is paid after that.
//!
//! A deployment is a list of vaults; settings key `cooldown_vaults`. Answers claimables, and locked positions of what
//! waits. Invariant: what waits is a position and what is over is a claim, so no sum counts it twice. An account has one
//! cooldown per vault: taking out more renews its end. A vault that cannot be read loses only its own rows, and the
//! answer reports it.
//!
//! Source: <https://github.com/ethena-labs/bbp-public-assets/blob/main/contracts/contracts/StakedUSDeV2.sol>.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    Role, SettingsError, SolCall as _, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::{join_partial, with_each};

portolan_plugin_api::sol! {
    function asset() external view returns (address);
    function cooldowns(address account) external view returns (uint104 cooldownEnd, uint152 underlyingAmount);
    // Zero lets everything out at once, also what is in a cooldown.
    function cooldownDuration() external view returns (uint24);
    function unstake(address receiver) external;
}

/// Cache time of the duration, in seconds; the vault's owner may change it.
const DURATION_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnstakeCooldownsKit {
    /// Mechanism of what waits, and `type` of its claims.
    pub cooldown: &'static str,
}

/// Vaults of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnstakeCooldowns {
    vaults: Vec<Address>,
    types: UnstakeCooldownsKit,
}

/// An account's cooldown in a vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cooldown {
    vault: Address,
    token: Address,
    amount: U256,
    /// `None` if it is over.
    until: Option<u64>,
}

impl UnstakeCooldownsKit {
    /// Keys of a row for vaults whose shares leave by a cooldown, as Ethena's:
    /// - `cooldown_vaults` (array of addresses): the vaults
    pub const KEYS: &'static [&'static str] = &["cooldown_vaults"];
}

impl Kit for UnstakeCooldownsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["cooldown_vaults"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let vaults = keys.addresses("cooldown_vaults")?;
        Ok((!vaults.is_empty()).then(|| UnstakeCooldowns { vaults, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<unstakeCall>([Role::ACCOUNT])]
    }
}

impl DeploymentReader for UnstakeCooldowns {
    fn contracts(&self) -> Vec<Address> {
        self.vaults.clone()
    }

    fn bound_claims(&self) -> Vec<(&'static str, Vec<Address>)> {
        vec![(unstakeCall::SIGNATURE, self.vaults.clone())]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns a claim per cooldown that is over.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let over = self.cooldowns(cx, labels, account).await?.into_iter().filter(|found| found.until.is_none());
            let row = |found: Cooldown| {
                let claim = cx.claim(found.vault, &unstakeCall { receiver: account });
                let row = Claimable::new(labels.market, found.vault, claim).mechanism(self.types.cooldown);
                row.named(found.name()).pays(found.token, found.amount)
            };
            Ok(over.map(row).collect())
        })
    }

    /// Returns a position per cooldown that is not over.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let waiting = self.cooldowns(cx, labels, account).await?.into_iter().filter(|found| found.until.is_some());
            let row = |found: Cooldown| {
                let row = Position::new(PositionKind::LOCKED, labels.market, found.vault);
                let row = row.mechanism(self.types.cooldown).named(found.name());
                let row = row.leg(Leg::new(LegRole::LOCKED, found.token, found.amount));
                Position { lock: Some(Lock { unlocks_at: found.until, is_permanent: Some(false) }), ..row }
            };
            Ok(waiting.map(row).collect())
        })
    }
}

impl UnstakeCooldowns {
    /// Returns the account's cooldowns.
    async fn cooldowns(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Cooldown>, Error> {
        let vaults = self.vaults.clone();
        let read = cx.call_each(vaults.iter().map(|vault| (*vault, cooldownsCall { account })));
        let read = with_each(vaults, read.zero_within(ZERO_STANDS_S)).await.or_none_where_gone(cx, labels.market)?;
        let found = read.into_iter().filter(|(_, found)| !found.underlyingAmount.is_zero());
        let found = found.map(async |(vault, found)| {
            let token = cx.call(vault, assetCall {}).immutable();
            let duration = cx.call(vault, cooldownDurationCall {}).within(DURATION_STANDS_S);
            let (token, duration) = cx.join((token, duration)).await?;
            let end = u64::try_from(found.cooldownEnd).unwrap_or(u64::MAX);
            let is_over = duration.is_zero() || end <= cx.block().timestamp;
            let amount = U256::from(found.underlyingAmount);
            Ok(Cooldown { vault, token, amount, until: (!is_over).then_some(end) })
        });
        Ok(join_partial(cx, found).await.or_report(cx, labels.market))
    }
}

impl Cooldown {
    fn name(&self) -> String {
        format!("{} cooldown", symbol(self.vault))
    }
}
