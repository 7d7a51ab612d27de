//! Vaults that keep a ledger of what each account has put in, token by token, and of what it has earned there, in the
//! manner of ZEROBASE's. A token that they give out beside is no share: only the ledger counts.
//!
//! Settings keys `ledger_vaults` and `ledger_tokens`. Answers farming positions. Invariant: an amount is what the vault
//! says that the account may ask back, with its rewards. A vault that cannot be read loses only its own rows, and the
//! answer reports it. What was asked back and waits is not in it.
//!
//! Source: <https://docs.zerobase.pro>; the views are `getClaimableAssets` and `getTVL`, which DefiLlama's adapter calls too:
//! <https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/ZEROBASE/index.js>.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, Reward, SettingsError, U256, sol, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::read_nonzero::read_nonzero;

sol! {
    // What an account has put in, with its rewards.
    function getClaimableAssets(address user, address token) external view returns (uint256);
}

/// The kit, with a plugin's word for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerVaultsKit {
    /// Mechanism of stakes.
    pub vault: &'static str,
}

/// Vaults of one deployment, each with all tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerVaults {
    vaults: Vec<Address>,
    tokens: Vec<Address>,
    types: LedgerVaultsKit,
}

impl LedgerVaultsKit {
    /// Keys of a row for vaults that keep a ledger:
    /// - `ledger_vaults` (array of addresses): the vaults
    /// - `ledger_tokens` (array of addresses): the tokens that they take
    pub const KEYS: &'static [&'static str] = &["ledger_vaults", "ledger_tokens"];
}

impl Kit for LedgerVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let (vaults, tokens) = (keys.addresses("ledger_vaults")?, keys.addresses("ledger_tokens")?);
        match (vaults.is_empty(), tokens.is_empty()) {
            (true, true) => Ok(None),
            (true, false) => Err(SettingsError::new("missing").at("ledger_vaults")),
            (false, true) => Err(SettingsError::new("missing").at("ledger_tokens")),
            (false, false) => Ok(Some(LedgerVaults { vaults, tokens, types: *self }.shared())),
        }
    }
}

impl DeploymentReader for LedgerVaults {
    fn contracts(&self) -> Vec<Address> {
        self.vaults.clone()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::FARMING]
    }

    /// Returns a position per vault, with a leg per token of which the account has something there.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let entries = self.vaults.iter().flat_map(|vault| self.tokens.iter().map(|token| (*vault, *token)));
            let call =
                |(vault, token): &(Address, Address)| (*vault, getClaimableAssetsCall { user: account, token: *token });
            let held = read_nonzero(cx, labels.market, entries.collect(), call).await?;
            let row = |held: &[((Address, Address), U256)]| {
                let tokens: Vec<String> = held.iter().map(|((_, token), _)| symbol(*token)).collect();
                let row = Position::new(PositionKind::STAKED, labels.market, held[0].0.0).mechanism(self.types.vault);
                let row = row.named(format!("{} vault", tokens.join("/")));
                held.iter().fold(row, |row, ((_, token), amount)| {
                    row.leg(Leg::new(LegRole::STAKED, *token, *amount)).reward(Reward::new(*token, None))
                })
            };
            Ok(held.chunk_by(|one, other| one.0.0 == other.0.0).map(row).collect())
        })
    }
}
