//! Whole bodies against the samples of the API's contract.

mod balances;
mod clear_signing;

use std::collections::BTreeMap;
use std::sync::Arc;

use alloy::primitives::{Address, B256, Bytes, U256, address};
use portolan_abi::map::{self, LegRole, PaidTo, PositionKind};
use portolan_assets::names::Name;
use portolan_assets::price::Currency;
use portolan_assets::token::{DecimalsSource, NATIVE, Price, Token};
use portolan_base::network::{Network, Networks};
use portolan_base::sanitize::web_url::WebUrl;
use portolan_plugins::protocol::Protocol;

use super::*;
use crate::budget::AnswerBudget;
use crate::gateway::answer::{
    AccountAnswer, Balance, ClaimItem, Coverage, CoverageRow, MissingEntry, Portfolio, PositionItem, Row, RowItem,
};
use crate::gateway::claims::verdict::{ClaimSimulation, Verdict};
use crate::jobs::failure::Reason;
use crate::jobs::job::MetCode;
use crate::jobs::report::{JobReport, JobStatus};
use crate::jobs::stats::JobStats;
use portolan_reader::Block;
use portolan_validation::{ClaimTransaction, TargetSource};

const ACCOUNT: Address = address!("F18adf71266411FF39FfC268843c9A64b3292d86");
const NETWORK: &str = concat!(
    r#"{"name":"OPTIMISM","#,
    r#""logo":"https://github.com/defitrack/data/raw/master/logo/network/optimism.png","chainId":10}"#
);
const PROTOCOL: &str = r#""name":"VELODROME_V2","logo":"https://l","slug":"velodrome_v2","primitives":["POOLING","FARMING"],"website":"https://w""#;
const COMPANY: &str = r#""company":{"name":"Velodrome","slug":"velodrome"}"#;
const VELO: &str = concat!(
    r#""address":"0x9560e827af36c94d2ac33a39bce1fe78631088db","name":"VelodromeV2","symbol":"VELO","#,
    r#""decimals":18,"logo":null,"type":"SINGLE""#
);
/// Further members of tokens with `detail=full`.
const LISTED: &str = concat!(
    r#","listed":true,"lookalike":false,"#,
    r#""caip19":"eip155:10/erc20:0x9560e827aF36c94D2Ac33a39bCE1Fe78631088Db""#
);
const REDEEMS_TO: &str = r#","underlyingTokens":["0xf18adf71266411ff39ffc268843c9a64b3292d86"]"#;
const SUPPLY: &str = r#""totalSupply":296514877005303546555804032"#;
/// The budget of an answer that used only the time and bytes in these tests.
const BUDGET: &str = concat!(
    r#""budget":{"reads":{"used":0,"max":1099511627776},"nodeRequests":{"used":0,"max":1099511627776},"#,
    r#""outgoingRequests":{"used":0,"max":1048576},"events":{"used":0,"max":1048576},"#,
    r#""bytes":{"used":77,"max":1073741824},"timeMs":{"used":5,"max":60000}}"#
);
const EXTRA: &str = concat!(
    r#""account":"0xf18adf71266411ff39ffc268843c9a64b3292d86","#,
    r#""caip10":"eip155:10:0xf18adf71266411FF39FfC268843c9A64b3292d86","plugin":"velodrome@1.2.0","#,
    r#""priceSource":"static","priceAgeSeconds":null,"priceContracts":[]"#
);

/// Adds what networks have with `detail=full`.
fn with_ids(body: &str) -> String {
    body.replace(r#""chainId":10}"#, r#""chainId":10,"caip2":"eip155:10"}"#)
}

fn network(chain_id: u64) -> Arc<Network> {
    Networks::new([]).with_chain_id(chain_id).unwrap().clone()
}

fn protocol() -> Arc<Protocol> {
    Arc::new(Protocol {
        slug: "velodrome_v2".into(),
        name: "VELODROME_V2".into(),
        website: WebUrl::parse("https://w").unwrap(),
        logo: WebUrl::parse("https://l").unwrap(),
        primitives: vec!["POOLING".into(), "FARMING".into()],
        company_name: "Velodrome".into(),
        company_slug: "velodrome".into(),
    })
}

fn row(id: &str, item: RowItem) -> Row {
    Row {
        id: id.into(),
        protocol: protocol(),
        network: network(10),
        account: ACCOUNT,
        plugin: "velodrome@1.2.0".into(),
        provenance: None,
        item,
    }
}

fn by_address(token: Arc<Token>) -> BTreeMap<Address, Arc<Token>> {
    BTreeMap::from([(token.address, token)])
}

fn rows(rows: Vec<Row>) -> Answer {
    answer(Items::Rows { rows, aggregate: false, with_simulations: false })
}

fn word(number: u128) -> U256 {
    U256::from(number)
}

fn velo() -> Arc<Token> {
    Arc::new(Token {
        network: network(10),
        address: address!("9560e827af36c94d2ac33a39bce1fe78631088db"),
        name: "VelodromeV2".into(),
        symbol: "VELO".into(),
        is_listed: true,
        is_lookalike: false,
        decimals: 18,
        decimals_source: DecimalsSource::Contract,
        logo: None,
        kind: "SINGLE".into(),
        total_supply: "296514877005303546555804032".parse().unwrap(),
        underlying: vec![ACCOUNT],
        price: Some(Price { usd: "0.5".parse().unwrap(), source: "static", age_s: None, contracts: Vec::new() }),
    })
}

fn transaction() -> ClaimTransaction {
    ClaimTransaction {
        to: address!("cc53cd0a8ec812d46f0e2c7cc5aadd869b6f0292"),
        target_source: TargetSource::View("gauges(address)".into()),
        from: ACCOUNT,
        is_by_anyone: false,
        value: U256::ZERO,
        data: Bytes::from_static(&[0xc0, 0x00, 0x07, 0xb0]),
        function: "getReward".into(),
        inputs: vec![("address".into(), "0xf18adf71266411ff39ffc268843c9a64b3292d86".into())],
        mergeable: None,
    }
}

fn claim(token: Arc<Token>, transactions: Vec<ClaimTransaction>) -> ClaimItem {
    let found = map::Claimable::default().mechanism("velodrome-reward");
    let found = found.pays(token.address, word(254_214_875_421_980_600_000));
    ClaimItem {
        id: "c".into(),
        names: vec!["WETH/OP reward".into()],
        found,
        transactions,
        simulation: None,
        cost: None,
        native: None,
        net_usd: None,
        tokens: by_address(token),
    }
}

fn claimable() -> Row {
    row("a", RowItem::Payment { claim: Arc::new(claim(velo(), vec![transaction()])), place: 0 })
}

fn position(found: map::Position) -> Arc<PositionItem> {
    let leg_names = found.legs.iter().map(|_| "WETH/OP reward".into()).collect();
    Arc::new(PositionItem { id: "p".into(), name: "WETH/OP".into(), leg_names, found, tokens: by_address(velo()) })
}

fn leg(role: LegRole, amount: u128) -> map::Leg {
    map::Leg::new(role, velo().address, word(amount))
}

/// A loan of 2^64 and an equal debt.
fn loan() -> Arc<PositionItem> {
    let rate = word(50_000_000_000_000_000_000_000_000);
    let legs = [LegRole::SUPPLIED, LegRole::BORROWED].map(|role| leg(role, 1 << 64).rate_ray(rate));
    let found = map::Position::new(PositionKind::BORROWED, "main", ACCOUNT).mechanism("aave-v3").legs(legs);
    let factor_wad = Some(word(2_000_000_000_000_000_000));
    position(map::Position { health: Some(map::Health { factor_wad, liquidation_price: None }), ..found })
}

fn answer(items: Items) -> Answer {
    let budget = AnswerBudget::ample();
    Answer {
        items,
        blocks: Vec::new(),
        missing: Vec::new(),
        jobs: Vec::new(),
        about_account: true,
        budget,
        currency: None,
    }
}

fn text(answer: &Answer, full: bool) -> String {
    text_as(answer, Form { full, ..Form::default() })
}

fn text_as(answer: &Answer, form: Form) -> String {
    let mut body = Vec::new();
    write(answer, form, &mut body, &Cell::new(77)).unwrap();
    let text = String::from_utf8(body).unwrap();
    // Only the time differs from run to run.
    let Some((before, time)) = text.split_once("\"timeMs\":{\"used\":") else { return text };
    format!("{before}\"timeMs\":{{\"used\":5{}", time.trim_start_matches(|digit: char| digit.is_ascii_digit()))
}

#[test]
fn an_aggregate_claimable_has_no_type_and_no_function_but_a_whole_token() {
    let expected = format!(
        "[{{\"id\":\"a\",\"claimId\":\"c\",\"name\":\"WETH/OP reward\",\"protocol\":{{{PROTOCOL},{COMPANY}}},\"network\":{NETWORK},\
         \"dollarValue\":127.1074377109903,\"netDollarValue\":null,\"amount\":254.2148754219806,\
         \"token\":{{{VELO},{SUPPLY},\"network\":{NETWORK},\
         \"underlyingTokens\":[\"0xf18adf71266411ff39ffc268843c9a64b3292d86\"],\"protocol\":null}},\
         \"simulated\":null,\"claimTransaction\":{{\"network\":{NETWORK},\"to\":\"0xcc53cd0a8ec812d46f0e2c7cc5aadd869b6f0292\",\
         \"from\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\"data\":\"0xc00007b0\"}}}}]"
    );
    let all = Items::Rows { rows: vec![claimable()], aggregate: true, with_simulations: false };
    assert_eq!(text(&answer(all), false), expected);
}

#[test]
fn a_claimable_of_one_protocol_has_type_and_function_and_a_plain_token() {
    let expected = format!(
        "[{{\"id\":\"a\",\"claimId\":\"c\",\"name\":\"WETH/OP reward\",\"type\":\"velodrome-reward\",\
         \"protocol\":{{{PROTOCOL},{COMPANY}}},\"network\":{NETWORK},\
         \"dollarValue\":127.1074377109903,\"netDollarValue\":null,\"amount\":254.2148754219806,\"token\":{{{VELO},{SUPPLY}}},\
         \"simulated\":null,\"claimTransaction\":{{\"network\":{NETWORK},\"function\":{{\"name\":\"getReward\",\"inputParameters\":\
         [{{\"value\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\"typeAsString\":\"address\"}}],\
         \"outputParameters\":[]}},\"to\":\"0xcc53cd0a8ec812d46f0e2c7cc5aadd869b6f0292\",\
         \"from\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\"data\":\"0xc00007b0\"}}}}]"
    );
    assert_eq!(text(&rows(vec![claimable()]), false), expected);
}

/// A third of a smallest unit per second is one smallest unit per year for each three of the year's seconds.
#[test]
fn a_rate_below_one_smallest_unit_a_second_is_no_zero() {
    let stake = leg(LegRole::STAKED, 1).of_total(word(31_536_000));
    let reward = map::Reward::share(velo().address, word(1), word(1), word(3));
    let found = map::Position::new(PositionKind::STAKED, "main", ACCOUNT).mechanism("velodrome-gauge").leg(stake);
    let shown = text(&rows(vec![row("f", RowItem::Leg { position: position(found.reward(reward)), place: 0 })]), true);
    for member in ["\"apr\":0.333333333333333333", "\"perSecond\":0.000000000000000000333333333333333333"] {
        assert!(shown.contains(member), "{member}: {shown}");
    }
}

#[test]
fn a_farming_position_has_no_company_and_no_supplies_and_is_worth_its_underlying() {
    let stake = leg(LegRole::STAKED, 1).redeeming(word(3_000_000_000_000_000_000));
    let found = map::Position::new(PositionKind::STAKED, "main", ACCOUNT).mechanism("velodrome-gauge").leg(stake);
    let position = position(found.reward(map::Reward::new(velo().address, None)));
    let position = row("f", RowItem::Leg { position, place: 0 });
    let shown = |raw: &str, underlying_raw: &str, listed: &str, extra: &str| {
        format!(
            "{{\"id\":\"f\",\"network\":{NETWORK},\"protocol\":{{{PROTOCOL}}},\"dollarValue\":1.5,\
             \"name\":\"WETH/OP reward\",\"contractAddress\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\
             \"vaultType\":\"velodrome-gauge\",\"apr\":0,\"stakedToken\":{{{VELO}{listed}}},\"amount\":0.000000000000000001{raw},\
             \"underlyingAmount\":3{underlying_raw},\"rewardTokens\":[{{{VELO}{listed}}}]{extra}}}"
        )
    };
    let answer = rows(vec![position]);
    assert_eq!(text(&answer, false), format!("[{}]", shown("", "", "", "")));
    let underlying_raw = ",\"underlyingAmountRaw\":\"3000000000000000000\"";
    let known = [LISTED, REDEEMS_TO].concat();
    let token = format!("{{{VELO}{known}}}");
    let of_leg = format!(
        "{{\"role\":\"staked\",\"name\":\"WETH/OP reward\",\"token\":{token},\
         \"tokenAddress\":\"0x9560e827af36c94d2ac33a39bce1fe78631088db\",\"amount\":0.000000000000000001,\
         \"amountRaw\":\"1\",\"dollarValue\":1.5,\"rate\":null,\"isCollateral\":null,\"redeemsTo\":[{{\"token\":{token},\
         \"tokenAddress\":\"0x9560e827af36c94d2ac33a39bce1fe78631088db\",\"amount\":3,\
         \"amountRaw\":\"3000000000000000000\"}}],\"receipt\":null}}"
    );
    let position = format!(
        "{{\"positionId\":\"p\",\"kind\":\"staked\",\"type\":\"velodrome-gauge\",\"market\":\"main\",\
         \"contractAddress\":\"0xf18adf71266411ff39ffc268843c9a64b3292d86\",\"number\":null,\"nft\":null,\
         \"rewards\":[{{\"token\":{token},\"tokenAddress\":\"0x9560e827af36c94d2ac33a39bce1fe78631088db\",\
         \"apr\":null,\"perSecond\":null,\"ownPerSecond\":null}}],\"unlocksAt\":null,\"isPermanent\":null,\
         \"vesting\":null,\"range\":null,\"health\":null,\"leg\":{of_leg},\"owed\":[]}}"
    );
    let extra = format!(",{EXTRA},\"position\":{position}");
    let full = with_ids(&shown(",\"amountRaw\":\"1\"", underlying_raw, &known, &extra));
    let report = format!(r#""report":{{"blocks":{{}},"jobs":[],{BUDGET}}}"#);
    assert_eq!(text(&answer, true), format!("{{\"items\":[{full}],{report}}}"));
}

#[test]
fn rows_of_one_transaction_have_one_claim_and_the_full_answer_all_that_it_pays() {
    let unknown = Address::repeat_byte(0x77);
    let mut claim = claim(velo(), vec![transaction(), ClaimTransaction { value: word(9), ..transaction() }]);
    claim.names.push("bonus".into());
    let paid_to = PaidTo::LOCK;
    claim.found = claim.found.payment(map::Payment { token: unknown, amount: word(5), paid_to, name: None });
    let claim = Arc::new(claim);
    let payment = |place| row("a", RowItem::Payment { claim: Arc::clone(&claim), place });
    let plain = text(&rows(vec![payment(0), payment(1)]), false);
    assert_eq!(plain.matches(r#""claimId":"c""#).count(), 1, "a token that is not known has no row: {plain}");
    assert!(plain.contains(r#""data":"0xc00007b0","value":"9"},"claimSteps":[{"network""#), "{plain}");
    let full = text(&rows(vec![payment(0)]), true);
    let second = r#"{"token":null,"tokenAddress":"0x7777777777777777777777777777777777777777","amount":null,"amountRaw":"5","paidTo":"lock"}"#;
    assert!(full.contains(second), "{full}");
    assert!(full.contains(r#""targetSource":"factory","targetView":"gauges(address)","byAnyone":false"#), "{full}");
}

#[test]
fn a_position_has_all_its_legs_and_unknown_is_null() {
    let answer = rows(vec![row("x", RowItem::Position(loan()))]);
    let text = text(&answer, false);
    // 2^64 smallest units of 18 decimals at half a dollar are 9.22337203685477581 to 18 digits, and the debt as much.
    let leg = |role: &str| {
        format!(
            r#"{{"role":"{role}","name":"WETH/OP reward","token":{{{VELO}}},"tokenAddress":"0x9560e827af36c94d2ac33a39bce1fe78631088db","amount":18.446744073709551616,"dollarValue":9.22337203685477581,"rate":0.05,"isCollateral":null,"redeemsTo":null,"receipt":null}}"#
        )
    };
    let expected = format!(
        r#"[{{"id":"x","name":"WETH/OP","network":{NETWORK},"protocol":{{{PROTOCOL}}},"dollarValue":0,"legs":[{},{}],"kind":"borrowed","type":"aave-v3","market":"main","contractAddress":"0xf18adf71266411ff39ffc268843c9a64b3292d86","number":null,"nft":null,"rewards":[],"unlocksAt":null,"isPermanent":null,"vesting":null,"range":null,"health":{{"factor":2,"liquidationPrice":null}}}}]"#,
        leg("supplied"),
        leg("borrowed")
    );
    assert_eq!(text, expected);
}

#[test]
fn a_loan_whose_debt_has_an_unread_token_shows_the_debt_and_no_value() {
    let legs = [leg(LegRole::SUPPLIED, 1 << 64), map::Leg::new(LegRole::BORROWED, ACCOUNT, word(7))];
    let found = map::Position::new(PositionKind::BORROWED, "main", ACCOUNT).mechanism("aave-v3").legs(legs);
    let text = text(&rows(vec![row("x", RowItem::Position(position(found)))]), false);
    assert!(text.contains(r#""dollarValue":null,"legs":[{"role":"supplied""#), "{text}");
    let debt = r#"{"role":"borrowed","name":"WETH/OP reward","token":null,"tokenAddress":"0xf18adf71266411ff39ffc268843c9a64b3292d86","amount":null,"dollarValue":null,"rate":null"#;
    assert!(text.contains(debt), "{text}");
}

#[test]
fn a_price_at_the_end_of_tick_space_keeps_its_digits() {
    // The square of the root at tick -887,272, 4,295,128,739 / 2^96.
    let price = |x128, rest_x192| map::Price { base: velo().address, quote: Some(velo().address), x128, rest_x192 };
    let lower = price(word(1), Some(1_386_810_874_178_505));
    let range = Some(map::PriceRange { lower, upper: price(U256::ONE << 128, None), is_in_range: Some(true) });
    let found =
        map::Position::new(PositionKind::POOLED, "main", ACCOUNT).mechanism("gauge").leg(leg(LegRole::POOLED, 1));
    let position = position(map::Position { range, ..found });
    let text = text(&rows(vec![row("x", RowItem::Position(position))]), false);
    assert!(text.contains(r#""lower":2.9389568087743112E-39,"upper":1,"isInRange":true"#), "{text}");
}

#[test]
fn a_portfolio_sums_assets_debts_and_claims_by_protocol() {
    let stake = map::Position::new(PositionKind::STAKED, "main", ACCOUNT).mechanism("gauge");
    let stake = position(stake.leg(leg(LegRole::STAKED, 4_000_000_000_000_000_000)).leg(leg(LegRole::REWARD_OWED, 7)));
    let unpriced = Arc::new(Token { price: None, address: ACCOUNT, ..Token::clone(&velo()) });
    let unpriced = row("u", RowItem::Payment { claim: Arc::new(claim(unpriced, vec![transaction()])), place: 0 });
    let other = Protocol { slug: "acme".into(), ..Protocol::clone(&protocol()) };
    let portfolio = Portfolio {
        positions: vec![row("x", RowItem::Position(loan())), row("y", RowItem::Position(stake))],
        payments: Some(vec![claimable(), Row { protocol: Arc::new(other), ..unpriced }]),
    };
    let text = text(&answer(Items::Portfolio(portfolio)), false);
    // Half a dollar each: 18.446744073709551616 lent and owed, 4 staked, 254.2148754219806 to claim.
    let of_velodrome = r#""totals":{"assets":11.2233720368547758,"debts":9.22337203685477581,"net":2,"claimable":127.1074377109903,"unpriced""#;
    assert!(
        text.starts_with(&format!(r#"{{{of_velodrome}:1,"untried":2}},"protocols":[{{"protocol":{{"name""#)),
        "{text}"
    );
    assert!(text.contains(&format!(r#"{of_velodrome}:0,"untried":1}},"positions":[{{"id":"x""#)), "{text}");
    let of_acme = r#""totals":{"assets":0,"debts":0,"net":0,"claimable":0,"unpriced":1,"untried":1},"positions":[]}"#;
    assert!(text.contains(of_acme), "{text}");
}

/// A claim whose simulation paid these amounts of its token and of the native one.
fn tried(verdict: Verdict, received: u128, native: u128) -> Row {
    let receives = vec![(velo().address, word(received)), (NATIVE, word(native))];
    let simulation = ClaimSimulation::of_test(verdict, receives);
    let native = Token { address: NATIVE, ..Token::clone(&velo()) };
    let (simulation, native) = (Some(simulation), Some(Arc::new(native)));
    let claim = ClaimItem { simulation, native, ..claim(velo(), vec![transaction()]) };
    row("t", RowItem::Payment { claim: Arc::new(claim), place: 0 })
}

#[test]
fn sums_count_what_trials_paid() {
    let one = 1_000_000_000_000_000_000;
    let totals = |payments: Vec<Row>| {
        let body = text(&answer(Items::Portfolio(Portfolio { positions: Vec::new(), payments: Some(payments) })), true);
        let body: serde_json::Value = serde_json::from_str(&body).unwrap();
        (body["items"][0]["totals"].to_string(), body["report"]["claims"]["detail"].clone())
    };
    let sum = |claimable: &str, unpriced: u32, untried: u32| {
        format!(r#"{{"assets":0,"claimable":{claimable},"debts":0,"net":0,"unpriced":{unpriced},"untried":{untried}}}"#)
    };
    // At half a dollar: four of a token, and two native ones that it did not declare.
    let differs = || tried(Verdict::Differs, 4 * one, 2 * one);
    let bad = [tried(Verdict::Reverted, one, 0), tried(Verdict::Refused, one, 0)];
    assert_eq!(
        totals([bad.to_vec(), vec![differs()]].concat()),
        (sum("3", 0, 0), "claimable is what the claims paid when they were tried".into())
    );
    let mixed = "claimable is what the contracts report for 1 of the claims, and what the others paid when tried";
    assert_eq!(totals(vec![differs(), claimable()]), (sum("130.1074377109903", 0, 1), mixed.into()));
    assert_eq!(totals(Vec::new()), (sum("0", 0, 0), "there are no claims".into()));
    assert!(differs().is_profitable() && !bad[0].is_profitable() && !tried(Verdict::Differs, 0, 0).is_profitable());
}

#[test]
fn amounts_are_strings_where_they_are_wanted_so() {
    let form = Form { numbers: Numbers::Quoted, ..Form::default() };
    let text = text_as(&rows(vec![claimable()]), form);
    for member in [r#""amount":"254.2148754219806""#, r#""dollarValue":"127.1074377109903""#, r#""decimals":18"#] {
        assert!(text.contains(member), "{member} in {text}");
    }
    assert!(
        text.contains(r#""totalSupply":"296514877005303546555804032""#) && text.contains(r#""chainId":10"#),
        "{text}"
    );
}

#[test]
fn debts_stand_in_the_full_answer_alone_and_at_its_end() {
    let leg = |id, place| row(id, RowItem::Leg { position: loan(), place });
    let answer = rows(vec![leg("debt", 1), leg("loan", 0)]);
    let plain = format!(
        "[{{\"id\":\"loan\",\"network\":{NETWORK},\"protocol\":{{{PROTOCOL}}},\"dollarValue\":9.22337203685477581,\
         \"rate\":0.05,\"name\":\"WETH/OP reward\",\"amount\":18.446744073709551616,\"token\":{{{VELO}}}}}]"
    );
    assert_eq!(text(&answer, false), plain);
    let full = text(&answer, true);
    let (loan, debt) = (full.find(r#""id":"loan""#).unwrap(), full.find(r#""id":"debt""#).unwrap());
    assert!(loan < debt, "{full}");
    assert!(
        full.contains(&format!(
            r#","side":"borrow","healthFactor":2,{EXTRA},"position":{{"positionId":"p","kind":"borrowed""#
        )),
        "{full}"
    );
    assert!(full.contains(r#""amount":18.446744073709551616,"amountRaw":"18446744073709551616","token""#), "{full}");
}

#[test]
fn lists_of_networks_and_protocols_have_their_own_rows() {
    let networks = text(&answer(Items::Networks(vec![network(43114)])), false);
    let logo = "https://github.com/defitrack/data/raw/master/logo/network/avalanche.png";
    assert_eq!(networks, format!(r#"[{{"name":"AVALANCHE","logo":"{logo}","slug":"avalanchex"}}]"#));
    let full = text(&answer(Items::Networks(vec![network(43114)])), true);
    assert!(full.contains(r#""slug":"avalanchex","caip2":"eip155:43114"}]"#), "{full}");
    let protocols = text(&answer(Items::Protocols(vec![protocol()])), false);
    assert_eq!(protocols, format!("[{{{PROTOCOL},{COMPANY}}}]"));
}

#[test]
fn a_row_of_the_coverage_names_the_plugin_that_answers() {
    let row = CoverageRow {
        protocol: protocol(),
        network: network(10),
        question: portolan_abi::Question::LENDING,
        plugin: "velodrome@1.2.0".into(),
        markets: 3,
    };
    let expected = concat!(
        r#"[{"protocol":"velodrome_v2","network":"optimism","chainId":10,"question":"lending","#,
        r#""plugin":{"name":"velodrome","version":"1.2.0"},"markets":3}]"#
    );
    let coverage = Coverage { rows: vec![row], value_held: Vec::new() };
    assert_eq!(text(&answer(Items::Coverage(coverage)), false), expected);
}

#[test]
fn no_text_of_a_row_turns_around_what_stands_beside_it() {
    let protocol = Protocol { name: "A\u{202e}B".into(), ..Protocol::clone(&protocol()) };
    let mut transaction = transaction();
    transaction.inputs[0].1 = "x\u{202e}\u{85}y".into();
    let claim = ClaimItem { names: vec!["\u{5d0}\u{202e}".into()], ..claim(velo(), vec![transaction]) };
    let item = RowItem::Payment { claim: Arc::new(claim), place: 0 };
    let row = Row { protocol: Arc::new(protocol), ..row("a", item) };
    let text = text(&rows(vec![row]), false);
    assert!(text.contains(r#""name":"AB""#) && text.contains("\"name\":\"\u{2068}\u{5d0}\u{2069}\""), "{text}");
    assert!(text.contains("\"value\":\"x\u{fffd}\u{fffd}y\""), "{text}");
}

#[test]
fn the_report_has_blocks_in_order_and_everything_that_is_missing() {
    let block = |number| Block {
        number,
        hash: B256::repeat_byte(7),
        parent: B256::repeat_byte(6),
        timestamp: 9,
        evm_number: 1,
    };
    let failed = JobReport {
        subject: "aave_v3".into(),
        network: network(1),
        account: None,
        status: JobStatus::Failed,
        reason: Some(Reason::Timeout),
        detail: "read timed out".into(),
        not_covered: vec!["the first locker holds a stake".into()],
        is_fault: false,
        stats: JobStats { duration_ms: 12, batches: 3, reads: 40 },
        missing_tokens: Vec::new(),
        off_chain: [("merkle.example.org".to_owned(), 61)].into(),
        code: MetCode::default(),
    };
    let missing = |subject: &str, chain_id, reason| MissingEntry {
        subject: subject.into(),
        network: Some(network(chain_id)),
        reason,
        count: None,
    };
    let answer = Answer {
        blocks: vec![(network(137), block(70)), (network(1), block(21))],
        missing: vec![missing("aave_v3", 1, Reason::Timeout), missing("*", 10, Reason::NotConfigured)],
        jobs: vec![failed],
        ..answer(Items::Rows { rows: Vec::new(), aggregate: true, with_simulations: false })
    };
    let hash = format!("0x{}", "07".repeat(32));
    let expected = format!(
        "{{\"items\":[],\"report\":{{\"blocks\":{{\"polygon\":{{\"number\":70,\"hash\":\"{hash}\",\"timestamp\":9}},\
         \"ethereum\":{{\"number\":21,\"hash\":\"{hash}\",\"timestamp\":9}}}},\"jobs\":[\
         {{\"protocol\":\"aave_v3\",\"network\":\"ethereum\",\"status\":\"failed\",\"reason\":\"timeout\",\
         \"detail\":\"read timed out; the first locker holds a stake\",\
         \"notCovered\":[\"the first locker holds a stake\"],\"durationMs\":250,\"waves\":3,\"reads\":40,\
         \"offChain\":[{{\"host\":\"merkle.example.org\",\"ageSeconds\":61}}]}},\
         {{\"protocol\":\"*\",\"network\":\"optimism\",\"status\":\"failed\",\"reason\":\"not-configured\",\
         \"detail\":\"\",\"durationMs\":0,\"waves\":0,\"reads\":0}}],{BUDGET}}}}}"
    );
    assert_eq!(text(&answer, true), expected);
    assert_eq!(text(&answer, false), "[]");
    assert_eq!(blocks(&answer).as_deref(), Some("polygon=70, ethereum=21"));
    assert_eq!(blocks(&Answer { about_account: false, ..answer }), None);
}

#[test]
fn an_answer_about_several_accounts_has_the_answer_about_each_and_what_is_missing_from_it() {
    let missing = |reason| vec![MissingEntry { subject: "*".into(), network: Some(network(10)), reason, count: None }];
    let part = |items, missing| AccountAnswer { account: Some(ACCOUNT), names: Vec::new(), items, missing };
    let none = || Some(Items::Rows { rows: Vec::new(), aggregate: true, with_simulations: false });
    let portfolio = || Some(Items::Portfolio(Portfolio { positions: Vec::new(), payments: Some(Vec::new()) }));
    let names = ["a.eth", "b.eth"].map(|name| Name::parse(name).unwrap());
    let unresolved = AccountAnswer { account: None, names: names.into(), ..part(None, missing(Reason::NameNotFound)) };
    let parts = vec![part(none(), Vec::new()), part(portfolio(), missing(Reason::Timeout)), unresolved];
    let report = JobReport { account: Some(ACCOUNT), ..JobReport::blank("acme", &network(10)) };
    let answer = Answer { jobs: vec![report], ..answer(Items::Accounts(parts)) };
    let account = "0xf18adf71266411ff39ffc268843c9a64b3292d86";
    let totals = r#"{"assets":0,"debts":0,"net":0,"claimable":0,"unpriced":0,"untried":0}"#;
    let expected = format!(
        r#"[{{"account":"{account}","answer":[],"partial":null}},{{"account":"{account}","answer":{{"totals":{totals},"protocols":[]}},"partial":"*/optimism;reason=timeout"}},{{"account":null,"names":["a.eth","b.eth"],"answer":null,"partial":"*/optimism;reason=name-not-found"}}]"#
    );
    assert_eq!(text(&answer, false), expected);
    let full = text(&answer, true);
    assert!(full.starts_with(&format!(r#"{{"items":{expected},"report":"#)), "{full}");
    let job = format!(r#"{{"protocol":"acme","network":"optimism","account":"{account}","status":"ok""#);
    assert!(full.contains(&job) && full.contains(r#""claims":{"tried":0,"untried":0,"#), "{full}");
}

mod events;
