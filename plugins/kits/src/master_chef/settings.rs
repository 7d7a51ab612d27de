//! Settings keys and claim templates. Keys: `kind`, `chef`, `pending`, `pending_returns`, `claim`, `reward_token`,
//! `getter`, `single_stake`, `funded`.

use std::sync::Arc;

use portolan_plugin_api::{ClaimTemplate, Keys, Role, SettingsError, U256};

use super::contracts::claims::{depositCall, harvestCall, leaveStakingCall, withdrawCall};
use super::{ClaimCall, Kind, MasterChef, MasterChefKit, PENDING, Returns};
use crate::kit::{DeploymentReader, Kit, Shared};

/// A value of the key `kind`: defaults of the copies of one chef, which other keys override.
#[derive(Clone, Copy, Debug)]
struct ChefKind {
    name: &'static str,
    kind: Kind,
    pending: &'static str,
    returns: Returns,
    claim: ClaimCall,
    /// `None` if named after the pending view.
    getter: Option<&'static str>,
    has_single_stake: bool,
    is_funded: bool,
}

/// Allowed values of the key `kind`. The rows of `farms`, `uniswap` and `bridges` link the later contracts.
const KINDS: [ChefKind; 10] = [
    ChefKind::new("master-chef-v1", Kind::V1, PENDING),
    ChefKind::new("master-chef-v2", Kind::V2, PENDING),
    ChefKind::new("mini-chef", Kind::Mini, PENDING),
    ChefKind::new("beets-chef", Kind::Beets, "pendingBeets"),
    // PancakeSwap's first chef.
    ChefKind { has_single_stake: true, ..ChefKind::new("cake-chef", Kind::V1, "pendingCake") },
    ChefKind::paying("joe-chef", Returns::Bonus, "joe"),
    ChefKind::paying("wombat-chef", Returns::Bonuses, "wom"),
    ChefKind::paying("alien-base-chef", Returns::Lists, "alb"),
    ChefKind::funded("stargate-chef", "pendingStargate", "stargate"),
    ChefKind::funded("stargate-time-chef", "pendingEmissionToken", "eToken"),
];

impl ChefKind {
    const fn new(name: &'static str, kind: Kind, pending: &'static str) -> Self {
        let (returns, claim) = (Returns::Amount, kind.claim());
        Self { name, kind, pending, returns, claim, getter: None, has_single_stake: false, is_funded: false }
    }

    /// A kind whose pending view returns everything it pays.
    const fn paying(name: &'static str, returns: Returns, getter: &'static str) -> Self {
        let (claim, getter) = (ClaimCall::Deposit, Some(getter));
        Self { returns, claim, getter, ..Self::new(name, Kind::V1, "pendingTokens") }
    }

    /// A kind that pays at most its balance.
    const fn funded(name: &'static str, pending: &'static str, getter: &'static str) -> Self {
        let (claim, getter) = (ClaimCall::Deposit, Some(getter));
        Self { claim, getter, is_funded: true, ..Self::new(name, Kind::V1, pending) }
    }

    fn read(keys: &Keys<'_>) -> Result<Self, SettingsError> {
        let name = keys.text("kind")?;
        let known = KINDS.into_iter().find(|kind| Some(kind.name) == name);
        known.ok_or_else(|| unknown("kind", name, &KINDS.map(|kind| format!("`{}`", kind.name)).join(", ")))
    }
}

impl MasterChefKit {
    /// Keys of a row for a chef:
    /// - `kind` (text): the contract that the chef is a copy of: `master-chef-v1`, `master-chef-v2`, `mini-chef` or
    ///   another one of the kinds in the README of the plugin `farms`, which has the values of the keys below that a
    ///   row omits
    /// - `chef` (address): the chef
    /// - `pending` (name of a view, optional): the view `(uint256 pid, address account)` that returns what is owed
    /// - `pending_returns` (`amount`, `bonus`, `bonuses` or `lists`, optional): the values that this view returns: the
    ///   amount; the amount with a bonus, its symbol and its amount; the amount with lists of bonuses; or lists of all
    ///   tokens, symbols, decimals and amounts
    /// - `claim` (`deposit`, `withdraw` or `harvest`, optional): the call that pays: `deposit(pid, 0)`,
    ///   `withdraw(pid, 0)` or `harvest(pid, account)`
    /// - `getter` (name of a view, optional): the view that returns the token that is paid; its name with `PerSecond`
    ///   is the view of the rate. If missing beside `pending`, it is named after that
    /// - `reward_token` (address, optional): the token that is paid, if no view of the chef returns it
    /// - `single_stake` (boolean, optional): true if pool 0 is claimed with `leaveStaking(0)`
    /// - `funded` (boolean, optional): true if the chef pays from what it was given before, and at most its balance
    pub const KEYS: &'static [&'static str] =
        &["kind", "chef", "pending", "pending_returns", "claim", "getter", "reward_token", "single_stake", "funded"];
}

impl Kit for MasterChefKit {
    fn keys(&self) -> &'static [&'static str] {
        &["kind", "chef"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let of = ChefKind::read(keys)?;
        let claim = match keys.text("claim")? {
            None => of.claim,
            Some("deposit") => ClaimCall::Deposit,
            Some("withdraw") => ClaimCall::Withdraw,
            Some("harvest") => ClaimCall::Harvest,
            other => return Err(unknown("claim", other, "`deposit`, `withdraw` or `harvest`")),
        };
        let returns = match keys.text("pending_returns")? {
            None => of.returns,
            Some("amount") => Returns::Amount,
            Some("bonus") => Returns::Bonus,
            Some("bonuses") => Returns::Bonuses,
            Some("lists") => Returns::Lists,
            other => return Err(unknown("pending_returns", other, "`amount`, `bonus`, `bonuses` or `lists`")),
        };
        let pending = keys.function("pending")?;
        // A fork that renamed the view named the getter after it, or sets `getter`.
        let getter = keys.function("getter")?.or(of.getter.filter(|_| pending.is_none()));
        let chef = MasterChef {
            chef: keys.address("chef")?,
            kind: of.kind,
            pending: pending.unwrap_or(of.pending).to_owned(),
            returns,
            claim,
            reward_token: keys.address_opt("reward_token")?,
            getter: getter.map(|getter| getter.to_owned()),
            has_single_stake: keys.value("single_stake")?.unwrap_or(of.has_single_stake),
            is_funded: keys.value("funded")?.unwrap_or(of.is_funded),
            vault_type: self.vault_type(of.kind),
        };
        Ok(Some(chef.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let nothing = || Role::constant(&U256::ZERO);
        vec![
            ClaimTemplate::new::<depositCall>([Role::NUMBER, nothing()]),
            ClaimTemplate::new::<withdrawCall>([Role::NUMBER, nothing()]),
            ClaimTemplate::new::<harvestCall>([Role::NUMBER, Role::ACCOUNT]),
            ClaimTemplate::new::<leaveStakingCall>([nothing()]),
        ]
    }
}

fn unknown(key: &str, value: Option<&str>, known: &str) -> SettingsError {
    let what = value.map_or_else(|| "missing".to_owned(), |value| format!("{value:?} is unknown"));
    SettingsError::new(format!("{what}; give {known}")).at(key)
}
