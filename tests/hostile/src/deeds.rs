//! The deeds of each protocol in a job.

use portolan_plugin_api::*;

use crate::claims::{self, good};
use crate::contracts::*;
use crate::{HOST, NOWHERE, POLYGON, escapes, shares};

/// Every slug but `steady`'s.
pub(crate) const SLUGS: &[&str] = &[
    "bad_claims",
    "bad_addresses",
    "claims_unlisted",
    "ends_a_stake",
    "reads_documents",
    "panics_at_once",
    "panics_midway",
    "never_returns",
    "reads_for_ever",
    "reads_too_much",
    "finds_many",
    "finds_too_much",
    "finds_a_million",
    "writes_too_much",
    "writes_controls",
    "writes_backwards",
    "answers_another_question",
    "pays_a_token_twice",
    "awaits_nothing",
    "reads_nowhere",
    "fails_late",
    "misses_some",
    "knows_of_more",
    "knows_of_more_and_misses",
    "finds_huge_amounts",
    "ends_the_process",
    "exits",
];

const NOT_COVERED: &str = "the first locker holds a stake of this account";
/// Far beyond any budget of reads.
const READS_TOO_MANY: u64 = 100_000;
/// Within the bound of findings.
const FINDINGS_MANY: u64 = 4_000;
/// Beyond any bound of findings, and few enough to be returned in time.
const FINDINGS_TOO_MANY: u64 = 10_000;
/// Far beyond any bound of a frame.
const MILLION: u64 = 1_000_000;
/// Far beyond any bound of a text.
const TEXT_TOO_LONG: usize = 10_000_000;
/// Batches of reads that `steady` needs, so that its answers are under way for a while.
const STEADY_BATCHES: u8 = 3;

pub(crate) async fn claimables(cx: &JobContext, account: Address, greeting: &str) -> Result<Vec<Claimable>, Error> {
    match cx.protocol() {
        "steady" => return steady(cx, account, greeting).await,
        slug if shares::SLUGS.contains(&slug) => return Ok(vec![owed(cx, shares::token(slug))]),
        "bad_claims" => return Ok(bad_claims(cx)),
        "bad_addresses" => return bad_addresses(cx, account).await,
        "reads_documents" => return documented(cx, account).await,
        "ends_a_stake" => {
            return Ok(vec![claims::stake_ended(cx), claims::stake_ended_first(cx), good(cx, "good", 11)]);
        }
        "claims_unlisted" => return Ok(vec![claims::for_account(cx, account), good(cx, "good", 11)]),
        "panics_at_once" => panic_about("panics at once"),
        "panics_midway" => {
            cx.emit(good(cx, "early", 11));
            cx.native_balance(account).await?;
            panic_about("panics midway");
        }
        "never_returns" => {
            cx.emit(good(cx, "early", 11));
            cx.native_balance(account).await?;
            never_return();
        }
        "reads_for_ever" => {
            cx.emit(good(cx, "early", 11));
            loop {
                cx.native_balance(account).await?;
            }
        }
        "reads_too_much" => {
            cx.emit(good(cx, "early", 11));
            cx.native_balance(account).await?;
            let other = |place: u64| Address::left_padding_from(&place.to_be_bytes());
            cx.join((0..READS_TOO_MANY).map(|place| cx.native_balance(other(place)))).await?;
        }
        "finds_many" => (1..=FINDINGS_MANY).for_each(|place| cx.emit(one_of_many(cx, place))),
        "finds_too_much" => (1..=FINDINGS_TOO_MANY).for_each(|place| cx.emit(one_of_many(cx, place))),
        "finds_a_million" => (1..=MILLION).for_each(|place| cx.emit(one_of_many(cx, place))),
        "writes_too_much" => cx.emit(good(cx, &"long ".repeat(TEXT_TOO_LONG / 5), 11)),
        "writes_controls" => cx.emit(good(cx, "up\u{202e}side\u{0}\r\ndown\u{1b}[31m", 11)),
        "writes_backwards" => cx.emit(good(cx, "sure \u{202e}ton", 11)),
        "answers_another_question" => cx.emit(position()),
        "pays_a_token_twice" => cx.emit(claims::paid_twice(cx)),
        "awaits_nothing" => {
            cx.emit(good(cx, "early", 11));
            std::future::pending::<()>().await;
        }
        "reads_nowhere" => {
            cx.emit(good(cx, "early", 11));
            cx.native_balance(account).on(NOWHERE).await?;
        }
        "fails_late" => {
            cx.emit(good(cx, "early", 11));
            cx.native_balance(account).await?;
            return Err(Error::new("the second half is not to be had"));
        }
        "misses_some" => {
            cx.emit(good(cx, "early", 11));
            cx.report_missing("a list was shorter than it says");
        }
        "knows_of_more" => cx.report_not_covered(NOT_COVERED),
        "knows_of_more_and_misses" => {
            cx.emit(good(cx, "early", 11));
            cx.report_not_covered(NOT_COVERED);
            cx.report_missing("a list was shorter than it says");
        }
        "finds_huge_amounts" => {
            return Ok(vec![paying(good(cx, "huge", 1), QUICK, U256::MAX)]);
        }
        // For one account alone, so that whoever requests all protocols is served.
        "ends_the_process" if account == STRANGER => {
            cx.native_balance(account).await?;
            std::process::abort();
        }
        "exits" if account == STRANGER => {
            cx.native_balance(account).await?;
            std::process::exit(0);
        }
        "ends_the_process" | "exits" => {}
        slug if escapes::slugs().any(|escape| escape == slug) => {
            cx.native_balance(account).await?;
            if account == STRANGER {
                return Ok(escapes::attempt(cx));
            }
        }
        other => return Err(Error::new(format!("{other} does nothing"))),
    }
    Ok(Vec::new())
}

pub(crate) async fn farming(cx: &JobContext, account: Address) -> Result<Vec<Position>, Error> {
    match cx.protocol() {
        "panics_at_once" => panic_about("panics at once"),
        "answers_another_question" => cx.emit(good(cx, "a claim", 11)),
        _ => drop(cx.native_balance(account).await?),
    }
    Ok(Vec::new())
}

/// Reads a server's document about the account, and returns a claim of as much as it has bytes.
async fn documented(cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
    let document = cx.try_http_get(&format!("https://{HOST}/{account:#x}")).await?;
    let documented = document.ok().map(|body| {
        let number = Some(U256::from(2));
        Claimable { number, ..good(cx, "documented", body.len() as u64) }
    });
    Ok(documented.into_iter().chain([good(cx, "good", 11)]).collect())
}

fn bad_claims(cx: &JobContext) -> Vec<Claimable> {
    vec![
        claims::foreign_beneficiary(cx),
        claims::undeclared_target(cx),
        claims::approval(cx),
        claims::nested(cx),
        claims::with_value(cx),
        claims::without_template(cx),
        claims::undecodable(cx),
        claims::unread_number(cx),
        good(cx, "good", 11),
    ]
}

async fn bad_addresses(cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
    let named = cx.call(PAIRS, allPairsCall { index: U256::ZERO }).await?;
    Ok(vec![
        claims::hearsay_target(cx, named),
        claims::transfer(cx, account),
        claims::unknown_token(cx),
        claims::paid_twice(cx),
        claims::foreign_market(cx),
        good(cx, "good", 11),
    ])
}

/// A little more than five whole tokens, where these have 18 decimals.
fn owed(cx: &JobContext, token: Address) -> Claimable {
    paying(good(cx, "shares", 1), token, U256::from(5_000_000_000_000_000_007_u64))
}

fn paying(claimable: Claimable, token: Address, amount: U256) -> Claimable {
    Claimable { payments: Vec::new(), ..claimable }.pays(token, amount)
}

fn one_of_many(cx: &JobContext, place: u64) -> Claimable {
    let mut claimable = good(cx, "one of many", place);
    claimable.contract = Address::left_padding_from(&place.to_be_bytes());
    claimable
}

/// One claimable for each batch of reads, named after the build; on polygon the amounts are read, and elsewhere paid in
/// the native token, because no chain but polygon has the other.
async fn steady(cx: &JobContext, account: Address, greeting: &str) -> Result<Vec<Claimable>, Error> {
    let mut found = Vec::new();
    for batch in 1..=STEADY_BATCHES {
        let balance = cx.native_balance(account).await?;
        let (token, held) = match cx.network() {
            POLYGON => (QUICK, cx.call(QUICK, balanceOfCall { account: LAIR }).await?),
            _ => (NATIVE, balance),
        };
        let mut claimable = good(cx, &format!("{greeting} from build {}", env!("CARGO_PKG_VERSION")), 1);
        claimable.contract = Address::with_last_byte(batch);
        found.push(paying(claimable, token, held + U256::from(batch)));
    }
    Ok(found)
}

fn position() -> Position {
    let stake = Leg::new(LegRole::STAKED, QUICK, U256::from(1));
    Position::new(PositionKind::STAKED, "main", LAIR).named("position").mechanism("hostile").leg(stake)
}

#[expect(clippy::panic, reason = "the host must bear it")]
fn panic_about(what: &str) -> ! {
    panic!("{what}")
}

/// Holds its thread for ever, without burning the processor that the test needs.
fn never_return() -> ! {
    loop {
        std::thread::park();
    }
}
