//! Compound v2 and its forks: a comptroller with many markets, which each lend one token and count deposits in their
//! own token.
//!
//! A deployment is a comptroller. Settings keys `comptroller`, `native_market`, `minted` and `minted_token`, and for
//! rewards `rewards`, `reward_tokens` and `by_second`, or `distributor`. Answers claimables and lending positions
//! (debts with their health factor). Invariant: amounts include interest until the block. A market that cannot be read
//! loses only its own leg, and the answer reports it.

mod contracts;
mod market;
mod position;
mod rewards;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, JobContext, Keys, Lineage, Position, Question, Role, SettingsError,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use contracts::{
    claimCompCall, claimReward_0Call as claimRewardCall, claimReward_1Call as claimTypedRewardCall,
    claimRewardTokenCall, claimVenusCall, getAllMarketsCall, getRewardDistributorsCall,
};

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompoundV2Kit {
    /// Mechanism of positions.
    pub market: &'static str,
    /// `type` of rewards.
    pub reward: &'static str,
}

/// Contracts of a deployment: the keys of its settings row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompoundV2Contracts {
    /// Comptroller.
    pub comptroller: Address,
    /// Market of the native token, which has no `underlying`.
    pub native_market: Option<Address>,
    /// Token that accounts owe outside of markets, as minted by Venus.
    pub minted: Option<Minted>,
    /// Rewards of suppliers and borrowers.
    pub rewards: CompoundV2Rewards,
}

/// A token minted against collateral.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Minted {
    /// Its controller, which returns the amount to repay.
    pub controller: Address,
    /// Token, which the comptroller values at one dollar.
    pub token: Address,
}

/// Rewards of suppliers and borrowers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompoundV2Rewards {
    /// No rewards.
    None,
    /// The comptroller itself, with an index per market and token.
    Indexed {
        /// Names of its views.
        views: IndexViews,
        /// Reward tokens: one, or by the number of their type. If empty, the comptroller names them.
        tokens: Vec<Address>,
        /// True if the indexes grow per second, false if per block.
        by_second: bool,
    },
    /// Distributors that the comptroller lists, with one token each: Venus' pools.
    Listed,
    /// Moonwell's distributor, which has a view of what it owes.
    Distributor(Address),
}

/// Names of a comptroller's index views, and its claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexViews {
    /// `compAccrued`, `claimComp`: Compound.
    Comp,
    /// `venusAccrued`, `claimVenus`: Venus.
    Venus,
    /// `rewardAccrued` with a type, `claimReward`: Benqi.
    Typed,
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompoundV2 {
    contracts: CompoundV2Contracts,
    types: CompoundV2Kit,
}

impl CompoundV2Kit {
    /// Keys of a row for a comptroller of Compound v2 or of a fork:
    /// - `comptroller` (address): the comptroller
    /// - `native_market` (address, optional): the market of the native token, which has no `underlying`
    /// - `minted`, `minted_token` (two addresses, optional): a controller with `getVAIRepayAmount`, and the token that
    ///   is owed to it
    /// - `rewards` (`comp`, `venus`, `typed` or `listed`, optional): the names of the comptroller's views of indexes,
    ///   and its claim; `listed` are the distributors that it lists, as of Venus' pools
    /// - `reward_tokens` (array of addresses, optional, not of `listed`): the token that is paid; of `typed`, one for
    ///   each type from 0, the zero address for the native token. If missing, the comptroller names it:
    ///   `getCompAddress` of `comp`, `getXVSAddress` of `venus`, and of `typed` `qiAddress` for type 0 and the native
    ///   token for type 1
    /// - `by_second` (boolean, optional): true if the indexes grow per second, false if per block; true for `typed` if
    ///   missing, else false
    /// - `distributor` (address, instead of `rewards`): a distributor with `getOutstandingRewardsForUser`
    pub const KEYS: &'static [&'static str] = &[
        "comptroller",
        "native_market",
        "minted",
        "minted_token",
        "rewards",
        "reward_tokens",
        "by_second",
        "distributor",
    ];

    /// Creates a deployment of these contracts.
    fn of(self, contracts: CompoundV2Contracts) -> CompoundV2 {
        CompoundV2 { contracts, types: self }
    }
}

impl Kit for CompoundV2Kit {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(comptroller) = keys.address_opt("comptroller")? else { return Ok(None) };
        let minted = match (keys.address_opt("minted")?, keys.address_opt("minted_token")?) {
            (None, None) => None,
            (Some(controller), Some(token)) => Some(Minted { controller, token }),
            _ => return Err(SettingsError::new("has one of `minted` and `minted_token` alone").at("minted")),
        };
        let native_market = keys.address_opt("native_market")?;
        let contracts = CompoundV2Contracts { comptroller, native_market, minted, rewards: rewards(keys)? };
        Ok(Some(self.of(contracts).shared()))
    }

    /// The comptroller or the distributor pays the holder in the call.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let markets = || Role::array(Role::MARKET);
        vec![
            ClaimTemplate::new::<claimCompCall>([Role::ACCOUNT, markets()]),
            ClaimTemplate::new::<claimVenusCall>([Role::ACCOUNT, markets()]),
            ClaimTemplate::new::<claimTypedRewardCall>([Role::NUMBER, Role::ACCOUNT]),
            ClaimTemplate::new::<claimRewardCall>([Role::ACCOUNT]),
            ClaimTemplate::new::<claimRewardTokenCall>([Role::ACCOUNT, markets()]),
        ]
    }

    /// Claims name markets that the comptroller lists, and call it or a distributor that it lists.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<getAllMarketsCall>().list(), Lineage::targets::<getRewardDistributorsCall>().list()]
    }
}

fn rewards(keys: &Keys<'_>) -> Result<CompoundV2Rewards, SettingsError> {
    let views = match keys.text("rewards")? {
        None => {
            let distributor = keys.address_opt("distributor")?;
            return Ok(distributor.map_or(CompoundV2Rewards::None, CompoundV2Rewards::Distributor));
        }
        Some("comp") => IndexViews::Comp,
        Some("venus") => IndexViews::Venus,
        Some("typed") => IndexViews::Typed,
        Some("listed") => return Ok(CompoundV2Rewards::Listed),
        Some(other) => {
            let why = format!("{other:?} is unknown; give `comp`, `venus`, `typed` or `listed`");
            return Err(SettingsError::new(why).at("rewards"));
        }
    };
    let tokens = keys.addresses("reward_tokens")?;
    if views != IndexViews::Typed && tokens.len() > 1 {
        let why = format!("has {} tokens; give one, or for `typed` one of each type", tokens.len());
        return Err(SettingsError::new(why).at("reward_tokens"));
    }
    let by_second = keys.value("by_second")?.unwrap_or(views == IndexViews::Typed);
    Ok(CompoundV2Rewards::Indexed { views, tokens, by_second })
}

impl DeploymentReader for CompoundV2 {
    fn contracts(&self) -> Vec<Address> {
        let distributor = match self.contracts.rewards {
            CompoundV2Rewards::Distributor(distributor) => Some(distributor),
            _ => None,
        };
        let minted = self.contracts.minted.map(|minted| minted.controller);
        [Some(self.contracts.comptroller), minted, distributor].into_iter().flatten().collect()
    }

    fn questions(&self) -> Vec<Question> {
        let claimables = (self.contracts.rewards != CompoundV2Rewards::None).then_some(Question::CLAIMABLES);
        claimables.into_iter().chain([Question::LENDING]).collect()
    }

    /// Returns a row per claim with rewards of suppliers and borrowers.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(rewards::claimables(cx, self, labels, account))
    }

    /// Returns the account's position in all markets of the comptroller.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(position::positions(cx, self, labels, account))
    }
}
