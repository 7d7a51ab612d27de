//! The keys of a settings row, and the claims of the catalogue: `kind`, `chef`, `pending`, `pending_returns`, `claim`,
//! `reward_token`, `getter`, `single_stake`, `funded`.

use std::borrow::Cow;
use std::sync::Arc;

use portolan_plugin_api::{ClaimTemplate, Keys, Role, SettingsError, U256};

use super::contracts::claims::{depositCall, harvestCall, leaveStakingCall, withdrawCall};
use super::{ClaimCall, Kind, MasterChef, MasterChefs, PENDING, Returns};
use crate::kit::{Deployed, Kit};

/// What the key `kind` may be.
const KINDS: &str = "`master-chef-v1`, `master-chef-v2`, `mini-chef` or `beets-chef`";

impl Kit for MasterChefs {
    fn keys(&self) -> &'static [&'static str] {
        &["kind", "chef"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError> {
        let kind = match keys.text("kind")? {
            Some("master-chef-v1") => Kind::V1,
            Some("master-chef-v2") => Kind::V2,
            Some("mini-chef") => Kind::Mini,
            Some("beets-chef") => Kind::Beets,
            other => return Err(unknown("kind", other, KINDS)),
        };
        let claim = match keys.text("claim")? {
            None => kind.claim(),
            Some("deposit") => ClaimCall::Deposit,
            Some("withdraw") => ClaimCall::Withdraw,
            Some("harvest") => ClaimCall::Harvest,
            other => return Err(unknown("claim", other, "`deposit`, `withdraw` or `harvest`")),
        };
        let returns = match keys.text("pending_returns")? {
            None | Some("amount") => Returns::Amount,
            Some("bonus") => Returns::Bonus,
            Some("bonuses") => Returns::Bonuses,
            Some("lists") => Returns::Lists,
            other => return Err(unknown("pending_returns", other, "`amount`, `bonus`, `bonuses` or `lists`")),
        };
        let pending = keys.function("pending")?.unwrap_or(PENDING);
        let chef = MasterChef {
            chef: keys.address("chef")?,
            kind,
            pending: Cow::Owned(pending.to_owned()),
            returns,
            claim,
            reward_token: keys.address_opt("reward_token")?,
            getter: keys.function("getter")?.map(|getter| Cow::Owned(getter.to_owned())),
            has_single_stake: keys.flag("single_stake")?,
            is_funded: keys.flag("funded")?,
            vault_type: self.vault_type(kind),
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
