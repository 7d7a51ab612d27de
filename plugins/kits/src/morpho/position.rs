//! Lent, owed and collateral amounts of the account in each market.

use futures_util::future::join3;
use portolan_plugin_api::{Address, B256, Error, JobContext, Leg, LegRole, Position, PositionKind, U256, symbol};

use super::contracts::{
    MarketParams, borrowRateViewCall, brokersCall, getPriceCall, getUserTotalDebtCall, idToMarketParamsCall,
    marketCall, positionCall, positionReturn, priceCall,
};
use super::list::markets;
use super::market::{Totals, health};
use super::{MarketsOf, Morpho, ZERO_STANDS_S};
use crate::kit::Labels;
use crate::partial::{join_partial, or_default, with_each};

/// Cache time of a market's broker, in seconds; the protocol may set one.
const BROKER_STANDS_S: u32 = 300;

/// Holding of the account in a market.
#[derive(Clone, Copy, Debug)]
struct Holding {
    id: B256,
    supply_shares: U256,
    borrow_shares: U256,
    collateral: U256,
}

/// Debt of the account in a market.
#[derive(Clone, Copy, Debug)]
struct Debt {
    amount: U256,
    /// Annual rate; `None` if a broker asks another one than the market.
    rate_ray: Option<U256>,
}

/// Returns a position per market in which the account has anything.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Morpho,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let morpho = of.contracts.morpho;
    let markets = markets(cx, of, labels.market).await?;
    let held = cx.call_each(markets.iter().map(|id| (morpho, positionCall { id: *id, user: account })));
    let held = with_each(markets, held.zero_within(ZERO_STANDS_S)).await.fail_if_none(cx, labels.market)?;
    let held = held.into_iter().map(|(id, held)| Holding::new(id, &held)).filter(Holding::is_any);
    let rows = held.map(|held| position(cx, of, labels, account, held));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

impl Holding {
    fn new(id: B256, held: &positionReturn) -> Self {
        let [borrow_shares, collateral] = [held.borrowShares, held.collateral].map(U256::from);
        Self { id, supply_shares: held.supplyShares, borrow_shares, collateral }
    }

    fn is_collateral_alone(&self) -> bool {
        self.supply_shares.is_zero() && self.borrow_shares.is_zero()
    }

    fn is_any(&self) -> bool {
        !self.is_collateral_alone() || !self.collateral.is_zero()
    }
}

async fn position(
    cx: &JobContext,
    of: &Morpho,
    labels: Labels<'_>,
    account: Address,
    held: Holding,
) -> Result<Position, Error> {
    let (morpho, id) = (of.contracts.morpho, held.id);
    let params = cx.call(morpho, idToMarketParamsCall { id }).immutable();
    let (params, market) = cx.join((params, cx.call(morpho, marketCall { id }))).await?;
    let rate = async {
        // Collateral earns no interest, and a market may have none.
        if params.irm.is_zero() || held.is_collateral_alone() {
            return Ok(U256::ZERO);
        }
        cx.call(params.irm, borrowRateViewCall { marketParams: params.clone(), market: market.clone() }).await
    };
    let price = async {
        if held.borrow_shares.is_zero() {
            return Ok(None);
        }
        match of.lineage {
            MarketsOf::MorphoBlue => cx.call(params.oracle, priceCall {}).await.map(Some),
            MarketsOf::Moolah => cx.call(morpho, getPriceCall { marketParams: params.clone() }).await.map(Some),
        }
    };
    let (rate, price, brokered) = join3(rate, price, brokered_debt(cx, of, held, account)).await;
    let totals = Totals::accrued(&market, rate?, cx.block().timestamp)?;
    let debt = match brokered? {
        Some(amount) => Debt { amount, rate_ray: None },
        None => Debt { amount: totals.owed(held.borrow_shares)?, rate_ray: Some(totals.borrow_rate_ray()?) },
    };
    let owed = debt.amount;
    let health = price.and_then(|price| price.map(|price| health(&params, held.collateral, owed, price)).transpose());
    let kind = if held.borrow_shares.is_zero() { PositionKind::LENT } else { PositionKind::BORROWED };
    let position = Position::new(kind, labels.market, morpho).mechanism(of.types.market).numbered(id.into());
    let position = position.named(format!("{} {}", labels.title, pair(&params)));
    let position = position.legs(legs(labels, &params, held, &totals, debt)?);
    let health = or_default(cx, format_args!("{}: health factor in {id}", labels.market), health);
    Ok(Position { health, ..position })
}

/// Returns what the account owes in a market with a broker, which adds its own interest to the debt; `None` in others.
async fn brokered_debt(cx: &JobContext, of: &Morpho, held: Holding, account: Address) -> Result<Option<U256>, Error> {
    if of.lineage == MarketsOf::MorphoBlue || held.borrow_shares.is_zero() {
        return Ok(None);
    }
    let broker = cx.call(of.contracts.morpho, brokersCall { id: held.id }).within(BROKER_STANDS_S).await?;
    if broker.is_zero() {
        return Ok(None);
    }
    cx.call(broker, getUserTotalDebtCall { user: account }).await.map(Some)
}

/// Returns the market's name: the lent token, and the collateral if it has one.
fn pair(params: &MarketParams) -> String {
    match params.collateralToken.is_zero() {
        true => symbol(params.loanToken),
        false => format!("{}/{}", symbol(params.collateralToken), symbol(params.loanToken)),
    }
}

/// Returns the legs: the deposit, which is not collateral, the debt, and the collateral, which is not lent.
fn legs(
    labels: Labels<'_>,
    params: &MarketParams,
    held: Holding,
    totals: &Totals,
    debt: Debt,
) -> Result<Vec<Leg>, Error> {
    let (loan, collateral) = (params.loanToken, params.collateralToken);
    let named = |token, what: &str| format!("{} {}{what}", labels.title, symbol(token));
    let supplied = Leg::new(LegRole::SUPPLIED, loan, totals.supplied(held.supply_shares)?);
    let supplied = supplied.rate_ray(totals.supply_rate_ray()?).named(named(loan, ""));
    let borrowed = Leg::new(LegRole::BORROWED, loan, debt.amount).named(named(loan, " debt"));
    let borrowed = debt.rate_ray.into_iter().fold(borrowed, Leg::rate_ray);
    let given = Leg::new(LegRole::SUPPLIED, collateral, held.collateral).rate_ray(U256::ZERO);
    let given = given.named(named(collateral, " collateral"));
    let supplied = Leg { is_collateral: Some(false), ..supplied };
    let given = Leg { is_collateral: Some(true), ..given };
    let shares = [held.supply_shares, held.borrow_shares, held.collateral];
    let legs = [supplied, borrowed, given].into_iter().zip(shares);
    Ok(legs.filter(|(_, shares)| !shares.is_zero()).map(|(leg, _)| leg).collect())
}
