//! Silo v2: pairs of silos, which each lend one token against deposits in the other. A deposit is either lent or, as
//! protected collateral, not.
//!
//! A deployment is a list of pairs, each by its `SiloConfig`, since anyone can create one with any code; the settings
//! key is `silo_configs`. Answers a lending position per pair (debts with their health factor). Invariant: amounts
//! include interest until the block. A pair or a part of it that cannot be read loses only its own row, and the answer
//! reports it.

mod contracts;
mod pair;
mod position;

use std::sync::Arc;

use portolan_plugin_api::{Address, JobContext, Keys, Position, Question, SettingsError};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SiloKit {
    /// Mechanism of positions.
    pub pair: &'static str,
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Silos {
    configs: Vec<Address>,
    types: SiloKit,
}

impl SiloKit {
    /// Keys of a row for Silo v2 or a fork:
    /// - `silo_configs` (array of addresses): the `SiloConfig` of each pair
    pub const KEYS: &'static [&'static str] = &["silo_configs"];
}

impl Kit for SiloKit {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let configs = keys.addresses("silo_configs")?;
        if configs.is_empty() {
            return Ok(None);
        }
        Ok(Some(Silos { configs, types: *self }.shared()))
    }
}

impl DeploymentReader for Silos {
    fn contracts(&self) -> Vec<Address> {
        self.configs.to_vec()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns a position per pair in which the account has or owes something.
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
