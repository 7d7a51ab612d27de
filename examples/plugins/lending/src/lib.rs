//! ACME: what the account has lent to a pool and borrowed from it, with interest, and how far its debt is from
//! liquidation.
//!
//! A pool is one of Aave v3 or of a fork. A settings file may name another one, on any network.

use portolan_plugin_api::*;

sol! {
    // Source: https://github.com/aave-dao/aave-v3-origin/blob/main/src/contracts/protocol/libraries/types/DataTypes.sol
    struct Reserve {
        uint256 configuration; uint128 liquidityIndex; uint128 currentLiquidityRate; uint128 variableBorrowIndex;
        uint128 currentVariableBorrowRate; uint128 currentStableBorrowRate; uint40 lastUpdateTimestamp; uint16 id;
        address aTokenAddress; address stableDebtTokenAddress; address variableDebtTokenAddress;
        address interestRateStrategyAddress; uint128 accruedToTreasury; uint128 unbacked;
        uint128 isolationModeTotalDebt;
    }
    // Source: https://github.com/aave-dao/aave-v3-origin/blob/main/src/contracts/interfaces/IPool.sol
    function getReservesList() external view returns (address[]);
    function getReserveData(address asset) external view returns (Reserve);
    function getUserAccountData(address user) external view returns (
        uint256 collateral, uint256 debt, uint256 borrowable, uint256 threshold, uint256 ltv, uint256 healthFactor
    );
    function balanceOf(address account) external view returns (uint256);
}

/// The answer's `type`.
const MECHANISM: &str = "lending-pool";
/// Seconds for which the pool's reserves, their rates, and a balance of zero stand.
const STANDS_S: u32 = 300;

/// The rows that the plugin ships with: `protocols/acme.toml`.
const ROWS: Rows = rows!("protocols", &[Pool::KEYS]);

/// The plugin: its deployments.
#[derive(Debug)]
pub struct Acme(Deployments<Pool>);

/// The keys of a row in a settings file.
#[derive(Clone, Debug, FromKeys)]
struct Pool {
    /// The contract that lends and borrows.
    pool: Address,
}

impl Plugin for Acme {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        settings.serve_rows(ROWS).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        self.0.catalogue(&[Question::LENDING], |contracts| [contracts.pool])
    }

    async fn lending(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        cx.gather(cx.rows(&self.0).map(|row| position(cx, row, account))).await
    }
}

/// Returns one position: all that is lent secures all that is owed.
async fn position(cx: &JobContext, row: &Deployment<Pool>, account: Address) -> Result<Option<Position>, Error> {
    let pool = row.mechanism.pool;
    let legs = legs(cx, pool, account).await?;
    if legs.is_empty() {
        return Ok(None);
    }
    let owes = legs.iter().any(|leg| leg.role == LegRole::BORROWED);
    let kind = if owes { PositionKind::BORROWED } else { PositionKind::LENT };
    let position = Position::new(kind, &row.market, pool).named("ACME lending").mechanism(MECHANISM).legs(legs);
    if !owes {
        return Ok(Some(position));
    }
    let of_account = cx.call(pool, getUserAccountDataCall { user: account }).await?;
    let health = Health { factor_wad: Some(of_account.healthFactor), liquidation_price: None };
    Ok(Some(Position { health: Some(health), ..position }))
}

/// Returns a leg for each amount. The tokens that count them are worth one of their asset each, interest included.
async fn legs(cx: &JobContext, pool: Address, account: Address) -> Result<Vec<Leg>, Error> {
    let assets = cx.call(pool, getReservesListCall {}).within(STANDS_S).await?;
    let reserves = cx.call_each(assets.iter().map(|asset| (pool, getReserveDataCall { asset: *asset })));
    let mut sides = Vec::new();
    for (asset, reserve) in assets.iter().zip(reserves.within(STANDS_S).await) {
        let reserve = reserve?;
        sides.push((LegRole::SUPPLIED, *asset, reserve.aTokenAddress, reserve.currentLiquidityRate));
        sides.push((LegRole::BORROWED, *asset, reserve.variableDebtTokenAddress, reserve.currentVariableBorrowRate));
    }
    let balances = cx.call_each(sides.iter().map(|(_, _, token, _)| (*token, balanceOfCall { account })));
    let mut legs = Vec::new();
    for ((role, asset, token, rate), amount) in sides.iter().zip(balances.zero_within(STANDS_S).await) {
        let leg = Leg::new(*role, *asset, amount?).receipt(*token).rate_ray(U256::from(*rate));
        // The host puts the asset's symbol into the name.
        legs.push(leg.named(format!("ACME {}", symbol(*asset))));
    }
    legs.retain(|leg| !leg.amount.is_zero());
    Ok(legs)
}

portolan_plugin_api::export!(Acme);

#[cfg(test)]
mod tests {
    use portolan_plugin_api::networks::ETHEREUM;
    use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};

    use super::*;

    const POOL: Address = address!("0x87870bca3f3fd6335c3f4ce8392d69350b4fa4e2");
    const ASSETS: [Address; 2] = [Address::repeat_byte(0xa1), Address::repeat_byte(0xa2)];
    const ACCOUNT: Address = address!("0x2222222222222222222222222222222222222222");
    const WAD: u64 = 1_000_000_000_000_000_000;

    /// A token of a reserve: 0xb… counts what is lent, 0xd… what is owed.
    fn token(asset: usize, is_debt: bool) -> Address {
        Address::repeat_byte(if is_debt { 0xd1 } else { 0xb1 } + u8::try_from(asset).unwrap())
    }

    /// Balances are what is lent and owed of each of the assets; what is lent earns 3, what is owed costs 5.
    fn chain(balances: [[u64; 2]; 2]) -> CannedReplies {
        let mut chain = CannedReplies::default().reply(ETHEREUM, POOL, &getReservesListCall {}, &ASSETS.to_vec());
        for (place, asset) in ASSETS.into_iter().enumerate() {
            let (lent, owed) = (token(place, false), token(place, true));
            // The members of a reserve, a word each.
            let mut reserve = [U256::ZERO; 15];
            (reserve[2], reserve[4]) = (U256::from(3), U256::from(5));
            (reserve[8], reserve[10]) = (lent.into_word().into(), owed.into_word().into());
            chain = chain.reply(ETHEREUM, POOL, &getReserveDataCall { asset }, &reserve);
            for (token, balance) in [lent, owed].into_iter().zip(balances[place]) {
                chain = chain.reply(ETHEREUM, token, &balanceOfCall { account: ACCOUNT }, &U256::from(balance));
            }
        }
        let zero = U256::ZERO;
        let of_account = (zero, zero, zero, zero, zero, U256::from(2 * WAD));
        chain.reply(ETHEREUM, POOL, &getUserAccountDataCall { user: ACCOUNT }, &of_account)
    }

    fn run(chain: &CannedReplies) -> Outcome {
        JobTest::new("acme", ETHEREUM, Question::LENDING, ACCOUNT).run::<Acme>(chain)
    }

    #[test]
    fn every_row_that_ships_is_read() {
        testing::check_rows::<Acme>(ROWS, concat!(env!("CARGO_MANIFEST_DIR"), "/protocols"));
    }

    #[test]
    fn what_was_recorded_on_a_chain_is_found_again() {
        let recorded = testing::replay_all::<Acme>(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
        assert!(recorded > 0, "no fixture");
    }

    #[test]
    fn what_is_lent_secures_what_is_owed() {
        let outcome = run(&chain([[40, 0], [0, 7]]));
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
        let [lent, owed] = outcome.legs()[..] else { panic!("{:?}", outcome.findings) };
        assert_eq!((lent.role, lent.token, lent.amount), (LegRole::SUPPLIED, ASSETS[0], U256::from(40)));
        assert_eq!((owed.role, owed.token, owed.amount), (LegRole::BORROWED, ASSETS[1], U256::from(7)));
        assert_eq!((lent.rate_ray, owed.rate_ray), (Some(U256::from(3)), Some(U256::from(5))));
        assert_eq!((lent.contract, owed.contract), (token(0, false), token(1, true)));
        assert_eq!(lent.health_factor_wad(), Some(U256::from(2 * WAD)));
    }

    #[test]
    fn an_account_without_debt_has_no_health_factor() {
        let outcome = run(&chain([[40, 0], [0, 0]]));
        let position = outcome.positions()[0];
        assert_eq!((position.kind, position.health), (PositionKind::LENT, None));
    }

    #[test]
    fn an_account_with_nothing_gets_an_empty_answer() {
        let outcome = run(&chain([[0, 0], [0, 0]]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }

    #[test]
    fn a_pool_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
        assert_eq!(run(&CannedReplies::default()).end, End::Failed);
    }
}
