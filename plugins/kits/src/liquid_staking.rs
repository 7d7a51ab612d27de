//! Liquid staking tokens: tokens that stand for a stake, either one for one, or by a rate that grows.
//!
//! A deployment is one token. Settings keys: `liquid_token`, `staked_token`, `rate_contract`, and the name of a view.
//! Answers a farming position for what the account holds, and what the token redeems to. Invariant: what a token stands
//! for is what a view of its issuer returns; without such a view it is the token itself.
//!
//! Sources: <https://docs.lido.fi/contracts/wsteth>, <https://docs.rocketpool.net/protocol/staking-overview>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Composition, Error, JobContext, Keys, Leg, LegRole, NATIVE, Part, Position, PositionKind, Question,
    Reward, SettingsError, U256, sol, symbol,
};

use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div};
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

sol! {
    // ERC-20, https://eips.ethereum.org/EIPS/eip-20
    function balanceOf(address account) external view returns (uint256);
    // Issuers name these in their own ways.
    function getRate() external view returns (uint256);
    function convertToAssets(uint256 shares) external view returns (uint256);
}

/// Token `type` of the tokens that redeem to another one.
const SHARE_TYPE: &str = "SHARE";

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiquidStakingKit {
    /// Mechanism of positions.
    pub stake: &'static str,
}

/// One liquid staking token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiquidStake {
    token: Address,
    redemption: Option<Redemption>,
    types: LiquidStakingKit,
}

/// What a token stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Redemption {
    staked_token: Address,
    /// Contract of the view.
    contract: Address,
    view: RateView,
}

/// A view by name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum RateView {
    /// It returns what 10^18 smallest units of the token stand for.
    Rate(String),
    /// It returns how much of the token stands for 10^18 smallest units of the other one.
    Inverse(String),
    /// It takes an amount of the token, and returns what that stands for.
    Value(String),
}

impl LiquidStakingKit {
    /// Keys of a row for a liquid staking token:
    /// - `liquid_token` (address): the token
    /// - `staked_token` (address, optional): what it stands for; the native token of the network if missing, and the
    ///   token itself where there is no view either
    /// - `rate_view` (name of a view, optional): returns what 10^18 smallest units of the token stand for
    /// - `inverse_rate_view` (name of a view, optional): returns how much of the token stands for 10^18 smallest units of
    ///   the other one
    /// - `value_view` (name of a view, optional): takes an amount of the token and returns what that stands for; a row
    ///   has at most one of the three views
    /// - `rate_contract` (address, optional): the contract that has the view; the token if missing
    pub const KEYS: &'static [&'static str] =
        &["liquid_token", "staked_token", "rate_view", "inverse_rate_view", "value_view", "rate_contract"];
}

impl Kit for LiquidStakingKit {
    fn keys(&self) -> &'static [&'static str] {
        &["liquid_token"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(token) = keys.address_opt("liquid_token")? else { return Ok(None) };
        let staked_token = keys.address_opt("staked_token")?;
        let contract = keys.address_opt("rate_contract")?;
        let mut views = [
            keys.function("rate_view")?.map(|name| RateView::Rate(name.to_owned())),
            keys.function("inverse_rate_view")?.map(|name| RateView::Inverse(name.to_owned())),
            keys.function("value_view")?.map(|name| RateView::Value(name.to_owned())),
        ]
        .into_iter()
        .flatten();
        let view = views.next();
        if views.next().is_some() {
            return Err(SettingsError::new("a row has one view").at("rate_view"));
        }
        if view.is_none() && (staked_token.is_some() || contract.is_some()) {
            return Err(SettingsError::new("missing; a token that stands for another one needs a view").at("rate_view"));
        }
        let redemption = view.map(|view| Redemption {
            staked_token: staked_token.unwrap_or(NATIVE),
            contract: contract.unwrap_or(token),
            view,
        });
        Ok(Some(LiquidStake { token, redemption, types: *self }.shared()))
    }
}

impl Redemption {
    /// Returns what an amount of the token stands for.
    async fn of(&self, cx: &JobContext, amount: U256) -> Result<U256, Error> {
        match &self.view {
            RateView::Rate(name) => mul_div(amount, cx.call_as(self.contract, name, &getRateCall {}).await?, WAD),
            RateView::Inverse(name) => mul_div(amount, WAD, cx.call_as(self.contract, name, &getRateCall {}).await?),
            RateView::Value(name) => cx.call_as(self.contract, name, &convertToAssetsCall { shares: amount }).await,
        }
    }
}

impl DeploymentReader for LiquidStake {
    fn contracts(&self) -> Vec<Address> {
        let other =
            self.redemption.as_ref().map(|redemption| redemption.contract).filter(|contract| *contract != self.token);
        [self.token].into_iter().chain(other).collect()
    }

    fn questions(&self) -> Vec<Question> {
        match self.redemption {
            Some(_) => vec![Question::FARMING, Question::COMPOSITION],
            None => vec![Question::FARMING],
        }
    }

    /// Returns what the account holds of the token.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let held = cx.call(self.token, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
            if held.is_zero() {
                return Ok(Vec::new());
            }
            let position = Position::new(PositionKind::STAKED, labels.market, self.token).mechanism(self.types.stake);
            let position = position.named(format!("{} staking", symbol(self.token)));
            let Some(redemption) = &self.redemption else {
                let leg = Leg::new(LegRole::STAKED, self.token, held);
                return Ok(vec![position.leg(leg).reward(Reward::new(self.token, None))]);
            };
            let leg =
                Leg::new(LegRole::STAKED, redemption.staked_token, held).redeeming(redemption.of(cx, held).await?);
            let reward = Reward::new(redemption.staked_token, None);
            Ok(vec![position.leg(leg.receipt(self.token)).reward(reward)])
        })
    }

    /// Returns what 10^18 smallest units of the token stand for; nothing if that is zero.
    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let Some(redemption) = self.redemption.as_ref().filter(|_| tokens.contains(&self.token)) else {
                return Ok(Vec::new());
            };
            let amount = redemption.of(cx, WAD).await?;
            if amount.is_zero() {
                return Ok(Vec::new());
            }
            let parts = vec![Part { token: redemption.staked_token, amount }];
            Ok(vec![Composition { token: self.token, kind: SHARE_TYPE.to_owned(), supply: WAD, parts }])
        })
    }
}
