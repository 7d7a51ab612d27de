//! Chefs with bonuses, one that pays what it was given, one that counts blocks, a chef of positions, pools that give out NFTs, nitro pools that
//! take these, staked JOE and shares of validators. What they have to be is said here by arithmetic; `tests/chain/profiles/chefs.mjs` has the history.
//!
//! Every chef pays 4 * 10^12 a second, of which the first pool has a quarter. In it the farmer has a quarter of what is
//! staked and the whale the rest; the second pool is the whale's. So all amounts follow from what is paid for one point.

use portolan_tests::fork::{Payments, ROWS, SharedFork, pays};

const ONE: u128 = 1_000_000_000_000_000_000;
/// The amount that a point of a chef's four is paid in a second.
const POINT: u128 = 1_000_000_000_000;

/// The amount that a point of four is paid of the one block for which the chef that counts blocks has paid.
const BLOCK: u128 = 872_000_000_000_000;

static FORK: SharedFork = SharedFork::new("chefs");

/// Protocol, account and what each of its claims pays.
type Claims = (&'static str, &'static str, Vec<Payments>);

/// Returns the payments of the claims if a point was paid so much.
fn expected(point: u128) -> Vec<Claims> {
    // A bonus is half of what the chef pays.
    let with_bonus = |symbol, amount: u128| pays([(symbol, amount), ("bonus", amount / 2)]);
    let (farmers, whales, second) = (point / 4, point * 3 / 4, point * 3);
    // Four fifths of what a position earned are restricted.
    let split = |amount: u128| pays([("grail", amount / 5), ("xgrail", amount * 4 / 5)]);
    let nitro = |amount: u128| pays([("bonus", amount), ("usdc", amount / 2)]);
    // The fees of 4 and of 0.4 are shared as the stakes are.
    let fees = |quarters: u128| pays([("usdc", quarters * ONE), ("joe", quarters * ONE / 10)]);
    vec![
        ("stargate", "farmer", vec![pays([("stg", farmers)])]),
        // Of the second pool's 3 points it can pay 2, which is all that it was given.
        ("stargate", "whale", vec![pays([("stg", whales)]), pays([("stg", point * 2)])]),
        ("trader-joe", "farmer", vec![with_bonus("joe", farmers), fees(1)]),
        ("trader-joe", "whale", vec![with_bonus("joe", whales), pays([("joe", second)]), fees(3)]),
        ("alienbase", "farmer", vec![with_bonus("alb", farmers)]),
        // The second pool's interval is not over: its claim would pay the bonus alone.
        ("alienbase", "whale", vec![with_bonus("alb", whales), pays([("bonus", second / 2)])]),
        // The first two are of the first pool. The nitro pool that the second one's NFTs are in pays as the pool does, and
        // half as much of another token; the one that has an NFT of the first pool lets nobody harvest yet.
        ("camelot", "farmer", vec![split(point), split(point), split(point), nitro(point)]),
        ("camelot", "whale", vec![split(point * 2), split(point * 3), nitro(point * 3)]),
        // Of one block's emission of 4 * 10^15 the pools get 872 thousandths; the first one has a rewarder.
        ("beethovenx", "farmer", vec![with_bonus("beets", BLOCK / 4)]),
        ("beethovenx", "whale", vec![with_bonus("beets", BLOCK * 3 / 4), pays([("beets", BLOCK * 3)])]),
        // The chef collects the fees of a staked position for the account.
        ("pancakeswap", "farmer", vec![pays([("cake", point)]), pays([("one", 3 * ONE)])]),
        ("pancakeswap", "whale", vec![pays([("cake", second)])]),
        ("polygon-protocol", "farmer", vec![pays([("pol", 2 * ONE)])]),
        ("polygon-protocol", "whale", vec![pays([("pol", 6 * ONE)])]),
        // Four of the nine that it took out have waited for eighty epochs.
        ("polygon-protocol", "odd", vec![pays([("pol", 4 * ONE)])]),
    ]
}

#[test]
fn each_claim_pays_exactly_what_is_owed_and_what_its_simulation_says() {
    // The other tests read a chain on which nothing happens.
    let fixture = FORK.start().unwrap();
    // The amount that a point was paid since all was staked.
    let point = POINT * fixture.number("seconds").unwrap();
    for (slug, who, mut expected) in expected(point) {
        expected.sort();
        assert_eq!(fixture.of(slug).payments(who).unwrap(), expected, "{slug}: {who}");
    }
}

#[test]
fn stakes_are_positions() {
    let fixture = FORK.get().unwrap();
    let held = |slug, who| fixture.of(slug).staked(who).unwrap();
    let stake = |symbol: &str, amount: u128| (symbol.to_owned(), amount * ONE);
    let (farmers, whales) = ([stake("ONE", 10)], [stake("ONE", 30), stake("TWO", 5)]);
    for slug in ["stargate", "alienbase", "beethovenx"] {
        assert_eq!(held(slug, "farmer"), farmers, "{slug}");
        assert_eq!(held(slug, "whale"), whales, "{slug}");
    }
    assert_eq!(held("trader-joe", "farmer"), [stake("JOE", 10), stake("ONE", 10)]);
    assert_eq!(held("trader-joe", "whale"), [stake("JOE", 30), stake("ONE", 30), stake("TWO", 5)]);
    assert_eq!(held("camelot", "farmer"), [stake("ONE", 10), stake("ONE", 10), stake("TWO", 10)]);
    assert_eq!(held("camelot", "whale"), [stake("ONE", 20), stake("TWO", 30)]);
    // Liquidity of 10 and of 30 in the ticks from -60 to 60, at a price of one: times 1 - 1.0001^-30.
    let placed = |amount| [("ONE".to_owned(), amount), ("TWO".to_owned(), amount)];
    assert_eq!(held("pancakeswap", "farmer"), placed(29_953_549_559_107_809));
    assert_eq!(held("pancakeswap", "whale"), placed(89_860_648_677_323_428));
    assert_eq!(held("polygon-protocol", "farmer"), [stake("POL", 5), stake("POL", 10)]);
    assert_eq!(held("polygon-protocol", "whale"), [stake("POL", 30)]);
}

#[test]
fn an_account_with_nothing_gets_empty_answers() {
    let fixture = FORK.get().unwrap();
    for slug in ROWS.iter().filter(|row| row.profile == "chefs").map(|row| row.protocol) {
        let fork = fixture.of(slug);
        assert_eq!(fork.items("{}/claimables", "nothing").unwrap(), [], "{slug}");
        assert_eq!(fork.items("farming/{}/positions", "nothing").unwrap(), [], "{slug}");
    }
}

#[test]
fn a_position_is_locked_as_long_as_its_lock_lasts() {
    let fixture = FORK.get().unwrap();
    let rows = fixture.of("camelot").items("farming/{}/positions", "farmer").unwrap();
    let mut ends: Vec<String> = rows.iter().map(|row| row.at("position/unlocksAt").unwrap().to_string()).collect();
    ends.sort();
    // A year from when all was staked; the other lock lasted a second.
    let staked_s = fixture.chain.block_timestamp - fixture.chain.expected["seconds"].as_u64().unwrap();
    assert_eq!(ends, [(staked_s + 31_536_000).to_string(), "null".to_owned(), "null".to_owned()]);
}
