//! ACME: what the account has in price ranges of pools, and the fees that it can collect from them.
//!
//! A position is an NFT of the position manager of Uniswap v3 or of a fork. A settings file may name another manager, on
//! any network.

use portolan_plugin_api::ticks::TickRange;
use portolan_plugin_api::*;

sol! {
    // Source: https://github.com/Uniswap/v3-periphery/blob/main/contracts/NonfungiblePositionManager.sol
    function factory() external view returns (address);
    function balanceOf(address owner) external view returns (uint256);
    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);
    function positions(uint256 tokenId) external view returns (
        uint96 nonce, address operator, address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper,
        uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128, uint128 tokensOwed0,
        uint128 tokensOwed1
    );
    struct CollectParams { uint256 tokenId; address recipient; uint128 amount0Max; uint128 amount1Max; }
    function collect(CollectParams params) external payable returns (uint256 amount0, uint256 amount1);
    // Source: https://github.com/Uniswap/v3-core/blob/main/contracts/UniswapV3Factory.sol
    function getPool(address token0, address token1, uint24 fee) external view returns (address);
    // Source: https://github.com/Uniswap/v3-core/blob/main/contracts/UniswapV3Pool.sol
    function slot0() external view returns (
        uint160 sqrtPriceX96, int24 tick, uint16 observationIndex, uint16 observationCardinality,
        uint16 observationCardinalityNext, uint8 feeProtocol, bool unlocked
    );
}

/// The answer's `type`.
const MECHANISM: &str = "price-range";
/// Positions of an account that are read; anyone can send it more.
const POSITIONS_MAX: u64 = 64;
/// Seconds for which a count of none stands.
const STANDS_S: u32 = 300;

/// The rows that the plugin ships with: `protocols/acme.toml`.
const ROWS: Rows = rows!("protocols", &[Manager::KEYS]);

/// The plugin: its deployments.
#[derive(Debug)]
pub struct Acme(Deployments<Manager>);

/// The keys of a row in a settings file.
#[derive(Clone, Debug, FromKeys)]
struct Manager {
    /// The contract that holds the positions.
    manager: Address,
}

impl Plugin for Acme {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        settings.serve_rows(ROWS).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let served = self.0.catalogue(&[Question::CLAIMABLES, Question::POOLING], |contracts| [contracts.manager]);
        let all = || Role::constant(&u128::MAX);
        let collect = ClaimTemplate::new::<collectCall>([Role::tuple([Role::NUMBER, Role::ACCOUNT, all(), all()])]);
        Catalogue { claims: vec![collect], ..served }
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        cx.gather(cx.rows(&self.0).map(async |row| {
            let ids = owned(cx, row, account).await?;
            cx.gather(ids.into_iter().map(|id| claimable(cx, row, id, account))).await
        }))
        .await
    }

    async fn pooling(&self, cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
        cx.gather(cx.rows(&self.0).map(async |row| {
            let ids = owned(cx, row, account).await?;
            cx.gather(ids.into_iter().map(|id| position(cx, row, id, account))).await
        }))
        .await
    }
}

/// Returns the ids of the account's positions.
async fn owned(cx: &JobContext, row: &Deployment<Manager>, account: Address) -> Result<Vec<U256>, Error> {
    let manager = row.mechanism.manager;
    // Most accounts have none, and cost this read alone.
    let count = cx.call(manager, balanceOfCall { owner: account }).zero_within(STANDS_S).await?;
    if count > U256::from(POSITIONS_MAX) {
        cx.report_not_covered(format!("{}: {POSITIONS_MAX} of {count} positions are read", row.market));
    }
    let places = (0..count.saturating_to::<u64>().min(POSITIONS_MAX)).map(U256::from);
    cx.join(places.map(|index| cx.call(manager, tokenOfOwnerByIndexCall { owner: account, index }))).await
}

/// The call that pays all fees of a position, and what has left its range, to the account.
fn collect_all(id: U256, account: Address) -> collectCall {
    let all = u128::MAX;
    collectCall { params: CollectParams { tokenId: id, recipient: account, amount0Max: all, amount1Max: all } }
}

/// Returns what a position owes. The manager counts fees when they are collected, so that it is asked what that would
/// pay: a call that writes, as the account, in a call frame of its own.
async fn owed(cx: &JobContext, manager: Address, id: U256, account: Address) -> Result<collectReturn, Error> {
    cx.call(manager, collect_all(id, account)).from(account).isolated().await
}

async fn claimable(
    cx: &JobContext,
    row: &Deployment<Manager>,
    id: U256,
    account: Address,
) -> Result<Option<Claimable>, Error> {
    let manager = row.mechanism.manager;
    let (held, owed) =
        cx.join((cx.call(manager, positionsCall { tokenId: id }), owed(cx, manager, id, account))).await?;
    if owed.amount0.is_zero() && owed.amount1.is_zero() {
        return Ok(None);
    }
    let claim = cx.claim(manager, &collect_all(id, account));
    let claimable = Claimable::new(&row.market, manager, claim).mechanism(MECHANISM).numbered(id);
    let claimable = claimable.named(format!("{}/{} fees", symbol(held.token0), symbol(held.token1)));
    Ok(Some(claimable.pays(held.token0, owed.amount0).pays(held.token1, owed.amount1)))
}

async fn position(
    cx: &JobContext,
    row: &Deployment<Manager>,
    id: U256,
    account: Address,
) -> Result<Option<Position>, Error> {
    let manager = row.mechanism.manager;
    let (held, owed, factory) = cx
        .join((
            cx.call(manager, positionsCall { tokenId: id }),
            owed(cx, manager, id, account),
            cx.call(manager, factoryCall {}).immutable(),
        ))
        .await?;
    let (token0, token1) = (held.token0, held.token1);
    let pool = cx.call(factory, getPoolCall { token0, token1, fee: held.fee }).immutable().await?;
    let price = cx.call(pool, slot0Call {}).await?;
    let no_range = || Error::new(format!("{manager}: position {id} has no range"));
    let range = TickRange::new(held.tickLower.as_i32(), held.tickUpper.as_i32()).ok_or_else(no_range)?;
    let tick = price.tick.as_i32();
    let amounts = range.amounts(held.liquidity, U256::from(price.sqrtPriceX96), tick);
    let (amount0, amount1) = amounts.ok_or_else(|| Error::new(format!("{pool}: its price is not at its tick")))?;
    let mut legs = vec![
        Leg::new(LegRole::POOLED, token0, amount0),
        Leg::new(LegRole::POOLED, token1, amount1),
        // A claimable pays it, and only that one counts in sums.
        Leg::new(LegRole::FEE_OWED, token0, owed.amount0),
        Leg::new(LegRole::FEE_OWED, token1, owed.amount1),
    ];
    legs.retain(|leg| !leg.amount.is_zero());
    if legs.is_empty() {
        return Ok(None);
    }
    let position = Position::new(PositionKind::POOLED, &row.market, manager).mechanism(MECHANISM).numbered(id);
    let position = position.named(format!("{}/{} range", symbol(token0), symbol(token1))).legs(legs);
    Ok(Some(Position {
        range: Some(range.prices(token0, token1, tick)),
        nft: Some(Nft { collection: manager, token_id: id }),
        ..position
    }))
}

portolan_plugin_api::export!(Acme);

#[cfg(test)]
mod tests {
    use portolan_plugin_api::networks::ETHEREUM;
    use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};

    use super::*;

    const MANAGER: Address = address!("0xc36442b4a4522e871399cd717abdd847ab11fe88");
    const FACTORY: Address = address!("0x1f98431c8ad98523631ae4a59f267346ea31f984");
    const POOL: Address = Address::repeat_byte(0xb1);
    const TOKENS: [Address; 2] = [Address::repeat_byte(0xa1), Address::repeat_byte(0xa2)];
    const ACCOUNT: Address = address!("0x2222222222222222222222222222222222222222");
    const ID: u64 = 77;

    fn word(number: u64) -> U256 {
        U256::from(number)
    }

    /// One position over all prices from that of tick 0, which is 1, and as many fees of each token as `fees` says. The
    /// pool's price is 4, the square of two.
    fn chain(liquidity: u64, fees: [u64; 2]) -> CannedReplies {
        let (token0, token1) = (TOKENS[0], TOKENS[1]);
        let mut held = [U256::ZERO; 12];
        (held[2], held[3], held[4]) = (token0.into_word().into(), token1.into_word().into(), word(3_000));
        (held[5], held[6], held[7]) = (word(0), word(887_220), word(liquidity));
        let mut slot0 = [U256::ZERO; 7];
        // 1.0001^13,863 is a little less than 4.
        (slot0[0], slot0[1]) = (word(2) << 96, word(13_863));
        let pool = getPoolCall { token0, token1, fee: 3_000.try_into().unwrap() };
        CannedReplies::default()
            .reply(ETHEREUM, MANAGER, &balanceOfCall { owner: ACCOUNT }, &word(1))
            .reply(ETHEREUM, MANAGER, &tokenOfOwnerByIndexCall { owner: ACCOUNT, index: word(0) }, &word(ID))
            .reply(ETHEREUM, MANAGER, &positionsCall { tokenId: word(ID) }, &held)
            .reply(ETHEREUM, MANAGER, &collect_all(word(ID), ACCOUNT), &fees.map(word))
            .reply(ETHEREUM, MANAGER, &factoryCall {}, &FACTORY)
            .reply(ETHEREUM, FACTORY, &pool, &POOL)
            .reply(ETHEREUM, POOL, &slot0Call {}, &slot0)
    }

    fn run(question: Question, chain: &CannedReplies) -> Outcome {
        JobTest::new("acme", ETHEREUM, question, ACCOUNT).run::<Acme>(chain)
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
    fn a_position_is_both_tokens_in_its_range_beside_its_fees() {
        let chain = chain(1_000_000, [5, 0]);
        let (pooling, claimables) = (run(Question::POOLING, &chain), run(Question::CLAIMABLES, &chain));
        assert_eq!((pooling.end, claimables.end), (End::Complete, End::Complete), "{}", pooling.message);
        let position = pooling.positions()[0];
        let legs: Vec<_> = position.legs.iter().map(|leg| (leg.role, leg.token, leg.amount)).collect();
        // A million times 1/2 (less than one for the end of all prices), and a million times 2 - 1.
        assert_eq!(legs[0], (LegRole::POOLED, TOKENS[0], word(499_999)));
        assert_eq!(legs[1], (LegRole::POOLED, TOKENS[1], word(1_000_000)));
        assert_eq!(legs[2], (LegRole::FEE_OWED, TOKENS[0], word(5)));
        let range = position.range.expect("the range is known");
        assert_eq!((range.lower.x128, range.is_in_range), (U256::ONE << 128, Some(true)));
        let found = claimables.claimables()[0];
        assert_eq!((found.payments[0].token, found.payments[0].amount), (TOKENS[0], word(5)));
        let collect = collect_all(word(ID), ACCOUNT);
        assert_eq!((found.steps[0].to, &found.steps[0].arguments[..]), (MANAGER, &collect.abi_encode()[4..]));
        pooling.check_totals(&claimables);
    }

    #[test]
    fn a_position_that_was_emptied_is_not_shown() {
        for question in [Question::CLAIMABLES, Question::POOLING] {
            let outcome = run(question, &chain(0, [0, 0]));
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        }
    }

    #[test]
    fn an_account_with_nothing_costs_one_read() {
        let none = CannedReplies::default().reply(ETHEREUM, MANAGER, &balanceOfCall { owner: ACCOUNT }, &word(0));
        let outcome = run(Question::POOLING, &none);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }

    #[test]
    fn more_positions_than_are_read_are_reported() {
        let many = chain(1_000_000, [5, 0]).reply(ETHEREUM, MANAGER, &balanceOfCall { owner: ACCOUNT }, &word(65));
        let outcome = run(Question::CLAIMABLES, &many);
        assert_eq!(outcome.not_covered, ["main: 64 of 65 positions are read"]);
    }

    #[test]
    fn a_contract_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
        assert_eq!(run(Question::CLAIMABLES, &CannedReplies::default()).end, End::Failed);
    }
}
