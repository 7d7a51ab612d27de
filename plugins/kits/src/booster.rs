//! Convex and its forks: a booster stakes deposits of its pools, and a reward contract per pool pays for them.
//!
//! Settings keys are `booster`, and `minting` for the token minted beside rewards: `convex` if missing, `aura`,
//! `aura-v1` or `aura-lite`. Answers claimables and staked positions of the pools, and of the stake that `lockRewards`
//! pays. Also covers replaced boosters, which pay what they owe and mint nothing. Invariant: a failing pool loses only
//! its own rows, and the answer reports it. A claim calls a reward contract only if the booster names it at the
//! answer's block; its amounts assume that it is the next one sent.

mod cliff_search;
mod contracts;
mod emission;
mod pools;
mod rewards;
mod rows;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, JobContext, Keys, Lineage, Position, Question, Role, SettingsError,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use contracts::{getRewardCall, lockRewardsCall, poolInfoCall};
pub use emission::Minting;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoosterKit {
    /// `type` of rewards and `vaultType` of stakes in the answer.
    pub pool: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booster {
    booster: Address,
    minting: Minting,
    types: BoosterKit,
}

impl BoosterKit {
    /// Keys of a row for the pools of a booster like Convex's or Aura's:
    /// - `booster` (address): the booster
    /// - `minting` (`convex`, `aura`, `aura-v1` or `aura-lite`, optional): the rule of the token that is minted beside
    ///   rewards; `convex` if missing
    pub const KEYS: &'static [&'static str] = &["booster", "minting"];

    /// Creates a deployment of a booster's pools.
    fn of(self, booster: Address, minting: Minting) -> Booster {
        Booster { booster, minting, types: self }
    }
}

impl Kit for BoosterKit {
    fn keys(&self) -> &'static [&'static str] {
        &["booster", "minting"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let minting = match keys.text("minting")? {
            None | Some("convex") => Minting::Convex,
            Some("aura") => Minting::Aura,
            Some("aura-v1") => Minting::AuraV1,
            Some("aura-lite") => Minting::AuraLite,
            Some(other) => {
                let why = format!("{other:?} is unknown; give `convex`, `aura`, `aura-v1` or `aura-lite`");
                return Err(SettingsError::new(why).at("minting"));
            }
        };
        Ok(Some(self.of(keys.address("booster")?, minting).shared()))
    }

    /// The flag also claims extra rewards. Whoever sends the call, it pays the account that it names.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([Role::ACCOUNT, Role::constant(&true)]).by_anyone()]
    }

    /// Returns the views that give the reward contracts of pools, and of stakes of the locked token.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<poolInfoCall>().at(3), Lineage::targets::<lockRewardsCall>()]
    }
}

impl DeploymentReader for Booster {
    fn contracts(&self) -> Vec<Address> {
        vec![self.booster]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns a claim per pool with rewards, which pays all of its tokens.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(rows::claimables(cx, self, labels, account))
    }

    /// Returns a position per pool with a stake.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(rows::positions(cx, self, labels, account))
    }
}
