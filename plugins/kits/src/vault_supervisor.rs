//! Restaked tokens in vaults of one token each, whose shares a supervisor counts, like Karak's `VaultSupervisor` of the
//! first version.
//!
//! A deployment is the supervisor; settings key `vault_supervisor`. Answers a farming position per vault, withdrawals that
//! wait as locked positions with their end, and the others as claims. Invariant: amounts are what the shares are worth in
//! their vaults. Shares that leave are no longer among the deposits, so no sum counts them twice.
//!
//! Source: <https://github.com/karak-network/v1-contracts-public/tree/main/src>

mod withdrawals;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Position, PositionKind,
    Question, Role, SettingsError, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use withdrawals::finishWithdrawCall;

portolan_plugin_api::sol! {
    function getDeposits(address staker) external view
        returns (address[] vaults, address[] tokens, uint256[] assets, uint256[] shares);
    function getVaults() external view returns (address[]);
    function delegationSupervisor() external view returns (address);
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VaultSupervisorKit {
    /// Mechanism of positions, and `type` of claims.
    pub restake: &'static str,
}

/// Vaults of one supervisor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct VaultSupervisor {
    supervisor: Address,
    types: VaultSupervisorKit,
}

impl VaultSupervisorKit {
    /// Keys of a row for restaked tokens, as Karak's of the first version:
    /// - `vault_supervisor` (address): the contract that counts the shares of all vaults
    pub const KEYS: &'static [&'static str] = &["vault_supervisor"];
}

impl Kit for VaultSupervisorKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let supervisor = keys.address_opt("vault_supervisor")?;
        Ok(supervisor.map(|supervisor| VaultSupervisor { supervisor, types: *self }.shared()))
    }

    /// Returns the template of withdrawals from an operator, and that of withdrawals from none.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let template = |operator| {
            let request = Role::tuple([Role::array(Role::MARKET), Role::array(Role::NUMBER), Role::ACCOUNT]);
            let withdrawal = Role::tuple([Role::ACCOUNT, operator, Role::NUMBER, Role::NUMBER, request]);
            ClaimTemplate::new::<finishWithdrawCall>([Role::array(withdrawal)])
        };
        vec![template(Role::DELEGATE), template(Role::constant(&Address::ZERO))]
    }

    /// Returns the view that gives the queue of withdrawals, and the one that lists the vaults.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<delegationSupervisorCall>(), Lineage::markets::<getVaultsCall>().list()]
    }
}

impl DeploymentReader for VaultSupervisor {
    fn contracts(&self) -> Vec<Address> {
        vec![self.supervisor]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LOCKED]
    }

    /// Returns a claim per withdrawal that can be finished.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(withdrawals::claimables(cx, self, labels, account))
    }

    /// Returns a position per vault, or the waiting withdrawals.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            if question == Question::LOCKED {
                return withdrawals::positions(cx, self, labels, account).await;
            }
            self.deposits(cx, labels, account).await
        })
    }
}

impl VaultSupervisor {
    async fn deposits(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Position>, Error> {
        let held = cx.call(self.supervisor, getDepositsCall { staker: account }).await?;
        if held.vaults.len() != held.tokens.len() || held.vaults.len() != held.assets.len() {
            return Err(Error::new(format!("{}: not a token and an amount for each vault", self.supervisor)));
        }
        let rows = held.vaults.into_iter().zip(held.tokens).zip(held.assets).filter(|(_, amount)| !amount.is_zero());
        Ok(rows
            .map(|((vault, token), amount)| {
                let row = Position::new(PositionKind::STAKED, labels.market, vault).mechanism(self.types.restake);
                let row = row.named(format!("{} {}", labels.title, symbol(token)));
                row.leg(Leg::new(LegRole::STAKED, token, amount))
            })
            .collect())
    }
}
