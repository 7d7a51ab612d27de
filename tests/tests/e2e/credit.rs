//! A spoke of Aave v4, ether.fi's Cash, a Cooler, USD.AI's vault with its queue, credit accounts and a pool of Gearbox,
//! troves and deposits of River, positions of Alchemix, and vaults of Symbiotic. What accounts have to have is said
//! here by arithmetic; `tests/chain/profiles/credit.mjs` has the history.

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use portolan_tests::fork::{Fork, Payments, SharedFork, leg, pays};
use portolan_tests::json::Json;

alloy::sol! {
    function withdraw(uint256 reserveId, uint256 amount, address onBehalfOf) external;
    function withdrawBorrowToken(address token, uint256 amount) external;
    function withdrawCollateral(uint128 amount, address recipient) external;
    function redeem(uint256 shares, address receiver, address controller) external;
    function mint(address to, uint256 value) external;
    function withdraw(uint256 amount, address recipient, uint256 tokenId) external;
    function closeTrove() external;
    function withdrawFromSP(uint256 amount) external;
    function closeDebt(uint256 place, address token) external;
}

const ONE: u128 = 1_000_000_000_000_000_000;
const USDC: u128 = 1_000_000;

static FORK: SharedFork = SharedFork::new("credit");

/// Returns what the account receives of a token by a call.
fn receives(fork: &Fork, who: &str, asset: &str, to: &str, call: &impl SolCall) -> u128 {
    let (asset, to) = (fork.address(&format!("assets/{asset}")).unwrap(), fork.address(to).unwrap());
    fork.changes(who, asset, to, &Bytes::from(call.abi_encode()).to_string()).unwrap()
}

fn address(fork: &Fork, who: &str) -> Address {
    fork.account(who).unwrap().parse().unwrap()
}

/// The symbols of the legs that secure the account's only debt.
fn collateral(fork: &Fork, who: &str) -> Vec<String> {
    let positions = fork.items("borrowing/{}/positions", who).unwrap();
    let [position] = positions.as_slice() else { panic!("{} debts", positions.len()) };
    let legs = position.at("legs").unwrap().items().unwrap();
    let secures = |leg: &&Json| *leg.at("isCollateral").unwrap() == Json::Bool(true);
    legs.iter().filter(secures).map(|leg| leg.text_at("token/symbol").unwrap().to_owned()).collect()
}

/// Number, amount and end of each locked position, sorted.
fn locked(fork: &Fork, who: &str) -> Vec<(String, u128, String)> {
    let row = |row: &Json| {
        let amount: u128 = row.text_at("legs/0/amountRaw").unwrap().parse().unwrap();
        let number = row.text_at("number").unwrap().to_owned();
        (number, amount, row.at("unlocksAt").unwrap().to_string())
    };
    let mut rows: Vec<_> = fork.items("locked/{}/positions", who).unwrap().iter().map(row).collect();
    rows.sort();
    rows
}

fn row(number: &str, amount: u128, end: &str) -> (String, u128, String) {
    (number.to_owned(), amount, end.to_owned())
}

#[test]
fn a_spoke_lends_and_borrows_with_interest_and_premium() {
    let fork = FORK.get().unwrap();
    // 10 by 1.1; 4,000 by 1.05, and a twentieth of as much again as premium.
    let expected = [leg("USDC", 4_400 * USDC, "borrow"), leg("WETH", 11 * ONE, "supply")];
    assert_eq!(fork.lent("farmer").unwrap(), expected);
    // Eight tenths of 22,000 over 4,400.
    assert_eq!(fork.health("farmer").unwrap(), ["4"]);
    assert_eq!(collateral(&fork, "farmer"), ["WETH"]);
    assert_eq!(fork.lent("whale").unwrap(), [leg("USDC", 102_000 * USDC, "supply")]);
    assert_eq!(fork.health("whale").unwrap(), Vec::<String>::new());
    for who in ["exited", "nothing"] {
        assert_eq!(fork.lent(who).unwrap(), [], "{who}");
    }
}

#[test]
fn what_is_supplied_leaves_as_it_was_told() {
    // Calls are sent.
    let fork = FORK.start().unwrap();
    let whale = address(&fork, "whale");
    let all = withdraw_0Call { reserveId: U256::from(1), amount: U256::MAX, onBehalfOf: whale };
    assert_eq!(receives(&fork, "whale", "usdc", "credit/spoke", &all), 102_000 * USDC);
    let token = fork.address("assets/usdt").unwrap().parse().unwrap();
    let lent = withdrawBorrowTokenCall { token, amount: U256::from(900 * USDC) };
    assert_eq!(receives(&fork, "whale", "usdt", "credit/debts", &lent), 900 * USDC);
    let given = withdrawCollateralCall { amount: ONE, recipient: address(&fork, "dust") };
    assert_eq!(receives(&fork, "dust", "gohm", "credit/cooler", &given), ONE);
    let ready = redeemCall { shares: U256::from(5 * ONE), receiver: whale, controller: whale };
    assert_eq!(receives(&fork, "whale", "usdai", "credit/vault", &ready), 55 * ONE / 10);
}

#[test]
fn a_safe_owes_against_what_it_holds_and_has_not_reserved() {
    let fork = FORK.get().unwrap().of("ether-fi-cash");
    // 5,000 dollars at a millionth a second for 100,000 seconds; 2,000 dollars at 1.25; 10 less 2.
    let expected =
        [leg("EURC", 1_600 * USDC, "borrow"), leg("USDT", 5_500 * USDC, "borrow"), leg("weETH", 8 * ONE, "supply")];
    assert_eq!(fork.lent("farmer").unwrap(), expected);
    // Three quarters of 20,000 over 7,500.
    assert_eq!(fork.health("farmer").unwrap(), ["2"]);
    assert_eq!(collateral(&fork, "farmer"), ["weETH"]);
    assert_eq!(fork.lent("dust").unwrap(), [leg("weETH", 3 * ONE, "supply")]);
    assert_eq!(fork.lent("whale").unwrap(), [leg("USDT", 900 * USDC, "supply")]);
    // A Safe whose debts stand elsewhere, and an account that is no Safe.
    for who in ["odd", "exited", "nothing"] {
        assert_eq!(fork.lent(who).unwrap(), [], "{who}");
    }
}

#[test]
fn a_cooler_owes_with_its_interest() {
    let fork = FORK.get().unwrap().of("cooler-loans");
    // 4,500 by five quarters.
    let expected = [leg("USDS", 5_625 * ONE, "borrow"), leg("gOHM", 3 * ONE, "supply")];
    assert_eq!(fork.lent("farmer").unwrap(), expected);
    // Three at 3,000 over 5,625.
    assert_eq!(fork.health("farmer").unwrap(), ["1.6"]);
    assert_eq!(fork.lent("dust").unwrap(), [leg("gOHM", ONE, "supply")]);
    for who in ["whale", "nothing"] {
        assert_eq!(fork.lent(who).unwrap(), [], "{who}");
    }
}

#[test]
fn credit_accounts_owe_against_what_they_hold() {
    let fork = FORK.get().unwrap().of("gearbox");
    // The debt with interest and fees against 5,800 borrowed and four ether; one ether of the account without debt;
    // USDT.
    let expected = [
        leg("USDC", 5_800 * USDC, "supply"),
        leg("USDC", 6_000 * USDC, "borrow"),
        leg("USDT", 300 * USDC, "supply"),
        leg("WETH", ONE, "supply"),
        leg("WETH", 4 * ONE, "supply"),
    ];
    let sorted = |mut legs: Vec<_>| {
        legs.sort();
        legs
    };
    assert_eq!(sorted(fork.lent("farmer").unwrap()), sorted(expected.to_vec()));
    // 90 % of 5,800 and 85 % of 8,000, over 6,000.
    let [factor] = <[String; 1]>::try_from(fork.health("farmer").unwrap()).unwrap();
    assert!(factor.starts_with("2.00333333333333333"), "{factor}");
    assert_eq!(collateral(&fork, "farmer"), ["USDC", "WETH"]);
    assert_eq!(fork.lent("whale").unwrap(), [leg("WETH", ONE, "supply")]);
    assert_eq!(fork.health("whale").unwrap(), Vec::<String>::new());
    // Twenty thousand of the pool, and the thousand that it has got.
    assert_eq!(fork.lent("dust").unwrap(), [leg("USDC", 21_000 * USDC, "supply")]);
    for who in ["exited", "nothing"] {
        assert_eq!(fork.lent(who).unwrap(), [], "{who}");
    }
}

#[test]
fn what_is_in_a_pool_and_a_credit_account_leaves_as_it_was_told() {
    // Calls are sent. The account has 5,800 of the 6,000 that it owes: the rest is given to it.
    let fork = FORK.start().unwrap().of("gearbox");
    let usdc = fork.address("assets/usdc").unwrap();
    let token = fork.address("assets/weth").unwrap().parse().unwrap();
    let debtor = fork.address("credit/gearbox/first").unwrap().parse().unwrap();
    let given = mintCall { to: debtor, value: U256::from(200 * USDC) };
    fork.changes("whale", usdc, usdc, &Bytes::from(given.abi_encode()).to_string()).unwrap();
    let all = closeDebtCall { place: U256::ZERO, token };
    assert_eq!(receives(&fork, "farmer", "weth", "credit/gearbox/manager", &all), 4 * ONE);
    let dust = address(&fork, "dust");
    let shares = redeemCall { shares: U256::from(20_000 * USDC), receiver: dust, controller: dust };
    // Interest and fees beside the thousand.
    assert_eq!(receives(&fork, "dust", "usdc", "credit/gearbox/pool", &shares), 21_200 * USDC);
}

#[test]
fn troves_owe_at_the_manager_of_their_collateral() {
    let fork = FORK.get().unwrap().of("river");
    // 5,000 and a tenth of them; the other trove is gone.
    assert_eq!(fork.lent("farmer").unwrap(), [leg("WETH", 4 * ONE, "supply"), leg("satUSD", 5_500 * ONE, "borrow")]);
    // 12,000 over 5,500, over 1.2.
    let [factor] = <[String; 1]>::try_from(fork.health("farmer").unwrap()).unwrap();
    assert!(factor.starts_with("1.81818181818181818"), "{factor}");
    assert_eq!(collateral(&fork, "farmer"), ["WETH"]);
    let dust = [leg("WBTC", 50_000_000, "supply"), leg("satUSD", 12_500 * ONE, "borrow")];
    assert_eq!(fork.lent("dust").unwrap(), dust);
    // 30,000 over 12,500, over 1.2.
    assert_eq!(fork.health("dust").unwrap(), ["2"]);
    // Nine tenths of 2,000.
    assert_eq!(fork.staked("farmer").unwrap(), [("satUSD".to_owned(), 1_800 * ONE)]);
    for who in ["exited", "nothing"] {
        assert_eq!(fork.lent(who).unwrap(), [], "{who}");
        assert_eq!(fork.staked(who).unwrap(), [], "{who}");
        assert_eq!(fork.claims(who).unwrap().len(), 0, "{who}");
    }
}

#[test]
fn gains_of_a_deposit_and_what_a_redemption_left_are_claimed() {
    // Claims are sent.
    let fork = FORK.start().unwrap().of("river");
    let mut claims = fork.claims("farmer").unwrap();
    claims.sort_by_key(|claim| claim.said.len());
    let expected = [vec![("wbtc", 60_000_000)], vec![("wbtc", 100_000), ("weth", ONE / 10)]];
    assert_eq!(claims.len(), expected.len());
    for (claim, paid) in claims.iter().zip(expected) {
        let paid: Payments = paid.into_iter().map(|(asset, amount)| (asset.to_owned(), amount)).collect();
        assert_eq!((&claim.said, &claim.received), (&paid, &paid));
    }
    // What secures a debt leaves once that is paid; so does the deposit.
    assert_eq!(receives(&fork, "whale", "weth", "credit/river/ofWeth", &closeTroveCall {}), 10 * ONE);
    let all = withdrawFromSPCall { amount: U256::MAX };
    assert_eq!(receives(&fork, "farmer", "satusd", "credit/river/app", &all), 1_800 * ONE);
}

#[test]
fn a_position_at_an_alchemist_owes_what_is_not_redeemed() {
    // Calls are sent.
    let fork = FORK.start().unwrap().of("alchemix");
    // Five shares at 1.2 against two and a half; half a share is outside.
    let half = 25 * ONE / 10;
    let expected = [leg("WETH", 6 * ONE, "supply"), leg("WETH", 6 * ONE / 10, "supply"), leg("alETH", half, "borrow")];
    let mut lent = fork.lent("farmer").unwrap();
    lent.sort_by_key(|(symbol, amount, _)| (symbol.clone(), u128::MAX - amount));
    assert_eq!(lent, expected);
    // 6 over 2.5, over 1.25.
    assert_eq!(fork.health("farmer").unwrap(), ["1.92"]);
    assert_eq!(collateral(&fork, "farmer"), ["WETH"]);
    assert_eq!(fork.lent("whale").unwrap(), [leg("WETH", 24 * ONE / 10, "supply")]);
    assert_eq!(fork.health("whale").unwrap(), Vec::<String>::new());
    assert_eq!(fork.lent("dust").unwrap(), [leg("WETH", 6 * ONE, "supply")]);
    for who in ["exited", "nothing"] {
        assert_eq!(fork.lent(who).unwrap(), [], "{who}");
    }
    let whale = address(&fork, "whale");
    let all = withdraw_1Call { amount: U256::from(2 * ONE), recipient: whale, tokenId: U256::from(2) };
    assert_eq!(receives(&fork, "whale", "mixed", "credit/alchemix/alchemist", &all), 2 * ONE);
    let dust = address(&fork, "dust");
    let shares = redeemCall { shares: U256::from(5 * ONE), receiver: dust, controller: dust };
    assert_eq!(receives(&fork, "dust", "weth", "credit/alchemix/vault", &shares), 6 * ONE);
}

#[test]
fn requests_to_redeem_are_locked_until_they_are_paid() {
    let fork = FORK.get().unwrap().of("usd-ai");
    // What is left, by 1.2.
    assert_eq!(fork.staked("farmer").unwrap(), [("USDai".to_owned(), 84 * ONE)]);
    let [ready, waits] = ["ready", "waits"].map(|end| fork.number(&format!("ends/{end}")).unwrap().to_string());
    // Four by 1.2 with six that were paid at 1.1, and nobody knows when the rest is; twenty by 1.2.
    let expected = [row("1", 114 * ONE / 10, "null"), row("2", 24 * ONE, &waits)];
    assert_eq!(locked(&fork, "farmer"), expected);
    assert_eq!(locked(&fork, "whale"), [row("3", 55 * ONE / 10, &ready)]);
    assert_eq!(locked(&fork, "nothing"), []);
}

#[test]
fn restaked_tokens_are_those_that_have_not_left() {
    let fork = FORK.get().unwrap().of("symbiotic");
    let row = |symbol: &str, amount: u128| (symbol.to_owned(), amount);
    // 10 less 2, 1, 3 and a half.
    assert_eq!(fork.staked("farmer").unwrap(), [row("wstETH", 35 * ONE / 10)]);
    assert_eq!(fork.staked("whale").unwrap(), [row("wstETH", 25 * ONE)]);
    // A hundred shares by 1.1, and a collateral.
    assert_eq!(fork.staked("dust").unwrap(), [row("USDC", 110 * USDC), row("wstETH", 7 * ONE)]);
    assert_eq!(fork.staked("nothing").unwrap(), []);
    let ends = fork.expected("ends/epochs").unwrap().as_array().unwrap().clone();
    let waits = |number: &str, amount, place: usize| (number.to_owned(), amount, ends[place].to_string());
    assert_eq!(locked(&fork, "farmer"), [waits("16", 3 * ONE, 0), waits("17", ONE / 2, 1)]);
    for who in ["whale", "dust", "nothing"] {
        assert_eq!(locked(&fork, who), [], "{who}");
    }
}

#[test]
fn a_withdrawal_is_claimed_once_its_epoch_is_over() {
    // Claims are sent.
    let fork = FORK.start().unwrap().of("symbiotic");
    let claims = fork.claims("farmer").unwrap();
    let [claim] = claims.as_slice() else { panic!("{} claims", claims.len()) };
    let paid = pays([("wsteth", ONE)]);
    assert_eq!((&claim.said, &claim.received), (&paid, &paid));
    assert_eq!(claim.rows[0].text_at("claimTransaction/to").unwrap(), fork.address("credit/restaking").unwrap());
    // That of the whale is older than the epochs that are looked at.
    for who in ["whale", "dust", "nothing"] {
        assert_eq!(fork.claims(who).unwrap().len(), 0, "{who}");
    }
}
