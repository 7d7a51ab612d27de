//! The shortest settings row of each kit: an instance serves it, and the README contains it.
//!
//! All kits are in one plugin, those with keys first, which also tests how they coexist.

use portolan_kits::aave_v3::{AaveV3Kit, AaveVersion};
use portolan_kits::aave_v4::AaveV4Kit;
use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::alchemists::AlchemistsKit;
use portolan_kits::balancer_pools::BalancerPoolsKit;
use portolan_kits::beefy_vaults::BeefyVaultsKit;
use portolan_kits::booster::BoosterKit;
use portolan_kits::boring_vaults::BoringVaultsKit;
use portolan_kits::collateral_troves::CollateralTrovesKit;
use portolan_kits::comet::CometKit;
use portolan_kits::compound_v2::CompoundV2Kit;
use portolan_kits::concentrated_positions::ConcentratedPositionsKit;
use portolan_kits::convex_stakes::ConvexStakesKit;
use portolan_kits::cooldown_locks::CooldownLocksKit;
use portolan_kits::credit_accounts::CreditAccountsKit;
use portolan_kits::curve_gauges::CurveGaugesKit;
use portolan_kits::curve_pools::CurvePoolsKit;
use portolan_kits::debt_manager::DebtManagerKit;
use portolan_kits::dolomite::DolomiteKit;
use portolan_kits::earning_pools::EarningPoolsKit;
use portolan_kits::epoch_locks::EpochLocksKit;
use portolan_kits::euler::EulerKit;
use portolan_kits::exit_nfts::ExitNftsKit;
use portolan_kits::fee_pools::FeePoolsKit;
use portolan_kits::fee_staking::FeeStakingKit;
use portolan_kits::fluid::FluidKit;
use portolan_kits::fund_shares::FundSharesKit;
use portolan_kits::gains_staking::GainsStakingKit;
use portolan_kits::gmx_v2::GmxV2Kit;
use portolan_kits::harvest_pools::HarvestPoolsKit;
use portolan_kits::interaction_vaults::InteractionVaultsKit;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGapsKit;
use portolan_kits::ledger_vaults::LedgerVaultsKit;
use portolan_kits::liquid_staking::LiquidStakingKit;
use portolan_kits::liquidity_pairs::LiquidityPairsKit;
use portolan_kits::liquity::LiquityKit;
use portolan_kits::liquity_v2::LiquityV2Kit;
use portolan_kits::llamalend::LlamaLendKit;
use portolan_kits::lockstake::LockstakeKit;
use portolan_kits::lockup_streams::LockupStreamsKit;
use portolan_kits::maker_vaults::MakerVaultsKit;
use portolan_kits::market_boosters::MarketBoostersKit;
use portolan_kits::master_chef::MasterChefKit;
use portolan_kits::merkl::MerklKit;
use portolan_kits::merkle_distributor::MerkleDistributorKit;
use portolan_kits::merkle_stash::MerkleStashKit;
use portolan_kits::meta_vaults::MetaVaultsKit;
use portolan_kits::mono_cooler::MonoCoolerKit;
use portolan_kits::morpho::MorphoKit;
use portolan_kits::mux_staking::MuxStakingKit;
use portolan_kits::node_staking::NodeStakingKit;
use portolan_kits::pendle::PendleKit;
use portolan_kits::pendle_locks::PendleLocksKit;
use portolan_kits::personal_vaults::PersonalVaultsKit;
use portolan_kits::position_chef::PositionChefKit;
use portolan_kits::position_pools::PositionPoolsKit;
use portolan_kits::quoted_vaults::QuotedVaultsKit;
use portolan_kits::redeem_requests::RedeemRequestsKit;
use portolan_kits::restaking::RestakingKit;
use portolan_kits::restaking_vaults::RestakingVaultsKit;
use portolan_kits::reward_escrow::RewardEscrowKit;
use portolan_kits::reward_trackers::RewardTrackersKit;
use portolan_kits::reward_vaults::RewardVaultsKit;
use portolan_kits::safety_module::SafetyModuleKit;
use portolan_kits::share_vault::ShareVaultKit;
use portolan_kits::side_booster::SideBoosterKit;
use portolan_kits::silo::SiloKit;
use portolan_kits::solidly::SolidlyKit;
use portolan_kits::staking_rewards::{FarmTypes, StakingRewardsKit};
use portolan_kits::stargate_staking::StargateStakingKit;
use portolan_kits::super_tokens::SuperTokensKit;
use portolan_kits::token_lockers::TokenLockersKit;
use portolan_kits::token_masters::TokenMastersKit;
use portolan_kits::token_plans::TokenPlansKit;
use portolan_kits::tokenized_vaults::TokenizedVaultsKit;
use portolan_kits::trove_managers::TroveManagersKit;
use portolan_kits::umbrella::UmbrellaKit;
use portolan_kits::unified_farms::UnifiedFarmsKit;
use portolan_kits::unstake_cooldowns::UnstakeCooldownsKit;
use portolan_kits::validator_shares::ValidatorSharesKit;
use portolan_kits::vault_supervisor::VaultSupervisorKit;
use portolan_kits::vester::VesterKit;
use portolan_kits::vesting_escrows::VestingEscrowsKit;
use portolan_kits::vote_escrow::VoteEscrowKit;
use portolan_kits::vote_locker::VoteLockerKit;
use portolan_kits::weekly_locks::WeeklyLocksKit;
use portolan_kits::withdraw_requests::WithdrawRequestsKit;
use portolan_kits::withdrawal_queue::WithdrawalQueueKit;
use portolan_kits::yearn_gauges::YearnGaugesKit;
use portolan_kits::yearn_vaults::YearnVaultsKit;
use portolan_plugin_api::testing::{self, map};
use portolan_plugin_api::*;

/// Words for farms with one or two reward tokens.
const FARM: FarmTypes = FarmTypes { reward_type: "reward", vault_type: "farm" };

pub(crate) struct All;

impl AccountProtocols for All {
    const ROWS: Rows = Rows::NONE;
    const KITS: &'static [&'static dyn Kit] = &[
        &MasterChefKit { v1: "v1", v2: "v2", mini: "mini" },
        &StakingRewardsKit { single: FARM, dual: FARM },
        &AaveV3Kit { version: AaveVersion::V3, reward_type: "rewards" },
        &BalancerPoolsKit { share: "share" },
        &BoosterKit { pool: "pool" },
        &ConcentratedPositionsKit { position: "position" },
        &ConvexStakesKit("stake"),
        &CurveGaugesKit { gauge: "gauge" },
        &CurvePoolsKit { share: "share", pool: "pool" },
        &EulerKit { account: "account", earn: "earn" },
        &FeeStakingKit { stake: "stake" },
        // Before LlamaLend, which shares a key with it; a real plugin has only one of them.
        &FluidKit { token: "token", vault: "vault" },
        &LiquidityPairsKit { pair: "pair" },
        &LlamaLendKit { loan: "loan", vault: "vault" },
        &MorphoKit { market: "market", vault: "vault" },
        &PositionChefKit { reward: "reward" },
        &PositionPoolsKit { stake: "stake", nitro: "nitro" },
        &RewardTrackersKit { stake: "stake" },
        &UnifiedFarmsKit { farm: "farm" },
        &ValidatorSharesKit { delegation: "delegation" },
        &VoteEscrowKit { lock: "lock", fee: "fee" },
        &VoteLockerKit { lock: "lock" },
        &BoringVaultsKit { vault: "vault", share: "share" },
        &PendleKit { principal: "pt", yield_token: "yt", wrapped: "sy", liquidity: "liquidity", share: "share" },
        &PendleLocksKit { lock: "lock", stake: "stake" },
        &LiquidStakingKit { stake: "stake" },
        &WithdrawalQueueKit { queue: "queue" },
        &ExitNftsKit { exit: "exit" },
        &WithdrawRequestsKit { request: "request" },
        &RestakingKit { restake: "restake" },
        &RestakingVaultsKit { vault: "vault", collateral: "collateral" },
        &VaultSupervisorKit { restake: "restake" },
        &TokenizedVaultsKit { vault: "vault", share: "share" },
        &UnstakeCooldownsKit { cooldown: "cooldown" },
        &RedeemRequestsKit { request: "request" },
        &BeefyVaultsKit { vault: "vault", share: "share" },
        &QuotedVaultsKit { vault: "vault", share: "share" },
        &LedgerVaultsKit { vault: "vault" },
        &TroveManagersKit { trove: "trove", deposit: "deposit" },
        &LiquityV2Kit { trove: "trove", deposit: "deposit" },
        &MakerVaultsKit { vault: "vault" },
        &InteractionVaultsKit { vault: "vault" },
        &LockstakeKit { urn: "urn" },
        &DolomiteKit { account: "account" },
        &AaveV4Kit { spoke: "spoke" },
        &DebtManagerKit { account: "account" },
        &MetaVaultsKit { vault: "vault" },
        &FundSharesKit { share: "share", redemption: "redemption" },
        &AlchemistsKit { position: "position" },
        &CreditAccountsKit { account: "account", pool: "pool" },
        &MonoCoolerKit { loan: "loan" },
        &GmxV2Kit { perpetual: "perpetual", share: "share" },
        &GainsStakingKit { stake: "stake" },
        &YearnGaugesKit { gauge: "gauge" },
        &YearnVaultsKit { vault: "vault", share: "share" },
        &CometKit { market: "market", reward: "reward" },
        &CompoundV2Kit { market: "market", reward: "reward" },
        &LiquityKit { trove: "trove", deposit: "deposit", stake: "stake" },
        &LockupStreamsKit { stream: "stream" },
        &MerklKit { reward_type: "rewards" },
        &MerkleDistributorKit { reward_type: "airdrop" },
        &MerkleStashKit { reward_type: "drop" },
        &SuperTokensKit { balance: "balance", deposit: "deposit", distribution: "pool", share: "share" },
        &TokenLockersKit { lock: "lock" },
        &TokenPlansKit { plan: "plan" },
        &VestingEscrowsKit { escrow: "escrow" },
        &RewardEscrowKit { escrow: "escrow" },
        &SafetyModuleKit { stake: "stake" },
        &ShareVaultKit { key: "bar", vault_type: "bar" },
        &SiloKit { pair: "pair" },
        &SolidlyKit { gauge: "gauge", pool: "pool", lock: "lock", rebase: "rebase", fees: "fees", bribe: "bribe" },
        &UmbrellaKit { stake: "stake" },
        &VesterKit { vester: "vester" },
        &StargateStakingKit { stake: "stake", share: "share" },
        &SideBoosterKit { pool: "pool" },
        &TokenMastersKit { stake: "stake" },
        &CooldownLocksKit { lock: "lock" },
        &WeeklyLocksKit { lock: "lock" },
        &EpochLocksKit { lock: "lock" },
        &MarketBoostersKit { pool: "pool" },
        &PersonalVaultsKit { vault: "vault" },
        &RewardVaultsKit { vault: "vault" },
        &HarvestPoolsKit { stake: "stake" },
        &EarningPoolsKit { stake: "stake" },
        &MuxStakingKit { stake: "stake", lock: "lock" },
        &NodeStakingKit { stake: "stake" },
        &FeePoolsKit { fees: "fees" },
        &CollateralTrovesKit { trove: "trove", deposit: "deposit" },
        &KnownGapsKit,
        &EventSourcesKit,
    ];
}

portolan_plugin_api::exported!(Accounts<All>);

/// A value of a key.
#[derive(Clone, Copy)]
enum Given {
    /// The address that repeats this byte.
    At(u8),
    /// A list of only that address.
    AllAt(u8),
    Text(&'static str),
}

use Given::{AllAt, At, Text};

/// A kit's module, its shortest row, the questions that it answers, and the contracts that it names.
type Shortest = (&'static str, &'static [(&'static str, Given)], &'static [Question], &'static [u8]);

/// Questions of most kits.
const EARNS: &[Question] = &[Question::CLAIMABLES, Question::FARMING];
const POOLS: &[Question] = &[Question::CLAIMABLES, Question::POOLING];
const LENDS: &[Question] = &[Question::LENDING];
const SHARES: &[Question] = &[Question::COMPOSITION];
const WAITS: &[Question] = &[Question::CLAIMABLES, Question::LOCKED];

const KITS: &[Shortest] = &[
    ("staking_rewards", &[("factory", At(1))], EARNS, &[1]),
    ("master_chef", &[("kind", Text("mini-chef")), ("chef", At(1))], EARNS, &[1]),
    ("aave_v3", &[("pool", At(1)), ("data_provider", At(2))], &[Question::LENDING, Question::EVENTS], &[1, 2]),
    ("compound_v2", &[("comptroller", At(1))], LENDS, &[1]),
    (
        "reward_trackers",
        &[("stake_tracker", At(1)), ("staked_tokens", AllAt(2)), ("reward_trackers", AllAt(3))],
        EARNS,
        &[1, 3],
    ),
    ("liquid_staking", &[("liquid_token", At(1))], &[Question::FARMING], &[1]),
    ("withdrawal_queue", &[("withdrawal_queue", At(1)), ("queued_token", At(2))], WAITS, &[1]),
    ("exit_nfts", &[("exit_nft", At(1)), ("exited_token", At(2))], WAITS, &[1]),
    ("withdraw_requests", &[("request_queue", At(1)), ("requested_token", At(2))], WAITS, &[1]),
    (
        "restaking",
        &[("delegation_manager", At(1)), ("strategy_manager", At(2))],
        &[Question::CLAIMABLES, Question::FARMING, Question::LOCKED],
        &[1, 2],
    ),
    (
        "restaking_vaults",
        &[("restaking_vaults", AllAt(1))],
        &[Question::CLAIMABLES, Question::FARMING, Question::LOCKED],
        &[1],
    ),
    (
        "vault_supervisor",
        &[("vault_supervisor", At(1))],
        &[Question::CLAIMABLES, Question::FARMING, Question::LOCKED],
        &[1],
    ),
    ("vester", &[("vester", At(1))], &[Question::CLAIMABLES, Question::LOCKED], &[1]),
    (
        "stargate_staking",
        &[("stargate_staking", At(1))],
        &[Question::CLAIMABLES, Question::FARMING, Question::POOLING, Question::COMPOSITION],
        &[1],
    ),
    ("side_booster", &[("side_booster", At(1))], EARNS, &[1]),
    ("known_gaps", &[("known_gaps", AllAt(1))], EARNS, &[1]),
    ("safety_module", &[("staked_aave_token", At(1))], EARNS, &[1]),
    ("umbrella", &[("umbrella_rewards", At(1))], EARNS, &[1]),
    ("comet", &[("comet", At(1))], LENDS, &[1]),
    ("curve_gauges", &[("gauges", AllAt(1))], EARNS, &[1]),
    ("curve_pools", &[("meta_registry", At(1))], &[Question::POOLING, Question::COMPOSITION], &[1]),
    ("balancer_pools", &[("pool_vault", At(1)), ("pool_factories", AllAt(2))], SHARES, &[1, 2]),
    ("vote_escrow", &[("vote_escrow", At(1))], &[Question::LOCKED], &[1]),
    ("llamalend", &[("crvusd_factory", At(1))], LENDS, &[1]),
    ("euler", &[("evc", At(1)), ("evault_factory", At(2))], LENDS, &[1, 2]),
    ("fluid", &[("lending_factory", At(1))], LENDS, &[1]),
    ("morpho", &[("morpho", At(1)), ("vaults", AllAt(2))], LENDS, &[1, 2]),
    ("silo", &[("silo_configs", AllAt(1))], LENDS, &[1]),
    ("share_vault", &[("bar", At(1)), ("staked_token", At(2))], &[Question::FARMING, Question::COMPOSITION], &[1]),
    ("liquity", &[("trove_manager", At(1))], &[Question::CLAIMABLES, Question::FARMING, Question::LENDING], &[1]),
    (
        "trove_managers",
        &[("trove_factory", At(1))],
        &[Question::CLAIMABLES, Question::FARMING, Question::LENDING],
        &[1],
    ),
    ("booster", &[("booster", At(1))], EARNS, &[1]),
    ("vote_locker", &[("locker", At(1))], &[Question::CLAIMABLES, Question::LOCKED], &[1]),
    ("solidly", &[("voter", At(1))], &[Question::CLAIMABLES, Question::FARMING, Question::POOLING], &[1]),
    ("liquidity_pairs", &[("pairs", AllAt(1))], &[Question::POOLING], &[1]),
    ("convex_stakes", &[("cvx_staking", At(1))], EARNS, &[1]),
    (
        "merkle_distributor",
        &[("merkle_distributor", At(1)), ("proofs", Text("https://merkle.example.org/{account}.json"))],
        &[Question::CLAIMABLES],
        &[1],
    ),
    ("concentrated_positions", &[("position_manager", At(1))], POOLS, &[1]),
    ("position_chef", &[("position_chef", At(1))], EARNS, &[1]),
    (
        "merkl",
        &[
            ("merkl_distributor", At(1)),
            ("merkl_creator", At(2)),
            ("rewards", Text("https://merkl.example.org/{account}?chain={network}")),
        ],
        &[Question::CLAIMABLES],
        &[1, 2],
    ),
    (
        "merkle_stash",
        &[
            ("merkle_stash", At(1)),
            ("stash_tokens", AllAt(2)),
            ("entries", Text("https://merkle.example.org/{account}.json")),
        ],
        &[Question::CLAIMABLES],
        &[1],
    ),
    ("lockup_streams", &[("lockups", AllAt(1))], &[Question::CLAIMABLES, Question::LOCKED], &[1]),
    (
        "super_tokens",
        &[("super_tokens", AllAt(1)), ("flow_forwarder", At(2)), ("pool_forwarder", At(3))],
        &[Question::FARMING, Question::LOCKED, Question::COMPOSITION],
        &[1],
    ),
    ("token_lockers", &[("pair_lockers", AllAt(1))], &[Question::CLAIMABLES, Question::LOCKED], &[1]),
    ("token_plans", &[("token_plans", AllAt(1))], &[Question::CLAIMABLES, Question::LOCKED], &[1]),
    ("vesting_escrows", &[("escrow_factories", AllAt(1))], &[Question::CLAIMABLES, Question::LOCKED], &[1]),
    (
        "reward_escrow",
        &[("reward_escrow", At(1)), ("escrowed_token", At(2))],
        &[Question::CLAIMABLES, Question::LOCKED],
        &[1],
    ),
    ("position_pools", &[("position_master", At(1))], EARNS, &[1]),
    ("fee_staking", &[("fee_staking", At(1)), ("staked_token", At(2))], EARNS, &[1]),
    ("unified_farms", &[("unified_farms", AllAt(1))], EARNS, &[1]),
    (
        "validator_shares",
        &[("stake_manager", At(1)), ("staked_token", At(2))],
        &[Question::CLAIMABLES, Question::FARMING, Question::LOCKED],
        &[1],
    ),
    ("boring_vaults", &[("accountants", AllAt(1))], &[Question::FARMING, Question::COMPOSITION], &[1]),
    (
        "pendle",
        &[("pendle_markets", AllAt(1))],
        &[Question::CLAIMABLES, Question::FARMING, Question::POOLING, Question::COMPOSITION],
        &[1],
    ),
    ("pendle_locks", &[("ve_pendle", At(1))], WAITS, &[1]),
    ("tokenized_vaults", &[("tokenized_vaults", AllAt(1))], &[Question::FARMING, Question::COMPOSITION], &[1]),
    ("unstake_cooldowns", &[("cooldown_vaults", AllAt(1))], WAITS, &[1]),
    ("redeem_requests", &[("request_vaults", AllAt(1))], &[Question::LOCKED], &[1]),
    ("beefy_vaults", &[("beefy_vaults", AllAt(1))], &[Question::FARMING, Question::COMPOSITION], &[1]),
    ("ledger_vaults", &[("ledger_vaults", AllAt(1)), ("ledger_tokens", AllAt(2))], &[Question::FARMING], &[1]),
    (
        "quoted_vaults",
        &[("quoted_vaults", AllAt(1)), ("quoted_by", Text("units"))],
        &[Question::FARMING, Question::COMPOSITION],
        &[1],
    ),
    (
        "liquity_v2",
        &[("collateral_registry", At(1))],
        &[Question::CLAIMABLES, Question::FARMING, Question::LENDING],
        &[1],
    ),
    (
        "maker_vaults",
        &[
            ("cdp_manager", At(1)),
            ("cdp_lister", At(2)),
            ("ilk_registry", At(3)),
            ("jug", At(4)),
            ("debt_token", At(5)),
        ],
        LENDS,
        &[1, 2, 3, 4],
    ),
    ("interaction_vaults", &[("interaction", At(1)), ("collaterals", AllAt(2))], LENDS, &[1]),
    ("lockstake", &[("lockstake_engine", At(1))], &[Question::CLAIMABLES, Question::LENDING], &[1]),
    ("dolomite", &[("dolomite_margin", At(1))], LENDS, &[1]),
    ("aave_v4", &[("spoke", At(1))], LENDS, &[1]),
    ("debt_manager", &[("debt_manager", At(1))], LENDS, &[1]),
    ("meta_vaults", &[("meta_vault_factory", At(1))], &[Question::POOLING], &[1]),
    ("alchemists", &[("alchemists", AllAt(1))], LENDS, &[1]),
    ("credit_accounts", &[("market_configurators", AllAt(1))], LENDS, &[1]),
    ("mono_cooler", &[("mono_cooler", At(1))], LENDS, &[1]),
    (
        "gmx_v2",
        &[("data_store", At(1)), ("exchange_router", At(2))],
        &[Question::CLAIMABLES, Question::LENDING, Question::POOLING],
        &[1, 2],
    ),
    (
        "fund_shares",
        &[("fund_market", At(1)), ("fund_shares", At(2)), ("fund_redemptions", At(3))],
        &[Question::CLAIMABLES, Question::FARMING, Question::LOCKED],
        &[1, 2, 3],
    ),
    ("gains_staking", &[("gains_staking", At(1))], &[Question::CLAIMABLES, Question::FARMING, Question::LOCKED], &[1]),
    ("token_masters", &[("token_master", At(1)), ("master_kind", Text("penpie"))], EARNS, &[1]),
    ("cooldown_locks", &[("cooldown_lock", At(1)), ("cooldown_token", At(2))], WAITS, &[1]),
    ("weekly_locks", &[("weekly_lock", At(1)), ("weekly_token", At(2))], WAITS, &[1]),
    ("epoch_locks", &[("epoch_locks", AllAt(1))], WAITS, &[1]),
    (
        "market_boosters",
        &[("market_booster", At(1))],
        &[Question::CLAIMABLES, Question::FARMING, Question::LOCKED],
        &[1],
    ),
    ("personal_vaults", &[("vault_registry", At(1))], EARNS, &[1]),
    (
        "reward_vaults",
        &[("vault_controller", At(1)), ("vault_accountant", At(2)), ("vault_gauges", At(3))],
        EARNS,
        &[1, 2, 3],
    ),
    (
        "harvest_pools",
        &[
            ("harvest_pools", AllAt(1)),
            ("harvest_kind", Text("plutus")),
            ("harvest_stake", At(2)),
            ("harvest_rewards", AllAt(3)),
        ],
        EARNS,
        &[1],
    ),
    ("earning_pools", &[("earning_pools", AllAt(1)), ("earning_stake", At(2)), ("earning_reward", At(3))], EARNS, &[1]),
    ("mux_staking", &[("mux_router", At(1))], &[Question::CLAIMABLES, Question::FARMING, Question::LOCKED], &[1]),
    ("node_staking", &[("node_staking", At(1))], &[Question::CLAIMABLES, Question::FARMING, Question::LOCKED], &[1]),
    ("fee_pools", &[("fee_pool", At(1))], &[Question::CLAIMABLES], &[1]),
    (
        "collateral_troves",
        &[("collateral_manager", At(1))],
        &[Question::CLAIMABLES, Question::FARMING, Question::LENDING],
        &[1],
    ),
    ("yearn_gauges", &[("yearn_gauge_registry", At(1))], EARNS, &[1]),
    ("yearn_vaults", &[("yearn_v2_registries", AllAt(1))], &[Question::FARMING, Question::COMPOSITION], &[1]),
];

/// Maximum number of lines of a row beside protocol, network and market; Maker's contracts do not name each other.
const LINES_MAX: usize = 5;

fn value(given: Given) -> SettingsValue {
    let text = |byte| SettingsValue::Text(Address::repeat_byte(byte).to_string());
    match given {
        At(byte) => text(byte),
        AllAt(byte) => SettingsValue::List(vec![text(byte)]),
        Text(text) => SettingsValue::Text(text.to_owned()),
    }
}

fn settings(keys: &[(&str, Given)]) -> Settings {
    let keys = keys.iter().map(|(key, given)| map::SettingsKey { key: (*key).to_owned(), value: value(*given) });
    let (protocol, market) = ("acme".to_owned(), "main".to_owned());
    let row = map::SettingsRow { protocol, chain_id: 10, market, keys: keys.collect() };
    Settings::from_rows(false, vec![Protocol::new("acme", "ACME", "https://acme.example", &[])], vec![row])
}

#[test]
fn the_shortest_row_of_every_kit_is_served() {
    for (kit, keys, questions, contracts) in KITS {
        assert!(keys.len() <= LINES_MAX, "{kit}");
        let served = testing::catalogue::<All>(&settings(keys));
        let [row] = &served.deployments[..] else { panic!("{kit}: {:?}", served.deployments) };
        let sorted = |questions: &[Question]| {
            let mut names: Vec<String> = questions.iter().map(|question| format!("{question:?}")).collect();
            names.sort();
            names
        };
        assert_eq!(sorted(&row.questions), sorted(questions), "{kit}");
        let named: Vec<Address> = contracts.iter().copied().map(Address::repeat_byte).collect();
        assert_eq!((row.protocol.as_str(), row.chain_id, &row.contracts), ("acme", 10, &named), "{kit}");
    }
}

#[test]
fn a_row_that_lacks_a_key_of_its_shortest_is_refused() {
    for (kit, keys, ..) in KITS.iter().filter(|(_, keys, ..)| keys.len() > 1) {
        for left_out in 0..keys.len() {
            let rest = keys.iter().enumerate().filter(|(place, _)| *place != left_out).map(|(_, key)| *key);
            let refused = testing::settings_error::<All>(&settings(&rest.collect::<Vec<_>>()));
            assert!(refused.is_some(), "{kit} without {}", keys[left_out].0);
        }
    }
}

#[test]
fn an_unknown_key_is_refused_with_those_that_are_known() {
    for (kit, keys, ..) in KITS {
        let typed = [*keys, &[("acme_key", At(9))]].concat();
        let refused =
            testing::settings_error::<All>(&settings(&typed)).unwrap_or_else(|| panic!("{kit} takes any key"));
        assert_eq!((refused.row, refused.key.as_deref()), (Some(0), Some("acme_key")), "{kit}: {}", refused.message);
        for (key, _) in *keys {
            assert!(refused.message.contains(key), "{kit}: {}", refused.message);
        }
    }
}

#[test]
fn the_readme_has_the_shortest_row_of_every_kit() {
    let readme = include_str!("../../README.md");
    for (kit, keys, ..) in KITS {
        let start = format!("| `{kit}` |");
        let row = readme.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no row of {kit}"));
        let said = row.trim_end_matches('|').rsplit(" | ").next().unwrap_or_default().trim();
        let keys: Vec<String> = keys.iter().map(|(key, _)| format!("`{key}`")).collect();
        assert_eq!(said, keys.join(", "), "{kit}");
    }
    let kits = readme.lines().filter(|line| line.starts_with("| `") && line.matches(" | ").count() == 3);
    assert_eq!(kits.count(), KITS.len());
}
