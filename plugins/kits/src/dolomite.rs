//! Dolomite: balances of an account in all markets of one contract, each of which is lent or owed.
//!
//! A deployment is that contract; settings key `dolomite_margin`. Answers a lending position with the balances of the
//! owner's main account, whose number is zero. Invariant: amounts include interest until the block, and the health
//! factor compares what the contract does before it liquidates. Accounts with other numbers are not read: an owner
//! chooses them freely, and no view lists them.
//!
//! Source: <https://github.com/dolomite-exchange/dolomite-margin/tree/master/contracts/protocol>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Error, Health, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div, ray_a_year, too_large};
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::or_default;

portolan_plugin_api::sol! {
    struct AccountInfo { address owner; uint256 number; }
    struct Par { bool sign; uint128 value; }
    struct Wei { bool sign; uint256 value; }

    // Getters.sol
    function getAccountNumberOfMarketsWithBalances(AccountInfo account) external view returns (uint256);
    // A balance is lent if its sign is set, else owed.
    function getAccountBalances(AccountInfo account) external view
        returns (uint256[] marketIds, address[] tokens, Par[] pars, Wei[] weis);
    // Values with the markets' premiums, in dollars.
    function getAdjustedAccountValues(AccountInfo account) external view returns (uint256 supply, uint256 borrow);
    // What the collateral must be worth beyond the debt. Earlier versions have one for all accounts alone.
    function getMarginRatioForAccount(AccountInfo account) external view returns (uint256);
    function getMarginRatio() external view returns (uint256);
    // The rate that a debt bears a second.
    function getMarketInterestRate(uint256 marketId) external view returns (uint256);
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DolomiteKit {
    /// Mechanism of accounts.
    pub account: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dolomite {
    margin: Address,
    types: DolomiteKit,
}

/// A balance in one market.
#[derive(Clone, Copy, Debug)]
struct Balance {
    market_id: U256,
    token: Address,
    is_lent: bool,
    amount: U256,
}

impl DolomiteKit {
    /// Keys of a row for Dolomite or a fork:
    /// - `dolomite_margin` (address): the contract of all markets and accounts
    pub const KEYS: &'static [&'static str] = &["dolomite_margin"];
}

impl Kit for DolomiteKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("dolomite_margin")?.map(|margin| Dolomite { margin, types: *self }.shared()))
    }
}

impl DeploymentReader for Dolomite {
    fn contracts(&self) -> Vec<Address> {
        vec![self.margin]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns the position of the main account, if it has balances.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let account = AccountInfo { owner: account, number: U256::ZERO };
            let count = getAccountNumberOfMarketsWithBalancesCall { account: account.clone() };
            if cx.call(self.margin, count).zero_within(ZERO_STANDS_S).await?.is_zero() {
                return Ok(Vec::new());
            }
            Ok(vec![self.position(cx, labels, account).await?])
        })
    }
}

impl Dolomite {
    async fn position(&self, cx: &JobContext, labels: Labels<'_>, account: AccountInfo) -> Result<Position, Error> {
        let margin = self.margin;
        let found = cx.call(margin, getAccountBalancesCall { account: account.clone() }).await?;
        if found.tokens.len() != found.weis.len() || found.marketIds.len() != found.weis.len() {
            return Err(Error::new(format!("{margin}: lists of different lengths")));
        }
        let rows = found.marketIds.into_iter().zip(found.tokens).zip(found.weis);
        let balances = rows.map(|((market_id, token), Wei { sign: is_lent, value: amount })| Balance {
            market_id,
            token,
            is_lent,
            amount,
        });
        let balances: Vec<Balance> = balances.filter(|balance| !balance.amount.is_zero()).collect();
        let owes = balances.iter().any(|balance| !balance.is_lent);
        let legs = cx.join(balances.into_iter().map(|balance| self.leg(cx, balance, owes)));
        let health = async {
            let health = if owes { self.health(cx, account).await.map(Some) } else { Ok(None) };
            Ok(or_default(cx, format_args!("{}: health", labels.market), health))
        };
        let (legs, health) = cx.join((legs, health)).await?;
        let kind = if owes { PositionKind::BORROWED } else { PositionKind::LENT };
        let position = Position::new(kind, labels.market, margin).mechanism(self.types.account).numbered(U256::ZERO);
        Ok(Position { health, ..position.named(format!("{} balances", labels.title)).legs(legs) })
    }

    /// Returns the leg of a balance. All that is lent secures what is owed. What it earns depends on the use of its
    /// market, and is not told.
    async fn leg(&self, cx: &JobContext, balance: Balance, owes: bool) -> Result<Leg, Error> {
        let Balance { market_id, token, is_lent, amount } = balance;
        if is_lent {
            return Ok(Leg { is_collateral: Some(owes), ..Leg::new(LegRole::SUPPLIED, token, amount) });
        }
        let rate = cx.call(self.margin, getMarketInterestRateCall { marketId: market_id }).await?;
        Ok(Leg::new(LegRole::BORROWED, token, amount).rate_ray(ray_a_year(rate)?))
    }

    /// Returns what is lent over what is owed and the margin upon it.
    async fn health(&self, cx: &JobContext, account: AccountInfo) -> Result<Health, Error> {
        let values = cx.call(self.margin, getAdjustedAccountValuesCall { account: account.clone() });
        let own = cx.try_call(self.margin, getMarginRatioForAccountCall { account });
        let (values, own, all) = cx.join((values, own, cx.call(self.margin, getMarginRatioCall {}))).await?;
        let ratio = WAD.checked_add(own.unwrap_or(all)).ok_or_else(too_large)?;
        let needed = mul_div(values.borrow, ratio, WAD)?;
        Ok(Health { factor_wad: Some(mul_div(values.supply, WAD, needed)?), liquidation_price: None })
    }
}
