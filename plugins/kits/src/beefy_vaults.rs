//! Beefy's vaults: shares of one token, most often a pool's share, shown as the amount that they are worth.
//!
//! A deployment is a list of vaults; settings key `beefy_vaults`. Answers farming positions, and compositions of the
//! shares. Invariant: a share is worth the price that its vault tells, which is rounded down to 18 decimals. A vault
//! that cannot be read loses only its own row, and the answer reports it.
//!
//! Source: <https://github.com/beefyfinance/beefy-contracts/blob/master/contracts/BIFI/vaults/BeefyVaultV7.sol>.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Composition, Error, JobContext, Keys, Leg, LegRole, Part, Position, PositionKind, Question, Reward,
    SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::display_name::display_name;
use crate::erc4626::held;
use crate::fixed_point::{WAD, mul_div};
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    // The invested token.
    function want() external view returns (address);
    function getPricePerFullShare() external view returns (uint256);
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BeefyVaultsKit {
    /// Mechanism of positions.
    pub vault: &'static str,
    /// Token `type` of the shares.
    pub share: &'static str,
}

/// Vaults of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BeefyVaults {
    vaults: Vec<Address>,
    types: BeefyVaultsKit,
}

impl BeefyVaultsKit {
    /// Keys of a row for Beefy's vaults:
    /// - `beefy_vaults` (array of addresses): the vaults
    pub const KEYS: &'static [&'static str] = &["beefy_vaults"];
}

impl Kit for BeefyVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["beefy_vaults"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let vaults = keys.addresses("beefy_vaults")?;
        Ok((!vaults.is_empty()).then(|| BeefyVaults { vaults, types: *self }.shared()))
    }
}

impl DeploymentReader for BeefyVaults {
    fn contracts(&self) -> Vec<Address> {
        self.vaults.clone()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::FARMING, Question::COMPOSITION]
    }

    /// Returns a position per vault of which the account has shares.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let held = held(cx, labels.market, self.vaults.iter().copied(), account).await?;
            let rows = held.into_iter().map(|(vault, shares)| self.position(cx, labels, vault, shares));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let own = tokens.iter().filter(|token| self.vaults.contains(token));
            let parts = own.map(async |vault| {
                let (token, amount) = share_price(cx, *vault).await?;
                let parts = vec![Part { token, amount }];
                Ok(Composition { token: *vault, kind: self.types.share.to_owned(), supply: WAD, parts })
            });
            Ok(join_partial(cx, parts).await.or_report(cx, "shares of vaults"))
        })
    }
}

impl BeefyVaults {
    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        vault: Address,
        shares: U256,
    ) -> Result<Position, Error> {
        let (token, price) = share_price(cx, vault).await?;
        let row = Position::new(PositionKind::STAKED, labels.market, vault).mechanism(self.types.vault);
        let row = row.named(format!("{} vault", display_name(cx, token).await?));
        let leg = Leg::new(LegRole::STAKED, token, mul_div(shares, price, WAD)?).receipt(vault);
        Ok(row.leg(leg).reward(Reward::new(token, None)))
    }
}

/// Returns the invested token of a vault, and how much of it 10^18 shares are worth.
async fn share_price(cx: &JobContext, vault: Address) -> Result<(Address, U256), Error> {
    let want = cx.call(vault, wantCall {}).immutable();
    cx.join((want, cx.call(vault, getPricePerFullShareCall {}))).await
}
