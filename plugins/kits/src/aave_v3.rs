//! Aave v3: pools in which reserves are lent and borrowed, and the controllers that reward it.
//!
//! A deployment is a pool, its data provider, and a rewards controller where there is one; settings keys `pool`,
//! `data_provider` and `rewards_controller`. Answers lending positions (debts as such, with the health factor) and
//! claimable rewards. Invariant: a reserve or an asset that misbehaves costs its own rows, and the answer says so.
//! Modes of a position (e-mode, isolation) change no amount and no rate, and are not asked for.

mod contracts;
mod lending;
mod reserve;
mod rewards;

use portolan_plugin_api::{
    Address, Chain, ClaimTemplate, Claimable, Error, Keys, LendingPosition, Mechanism, Question, Role, SettingsError,
};

use contracts::claimRewardsCall;

/// Seconds that "nothing lent", "nothing owed" and "nothing earned" may stand: most accounts have nothing in most
/// reserves, so that most reads are saved; a first deposit shows at most this much later.
const ZERO_STANDS_S: u32 = 30;

/// The contracts of one deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AaveV3 {
    /// `Pool`.
    pub pool: Address,
    /// `AaveProtocolDataProvider`, of any version: only the tokens of reserves are asked of it.
    pub data_provider: Address,
    /// `RewardsController`; without it there is nothing to claim.
    pub rewards_controller: Option<Address>,
}

/// The words that rows carry from the plugin.
#[derive(Clone, Copy, Debug)]
pub struct Labels<'a> {
    /// The deployment's market.
    pub market: &'a str,
    /// What names of rows begin with.
    pub title: &'a str,
    /// The `type` of claimable rewards.
    pub reward_type: &'a str,
}

impl AaveV3 {
    /// What the catalogue lists. Claims go to the controller, and name tokens of the data provider's and rewards of
    /// the controller's replies.
    pub fn contracts(&self) -> impl Iterator<Item = Address> {
        [self.pool, self.data_provider].into_iter().chain(self.rewards_controller)
    }

    /// The questions that the deployment answers.
    pub fn questions(&self) -> &'static [Question] {
        match self.rewards_controller {
            Some(_) => &[Question::CLAIMABLES, Question::LENDING],
            None => &[Question::LENDING],
        }
    }

    /// What the account has earned and not claimed: a row for each reward token.
    ///
    /// Each row's claim pays that token alone, from all assets in which the account has earned it, so that no claim
    /// pays what another row tells.
    ///
    /// # Errors
    /// Where the pool does not list its reserves, or where nothing of them can be read.
    pub async fn claimables(&self, cx: &Chain, labels: Labels<'_>, account: Address) -> Result<Vec<Claimable>, Error> {
        let Some(controller) = self.rewards_controller else { return Ok(Vec::new()) };
        let parts = reserve::parts(cx, labels.market, *self).await?;
        rewards::claimables(cx, labels, controller, parts, account).await
    }

    /// What the account has lent and what it owes: a row for each aToken and debt token of which it has any.
    ///
    /// # Errors
    /// As [`AaveV3::claimables`].
    pub async fn lending(
        &self,
        cx: &Chain,
        labels: Labels<'_>,
        account: Address,
    ) -> Result<Vec<LendingPosition>, Error> {
        let parts = reserve::parts(cx, labels.market, *self).await?;
        lending::positions(cx, labels, self.pool, parts, account).await
    }
}

/// The claims that [`AaveV3::claimables`] answers with; the catalogue declares them. The controller pays whom the
/// call names, from what its sender has earned: so the account has to send it, and has to be named.
pub fn claim_templates() -> [ClaimTemplate; 1] {
    let assets = Role::array(Role::MARKET);
    [ClaimTemplate::new::<claimRewardsCall>([assets, Role::constant(&rewards::ALL), Role::ACCOUNT, Role::TOKEN])]
}

impl Mechanism for AaveV3 {
    fn from_keys(keys: &Keys<'_>) -> Result<Self, SettingsError> {
        Ok(Self {
            pool: keys.address("pool")?,
            data_provider: keys.address("data_provider")?,
            rewards_controller: keys.address_opt("rewards_controller")?,
        })
    }
}
