//! Farms of many protocols: chefs, staking contracts, boosters with the pools that they reward, lockers, gauges, vaults
//! of one token with what leaves them, vaults that lend, and markets of yield. And events of farms, reward pools, lockers
//! and vaults: MasterChef and StakingRewards with all their forks, Convex and Aura, Stargate, Yearn, Pendle.
//!
//! Invariant: an event that anyone may emit (`Staked`, `Deposit`) is reported only with evidence: a view of the
//! contract, or the transfer beside it. A protocol is named only for contracts that are listed.

#[cfg(test)]
mod tests;

use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::beefy_vaults::BeefyVaultsKit;
use portolan_kits::booster::BoosterKit;
use portolan_kits::boring_vaults::BoringVaultsKit;
use portolan_kits::concentrated_positions::ConcentratedPositionsKit;
use portolan_kits::convex_stakes::ConvexStakesKit;
use portolan_kits::cooldown_locks::CooldownLocksKit;
use portolan_kits::curve_gauges::CurveGaugesKit;
use portolan_kits::earning_pools::EarningPoolsKit;
use portolan_kits::epoch_locks::EpochLocksKit;
use portolan_kits::events::{Source, tables};
use portolan_kits::fee_staking::FeeStakingKit;
use portolan_kits::fund_shares::FundSharesKit;
use portolan_kits::harvest_pools::HarvestPoolsKit;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGapsKit;
use portolan_kits::ledger_vaults::LedgerVaultsKit;
use portolan_kits::liquid_staking::LiquidStakingKit;
use portolan_kits::market_boosters::MarketBoostersKit;
use portolan_kits::master_chef::MasterChefKit;
use portolan_kits::meta_vaults::MetaVaultsKit;
use portolan_kits::pendle::PendleKit;
use portolan_kits::pendle_locks::PendleLocksKit;
use portolan_kits::personal_vaults::PersonalVaultsKit;
use portolan_kits::position_pools::PositionPoolsKit;
use portolan_kits::quoted_vaults::QuotedVaultsKit;
use portolan_kits::redeem_requests::RedeemRequestsKit;
use portolan_kits::reward_vaults::RewardVaultsKit;
use portolan_kits::safety_module::SafetyModuleKit;
use portolan_kits::side_booster::SideBoosterKit;
use portolan_kits::staking_rewards::{FarmTypes, StakingRewardsKit};
use portolan_kits::token_masters::TokenMastersKit;
use portolan_kits::tokenized_vaults::TokenizedVaultsKit;
use portolan_kits::unstake_cooldowns::UnstakeCooldownsKit;
use portolan_kits::vote_escrow::VoteEscrowKit;
use portolan_kits::vote_locker::VoteLockerKit;
use portolan_kits::weekly_locks::WeeklyLocksKit;
use portolan_kits::yearn_gauges::YearnGaugesKit;
use portolan_kits::yearn_vaults::YearnVaultsKit;
use portolan_plugin_api::{Rows, rows};

/// The events that no other plugin reports.
const OWN_TABLE: &str = include_str!("table.events");

/// The chefs.
const CHEFS: MasterChefKit = MasterChefKit { v1: "master-chef-v1", v2: "master-chef-v2", mini: "mini-chef" };

/// The staking contracts.
const FARMS: StakingRewardsKit = StakingRewardsKit { single: FARM_TYPES, dual: FARM_TYPES };
const FARM_TYPES: FarmTypes = FarmTypes { reward_type: "staking-rewards", vault_type: "staking-rewards" };

/// The pools of Convex, of Aura and of their forks.
const BOOSTERS: BoosterKit = BoosterKit { pool: "booster" };

/// Convex's pools on networks but Ethereum.
const SIDE_BOOSTERS: SideBoosterKit = SideBoosterKit { pool: "side-booster" };

/// The lockers of Convex, of Aura and of their forks.
const LOCKERS: VoteLockerKit = VoteLockerKit { lock: "vote-lock" };

/// The other stakes of Convex's tokens.
const OWN_STAKES: ConvexStakesKit = ConvexStakesKit("convex-stake");

/// The gauges of Angle, and those of Stake DAO's liquid lockers, which are copies of these.
const GAUGES: CurveGaugesKit = CurveGaugesKit { gauge: "curve-gauge" };

/// Locks of its own token, and the fees that they earn.
const LOCKS: VoteEscrowKit = VoteEscrowKit { lock: "vote-escrow", fee: "vote-escrow-fees" };

/// The staking contracts that pay what arrives.
const FEE_STAKINGS: FeeStakingKit = FeeStakingKit { stake: "fee-staking" };

/// The pools of staking positions.
const POSITION_POOLS: PositionPoolsKit = PositionPoolsKit { stake: "nft-pool", nitro: "nitro-pool" };

/// Staked LYRA, a copy of Aave's safety module.
const SAFETY_MODULES: SafetyModuleKit = SafetyModuleKit { stake: "safety-module" };

/// Yearn's vaults.
const YEARN_VAULTS: YearnVaultsKit = YearnVaultsKit { vault: "yearn-vault", share: "YEARN" };

/// Vaults in the manner of Veda's.
const BORING_VAULTS: BoringVaultsKit = BoringVaultsKit { vault: "boring-vault", share: "BORING-VAULT" };

/// Markets of Pendle.
const PENDLE: PendleKit = PendleKit {
    principal: "pendle-pt",
    yield_token: "pendle-yt",
    wrapped: "pendle-sy",
    liquidity: "pendle-liquidity",
    share: "PENDLE",
};

/// Locks and stakes of PENDLE.
const PENDLE_LOCKS: PendleLocksKit = PendleLocksKit { lock: "vote-escrow", stake: "pendle-stake" };

/// Yearn's gauges.
const YEARN_GAUGES: YearnGaugesKit = YearnGaugesKit { gauge: "yearn-gauge" };

/// The managers of concentrated positions.
const POSITIONS: ConcentratedPositionsKit = ConcentratedPositionsKit { position: "concentrated-position" };

/// Vaults of one token (ERC-4626).
const TOKENIZED_VAULTS: TokenizedVaultsKit = TokenizedVaultsKit { vault: "erc4626-vault", share: "ERC4626" };

/// Vaults whose share is a token beside them, or is quoted by another contract.
const QUOTED_VAULTS: QuotedVaultsKit = QuotedVaultsKit { vault: "quoted-vault", share: "QUOTED-VAULT" };

/// Vaults that keep a ledger of what each account has put in.
const LEDGERS: LedgerVaultsKit = LedgerVaultsKit { vault: "ledger-vault" };

/// Solv's open funds.
const FUNDS: FundSharesKit = FundSharesKit { share: "fund-share", redemption: "fund-redemption" };

/// Vaults of Arrakis Modular.
const META_VAULTS: MetaVaultsKit = MetaVaultsKit { vault: "meta-vault" };

/// Shares whose own contract tells a rate.
const RATED_SHARES: LiquidStakingKit = LiquidStakingKit { stake: "rated-share" };

/// What waits after it has left a vault.
const UNSTAKE_COOLDOWNS: UnstakeCooldownsKit = UnstakeCooldownsKit { cooldown: "unstake-cooldown" };

/// What leaves USD.AI's vault.
const REDEMPTIONS: RedeemRequestsKit = RedeemRequestsKit { request: "redeem-request" };

/// Masters whose pools are named by tokens.
const TOKEN_MASTERS: TokenMastersKit = TokenMastersKit { stake: "token-master" };

/// Locks that leave by a cooldown.
const COOLDOWN_LOCKS: CooldownLocksKit = CooldownLocksKit { lock: "cooldown-lock" };

/// Boosters of Pendle's markets.
const MARKET_BOOSTERS: MarketBoostersKit = MarketBoostersKit { pool: "market-booster" };

/// Locks that end at the turn of a week.
const WEEKLY_LOCKS: WeeklyLocksKit = WeeklyLocksKit { lock: "weekly-lock" };

/// Pools whose views do not name their tokens.
const EARNING_POOLS: EarningPoolsKit = EarningPoolsKit { stake: "earning-pool" };

/// Locks that open after some epochs.
const EPOCH_LOCKS: EpochLocksKit = EpochLocksKit { lock: "epoch-lock" };

/// Pools of one token each.
const HARVEST_POOLS: HarvestPoolsKit = HarvestPoolsKit { stake: "harvest-pool" };

/// Vaults of which each account has its own.
const PERSONAL_VAULTS: PersonalVaultsKit = PersonalVaultsKit { vault: "personal-vault" };

/// Vaults of Stake DAO's second version.
const REWARD_VAULTS: RewardVaultsKit = RewardVaultsKit { vault: "reward-vault" };

/// Beefy's vaults.
const BEEFY_VAULTS: BeefyVaultsKit = BeefyVaultsKit { vault: "beefy-vault", share: "BEEFY" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[
    MasterChefKit::KEYS,
    StakingRewardsKit::KEYS,
    PositionPoolsKit::KEYS,
    ConcentratedPositionsKit::KEYS,
    BoosterKit::KEYS,
    SideBoosterKit::KEYS,
    VoteLockerKit::KEYS,
    ConvexStakesKit::KEYS,
    SafetyModuleKit::KEYS,
    FeeStakingKit::KEYS,
    CurveGaugesKit::KEYS,
    VoteEscrowKit::KEYS,
    YearnVaultsKit::KEYS,
    YearnGaugesKit::KEYS,
    BoringVaultsKit::KEYS,
    PendleKit::KEYS,
    PendleLocksKit::KEYS,
    TokenizedVaultsKit::KEYS,
    QuotedVaultsKit::KEYS,
    LedgerVaultsKit::KEYS,
    FundSharesKit::KEYS,
    MetaVaultsKit::KEYS,
    LiquidStakingKit::KEYS,
    UnstakeCooldownsKit::KEYS,
    RedeemRequestsKit::KEYS,
    TokenMastersKit::KEYS,
    CooldownLocksKit::KEYS,
    MarketBoostersKit::KEYS,
    WeeklyLocksKit::KEYS,
    EarningPoolsKit::KEYS,
    EpochLocksKit::KEYS,
    HarvestPoolsKit::KEYS,
    PersonalVaultsKit::KEYS,
    RewardVaultsKit::KEYS,
    BeefyVaultsKit::KEYS,
    KnownGapsKit::KEYS,
    Source::KEYS,
];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Farms;

impl AccountProtocols for Farms {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[
        &CHEFS,
        &FARMS,
        &POSITION_POOLS,
        &POSITIONS,
        &BOOSTERS,
        &SIDE_BOOSTERS,
        &LOCKERS,
        &OWN_STAKES,
        &SAFETY_MODULES,
        &FEE_STAKINGS,
        &GAUGES,
        &LOCKS,
        &YEARN_VAULTS,
        &YEARN_GAUGES,
        &BORING_VAULTS,
        &PENDLE,
        &PENDLE_LOCKS,
        &TOKENIZED_VAULTS,
        &QUOTED_VAULTS,
        &LEDGERS,
        &FUNDS,
        &META_VAULTS,
        &RATED_SHARES,
        &UNSTAKE_COOLDOWNS,
        &REDEMPTIONS,
        &TOKEN_MASTERS,
        &COOLDOWN_LOCKS,
        &MARKET_BOOSTERS,
        &WEEKLY_LOCKS,
        &EARNING_POOLS,
        &EPOCH_LOCKS,
        &HARVEST_POOLS,
        &PERSONAL_VAULTS,
        &REWARD_VAULTS,
        &BEEFY_VAULTS,
        &KnownGapsKit,
        &EventSourcesKit,
    ];
    const TABLES: &'static [&'static str] = &[tables::MASTER_CHEF, tables::STAKING_REWARDS, OWN_TABLE];
}

portolan_plugin_api::export!(Accounts<Farms>);
