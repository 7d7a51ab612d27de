//! Convex and its forks: a booster stakes what its pools are given, and a reward contract of each pool pays for it.
//!
//! Settings keys are `booster`, and `minting` for the token that is minted beside rewards: `convex` if missing, `aura`,
//! `aura-v1` or `aura-lite`. It answers claimables and staked positions, of the pools and of the stake that `lockRewards`
//! pays; also of a booster that another one has replaced, which pays what it owes and mints nothing.
//! Invariant: a pool that misbehaves costs its own rows, and the answer says so; a claim goes to a reward contract only as
//! the booster names it at the answer's block, and pays what it pays where it is the next one that is sent.

mod cliff_search;
mod contracts;
mod emission;
mod pools;
mod rewards;
mod rows;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Chain, ClaimTemplate, Claimable, Keys, Lineage, Position, Question, Role, SettingsError,
};

use crate::boxed::Boxed;
use crate::kit::{Deployed, Kit, Labels, ZERO_STANDS_S};
use contracts::{getRewardCall, lockRewardsCall, poolInfoCall};
pub use emission::Minting;

/// The plugin's words for what a deployment answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoosterTypes {
    /// The answer's `type` of rewards, and `vaultType` of stakes.
    pub pool: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Booster {
    booster: Address,
    minting: Minting,
    types: BoosterTypes,
}

impl BoosterTypes {
    /// The pools of this booster.
    pub const fn of(self, booster: Address, minting: Minting) -> Booster {
        Booster { booster, minting, types: self }
    }
}

impl Kit for BoosterTypes {
    fn keys(&self) -> &'static [&'static str] {
        &["booster", "minting"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError> {
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

    /// The flag says that extra rewards are paid too. Whoever sends the call, it pays the account that it names.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([Role::ACCOUNT, Role::constant(&true)]).by_anyone()]
    }

    /// The reward contract of a pool, and that of the stakes of the locked token.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<poolInfoCall>().at(3), Lineage::targets::<lockRewardsCall>()]
    }
}

impl Deployed for Booster {
    fn shared(&self) -> Arc<dyn Deployed> {
        Arc::new(*self)
    }

    fn contracts(&self) -> Vec<Address> {
        vec![self.booster]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Answers what is owed in each pool: a claim for each, which pays all of its tokens.
    fn claimables<'a>(&'a self, cx: &'a Chain, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(rows::claimables(cx, self, labels, account))
    }

    /// Answers what the account has staked: a position for each pool.
    fn positions<'a>(
        &'a self,
        cx: &'a Chain,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(rows::positions(cx, self, labels, account))
    }
}
