//! A plugin that uses the whole interface: every kind of finding and read, every way to end.
//!
//! Findings of `every` do not depend on the chain; those of `every_read` are the values it read.

use std::ops::Range;

use portolan_plugin_api::events::{Asset, Event, Kind, Transaction, Value};
use portolan_plugin_api::networks::{ETHEREUM, POLYGON};
use portolan_plugin_api::*;

sol! {
    function getReward() external;
    function claimRewards() external;
    function claimRewards(address[] assets, uint256 amount, address to, address reward) external returns (uint256);
    function claim(uint256 index, address account, uint256 amount, bytes32[] proof) external;
    function claimMany(uint256[] ids) external;
    function withdraw(uint256 id, address to) external payable;
    function withdrawDelegated(address validator) external;
    function minFee(uint256 id) external view returns (uint256);
    function ownerOf(uint256 id) external view returns (address);
    function delegatedTo(address account) external view returns (address);
    function isPool(uint256 kind, address pool) external view returns (bool);
    function claimed(address account) external view returns (uint256);
    function fee() external view returns (uint256);
    function gauge() external view returns (address);
    function token() external view returns (address);
    function length() external view returns (uint256);
    function entry(uint256 place) external view returns (uint256);
    function value(uint256 of) external view returns (uint256);
}

const CONTRACT: Address = address!("0xe000000000000000000000000000000000000001");
const OTHER: Address = address!("0xe000000000000000000000000000000000000002");
/// QuickSwap's previous token.
const SHARE: Address = address!("0x831753dd7087cac61ab5644b308642cc1c33dc13");
/// Shares that redeem to nothing.
const EMPTY: Address = address!("0xe000000000000000000000000000000000000003");
/// USD Coin and QuickSwap's token on Polygon.
const USDC: Address = address!("0x2791bca1f2de4661ed88a30c99a7a9449aa84174");
const QUICK: Address = address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17");
const TOPIC: B256 = B256::repeat_byte(0xe1);
const HOST: &str = "every.example.org";

/// The rows that it serves.
#[derive(Debug)]
pub struct Every(Deployments<Contract>);

/// A key of each type.
#[derive(Clone, Debug, FromKeys)]
struct Contract {
    /// The contract that everything is in.
    contract: Address,
    others: Vec<Address>,
    word: Option<B256>,
    label: Option<String>,
    #[default]
    fails: bool,
    #[default(7)]
    number: u64,
}

fn shipped(protocol: &str) -> Deployment<Contract> {
    let others = vec![OTHER, SHARE];
    let mechanism = Contract { contract: CONTRACT, others, word: None, label: None, fails: false, number: 7 };
    Deployment::new(protocol, POLYGON, mechanism)
}

fn number(number: u64) -> U256 {
    U256::from(number)
}

impl Plugin for Every {
    fn configure(settings: &Settings) -> Result<Self, SettingsError> {
        let protocols = ["every", "every_read"].map(|slug| {
            let primitives = ["FARMING", "LENDING", "STREAM", "REAL_WORLD_ASSET"];
            let protocol = Protocol::new(slug, "EVERY", "https://every.example.org", &primitives);
            protocol.company(Company::new("Every")).logo("https://every.example.org/logo.png")
        });
        settings.serve(&protocols, [shipped("every"), shipped("every_read")]).map(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let questions = [
            Question::CLAIMABLES,
            Question::FARMING,
            Question::LENDING,
            Question::POOLING,
            Question::LOCKED,
            Question::COMPOSITION,
            Question::EVENTS,
        ];
        let contracts = |contract: &Contract| [vec![contract.contract], contract.others.clone()].concat();
        let assets = Role::array(Role::MARKET);
        let mut catalogue = self.0.catalogue(&questions, contracts);
        catalogue.deployments.iter_mut().for_each(|row| row.tokens = Some(vec![USDC, QUICK]));
        Catalogue {
            claims: vec![
                ClaimTemplate::new::<getRewardCall>([]).by_anyone(),
                ClaimTemplate::new::<claimRewards_0Call>([]).with_fee::<feeCall>(),
                ClaimTemplate::new::<claimRewards_1Call>([
                    assets,
                    Role::constant(&U256::MAX),
                    Role::ACCOUNT,
                    Role::TOKEN,
                ])
                .of_token(),
                ClaimTemplate::new::<claimCall>([Role::NUMBER, Role::ACCOUNT, Role::NUMBER, Role::array(Role::PROOF)]),
                ClaimTemplate::new::<claimManyCall>([Role::array(Role::NUMBER)]).merging([0]),
                ClaimTemplate::new::<withdrawCall>([Role::NUMBER, Role::ACCOUNT]).with_fee_of::<minFeeCall>([0]),
                ClaimTemplate::new::<withdrawDelegatedCall>([Role::DELEGATE]),
            ],
            lineages: Some(vec![
                Lineage::targets::<gaugeCall>(),
                Lineage::tokens::<tokenCall>().at(1).of_given(),
                Lineage::markets::<lengthCall>().list_of(3, 1),
                Lineage::markets::<isPoolCall>().argument(1),
            ]),
            hosts: Some(vec![HOST.to_owned()]),
            event_topics: Some(vec![TOPIC]),
            ..catalogue
        }
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        match cx.protocol() {
            "every" => Ok(claims(cx, account)),
            _ => cx.gather(cx.rows(&self.0).map(|row| reading(cx, row, account))).await,
        }
    }

    async fn farming(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        if cx.protocol() == "every_read" {
            cx.emit(stake());
            panic!("a plugin that panics at block {}", cx.block().number);
        }
        Ok(vec![stake()])
    }

    async fn lending(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        if cx.protocol() == "every_read" {
            return Err(Error::new("a plugin that fails"));
        }
        Ok(vec![loan(), Position { kind: PositionKind::LENT, health: None, ..loan() }.numbered(number(2))])
    }

    async fn pooling(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        if cx.protocol() == "every_read" {
            cx.report_missing("a plugin that misses something");
            cx.report_not_covered("a plugin that knows of more than it reads");
            return Ok(Vec::new());
        }
        Ok(vec![pool()])
    }

    async fn locked(&self, cx: &JobContext, _: Address) -> Result<Vec<Position>, Error> {
        if cx.protocol() == "every_read" {
            std::future::pending::<()>().await;
        }
        Ok(vec![lock(), vesting()])
    }

    async fn compositions(&self, _: &JobContext, tokens: &[Address]) -> Result<Vec<Composition>, Error> {
        let parts = vec![Part { token: USDC, amount: number(3) }, Part { token: QUICK, amount: number(4) }];
        // What no composition may have is left out by the SDK: a supply of zero.
        let supply = |token| if token == SHARE { number(2) } else { U256::ZERO };
        let share = |token| Composition { token, kind: "EVERY".to_owned(), supply: supply(token), parts: parts.clone() };
        Ok(tokens.iter().copied().filter(|token| [SHARE, EMPTY].contains(token)).map(share).collect())
    }

    async fn events(&self, cx: &JobContext, transaction: &Transaction) -> Result<Vec<Event>, Error> {
        let kind = Kind::named("SWAP").ok_or_else(|| Error::new("no such kind"))?;
        let of = |raw| Value::Amount { raw, of: Some(USDC) };
        let assets = vec![Asset { token: Some(QUICK), raw: number(5) }, Asset { token: None, raw: number(6) }];
        let members = vec![
            ("user", Value::Address(transaction.from)),
            ("asset", Value::Token(USDC)),
            ("amount", of(number(1_000_000))),
            ("assets", Value::Assets(assets)),
            ("tokenId", Value::Number(number(7))),
            ("node", Value::Word(TOPIC)),
            ("approved", Value::Flag(true)),
            ("name", Value::Text(format!("wrapped {:?}", cx.wrapped_native()))),
            ("expires", Value::Seconds(number(cx.block().timestamp))),
            ("remoteNetwork", Value::Network(ETHEREUM)),
        ];
        let own = transaction.logs.iter().enumerate().filter(|(_, log)| log.topics.first() == Some(&TOPIC));
        let event = |log| Event { log, kind, protocol: Some("every".to_owned()), members: members.clone() };
        Ok(own.map(|(log, _)| event(log)).collect())
    }
}

fn claims(cx: &JobContext, account: Address) -> Vec<Claimable> {
    let claim = |call| Claimable::new("main", CONTRACT, call).mechanism("every");
    let locked = Payment { token: QUICK, amount: number(2), paid_to: PaidTo::LOCK, name: Some("a rebase".to_owned()) };
    let vault = Payment { token: SHARE, amount: number(3), paid_to: PaidTo::VAULT, name: None };
    let assets = vec![CONTRACT, OTHER];
    let assets = claimRewards_1Call { assets, amount: U256::MAX, to: account, reward: USDC };
    vec![
        claim(cx.claim(OTHER, &getRewardCall {}))
            .named(format!("{} reward", symbol(USDC)))
            .pays(USDC, number(1_234_567))
            .payment(locked)
            .payment(vault)
            .after(cx.claim(CONTRACT, &getRewardCall {})),
        claim(cx.claim(CONTRACT, &assets)).named("rewards of a market").numbered(number(5)).pays(NATIVE, number(10)),
    ]
}

fn stake() -> Position {
    let leg = Leg::new(LegRole::STAKED, SHARE, number(10)).redeeming(number(11)).of_total(number(1_000)).receipt(OTHER);
    let owed = Leg::new(LegRole::REWARD_OWED, QUICK, number(12)).named("owed");
    let own = Reward { own_per_second: Some(number(13)), divisor: Some(number(7)), ..Reward::new(USDC, None) };
    let position = Position::new(PositionKind::STAKED, "main", CONTRACT).named("stake").mechanism("every").leg(leg).leg(owed);
    position.numbered(number(1)).reward(Reward::new(QUICK, number(14))).reward(own)
}

fn loan() -> Position {
    let supplied = Leg { is_collateral: Some(true), ..Leg::new(LegRole::SUPPLIED, QUICK, number(20)) };
    let borrowed = Leg::new(LegRole::BORROWED, USDC, number(21)).rate_ray(U256::from(10).pow(number(25)));
    let price = Price { base: QUICK, quote: Some(USDC), x128: U256::ONE << 128, rest_x192: None };
    let health = Health { factor_wad: Some(U256::from(10).pow(number(18))), liquidation_price: Some(price) };
    let position = Position::new(PositionKind::BORROWED, "main", CONTRACT).named("loan").mechanism("every");
    Position { health: Some(health), ..position.legs([supplied, borrowed]) }
}

fn pool() -> Position {
    let range = ticks::TickRange::new(-887_272, 0).map(|range| range.prices(QUICK, USDC, -1));
    let parts = vec![Part { token: USDC, amount: number(31) }, Part { token: QUICK, amount: number(32) }];
    let pooled = Leg { redeems_to: Some(parts), ..Leg::new(LegRole::POOLED, SHARE, number(30)) };
    let position = Position::new(PositionKind::POOLED, "main", CONTRACT).named("pool").mechanism("every").leg(pooled);
    let position = position.leg(Leg::new(LegRole::FEE_OWED, USDC, number(33)));
    Position { range, nft: Some(Nft { collection: OTHER, token_id: number(34) }), ..position }
}

fn lock() -> Position {
    let leg = Leg::new(LegRole::LOCKED, QUICK, number(40));
    let position = Position::new(PositionKind::LOCKED, "main", CONTRACT).named("lock").mechanism("every").leg(leg);
    Position { lock: Some(Lock { unlocks_at: Some(1_900_000_000), is_permanent: Some(false) }), ..position }
}

fn vesting() -> Position {
    let leg = Leg::new(LegRole::VESTING, QUICK, number(50));
    let position = Position::new(PositionKind::VESTING, "main", OTHER).named("vesting").mechanism("every").leg(leg);
    let releasable = Some(number(51));
    let vesting = Vesting { start: Some(1), cliff: Some(2), end: Some(3), releasable };
    Position { vesting: Some(vesting), ..position }
}

/// Makes a read of every kind; one claimable has all results.
async fn reading(cx: &JobContext, row: &Deployment<Contract>, account: Address) -> Result<Vec<Claimable>, Error> {
    let contract = row.mechanism.contract;
    let value = |of: u64| cx.call(contract, valueCall { of: number(of) });
    let reads = cx.join([
        value(1),
        value(2).immutable(),
        value(3).within(60),
        value(4).zero_within(60),
        value(5).isolated(),
        value(6).from(account),
        value(7).gas_cap(100_000),
        value(8).on(ETHEREUM),
        cx.native_balance(account),
        cx.code_size(contract),
    ]);
    let document = cx.try_http_get("https://every.example.org/proofs");
    let refused = cx.try_call(OTHER, valueCall { of: number(9) });
    let (gauge, fee) = (cx.call(contract, gaugeCall {}), cx.call(contract, feeCall {}));
    let claimed = cx.call(contract, claimedCall { account });
    let (owner, least) = (cx.call(contract, ownerOfCall { id: number(70) }), cx.call(contract, minFeeCall { id: number(70) }));
    let delegated = cx.call(contract, delegatedToCall { account });
    let of_number = cx.join((owner, least, delegated));
    let (reads, document, refused, gauge, fee, claimed, (owner, least, validator)) =
        cx.join((reads, document, refused, gauge, fee, claimed, of_number)).await?;
    let walk = |places: Range<u64>| cx.join(places.map(|place| cx.call(contract, entryCall { place: number(place) })));
    let entries: Vec<U256> = cx.facts(&row.market, "entries", cx.call(contract, lengthCall {}), walk).await?;
    let document = document.map_or_else(|missing| format!("{missing:?}"), |body| format!("{} bytes", body.len()));
    let entries: U256 = entries.iter().sum();
    let name = format!("{document}, {refused:?}, entries {entries}, {} reads left", cx.budget().reads);
    let proof = vec![B256::repeat_byte(1), B256::repeat_byte(2)];
    let merkle = claimCall { index: number(0), account, amount: number(row.mechanism.number), proof };
    let claim = |call| Claimable::new(&row.market, contract, call).mechanism("every-read");
    let withdraw = cx.claim(contract, &withdrawCall { id: number(70), to: owner }).with_fee(least);
    let one = cx.claim(contract, &claimManyCall { ids: vec![number(70)] });
    Ok(vec![
        claim(withdraw).named("a fee by its number").pays(USDC, number(4)).numbered(number(70)),
        claim(cx.claim(contract, &withdrawDelegatedCall { validator })).named("a delegate").pays(USDC, number(5)),
        claim(cx.claim(contract, &getRewardCall {}).mergeable_as(one)).named("one of many").pays(USDC, number(6)),
        claim(cx.claim(gauge, &getRewardCall {})).named(name).pays(USDC, reads.iter().sum()),
        claim(cx.claim(contract, &claimRewards_0Call {}).with_fee(fee)).named("fee").pays(QUICK, number(1)),
        claim(cx.claim(contract, &merkle)).named("merkle").pays(SHARE, number(row.mechanism.number) - claimed),
    ])
}

portolan_plugin_api::export!(Every);
