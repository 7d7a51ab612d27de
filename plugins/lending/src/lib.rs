//! Troves, deposits and stakes of Liquity and River, vaults of Maker and Lista, Sky's staking engine, pools of Aave v2
//! and its forks, spokes of Aave v4, Aave's safety module and Umbrella, markets and vaults of Morpho and Moolah, vaults
//! of Euler and Fluid, balances in Dolomite, silos, Lista's staked BNB, Safes of ether.fi's Cash, Cooler Loans, credit
//! accounts of Gearbox, positions of Alchemix; and events of lending protocols: Aave in all versions with any fork,
//! Morpho, Euler, Silo, Fraxlend, Fluid, Liquity.
//!
//! Invariant: a protocol is named only for contracts that are listed, or that its registry knows; the same events of
//! other contracts are reported without one.

#[cfg(test)]
mod tests;

use portolan_kits::aave_v3::{AaveV3Kit, AaveVersion};
use portolan_kits::aave_v4::AaveV4Kit;
use portolan_kits::accounts::{AccountProtocols, Accounts, EventSourcesKit};
use portolan_kits::alchemists::AlchemistsKit;
use portolan_kits::collateral_troves::CollateralTrovesKit;
use portolan_kits::credit_accounts::CreditAccountsKit;
use portolan_kits::debt_manager::DebtManagerKit;
use portolan_kits::dolomite::DolomiteKit;
use portolan_kits::euler::EulerKit;
use portolan_kits::events::{Source, tables};
use portolan_kits::fluid::FluidKit;
use portolan_kits::interaction_vaults::InteractionVaultsKit;
use portolan_kits::kit::Kit;
use portolan_kits::known_gaps::KnownGapsKit;
use portolan_kits::liquid_staking::LiquidStakingKit;
use portolan_kits::liquity::LiquityKit;
use portolan_kits::liquity_v2::LiquityV2Kit;
use portolan_kits::lockstake::LockstakeKit;
use portolan_kits::maker_vaults::MakerVaultsKit;
use portolan_kits::mono_cooler::MonoCoolerKit;
use portolan_kits::morpho::MorphoKit;
use portolan_kits::safety_module::SafetyModuleKit;
use portolan_kits::silo::SiloKit;
use portolan_kits::tokenized_vaults::TokenizedVaultsKit;
use portolan_kits::trove_managers::TroveManagersKit;
use portolan_kits::umbrella::UmbrellaKit;
use portolan_kits::withdraw_requests::WithdrawRequestsKit;
use portolan_plugin_api::{Rows, rows};

/// The events that no other plugin reports.
const OWN_TABLE: &str = include_str!("table.events");

/// The words for troves, deposits in stability pools, and stakes.
const LIQUITY: LiquityKit =
    LiquityKit { trove: "liquity-trove", deposit: "liquity-stability-pool", stake: "liquity-staking" };

/// The words for troves of the second version and its forks, and for deposits in stability pools.
const LIQUITY_V2: LiquityV2Kit = LiquityV2Kit { trove: "liquity-v2-trove", deposit: "liquity-v2-stability-pool" };

/// The words for troves of forks of Prisma, and for deposits in their stability pool.
const TROVE_MANAGERS: TroveManagersKit = TroveManagersKit { trove: "river-trove", deposit: "river-stability-pool" };

/// Troves of several collaterals, and deposits and stakes that gain them.
const COLLATERAL_TROVES: CollateralTrovesKit =
    CollateralTrovesKit { trove: "collateral-trove", deposit: "collateral-gains" };

/// Maker's vaults.
const MAKER: MakerVaultsKit = MakerVaultsKit { vault: "maker-vault" };

/// Lista's vaults.
const INTERACTION: InteractionVaultsKit = InteractionVaultsKit { vault: "lista-vault" };

/// Urns of Sky's staking engine.
const LOCKSTAKE: LockstakeKit = LockstakeKit { urn: "sky-staking-engine" };

/// The pools of Aave v2 and its forks.
const AAVE_V2: AaveV3Kit = AaveV3Kit { version: AaveVersion::V2, reward_type: "aave-v2-rewards" };

/// Stakes of Aave's safety module.
const SAFETY_MODULES: SafetyModuleKit = SafetyModuleKit { stake: "aave-safety-module" };

/// Stakes of Aave's Umbrella.
const UMBRELLA: UmbrellaKit = UmbrellaKit { stake: "aave-umbrella" };

/// Accounts in vaults, and shares of vaults that lend to others.
const EULER: EulerKit = EulerKit { account: "euler-account", earn: "euler-earn" };

/// Main accounts of owners.
const DOLOMITE: DolomiteKit = DolomiteKit { account: "dolomite-account" };

/// Lending tokens, and positions in vaults.
const FLUID: FluidKit = FluidKit { token: "fluid-lending-token", vault: "fluid-vault" };

/// Markets, and the vaults that lend to them.
const MORPHO: MorphoKit = MorphoKit { market: "morpho-market", vault: "morpho-vault" };

/// Pairs of silos.
const SILO: SiloKit = SiloKit { pair: "silo-pair" };

/// Lista's staked BNB.
const LIQUID: LiquidStakingKit = LiquidStakingKit { stake: "liquid-staking" };

/// Requests for BNB at Lista.
const REQUESTS: WithdrawRequestsKit = WithdrawRequestsKit { request: "withdraw-request" };

/// Spokes of Aave v4.
const AAVE_V4: AaveV4Kit = AaveV4Kit { spoke: "aave-v4-spoke" };

/// Vaults whose shares stand for what is lent, such as those of Aave v4.
const LENDING_VAULTS: TokenizedVaultsKit = TokenizedVaultsKit { vault: "lending-vault", share: "ERC4626" };

/// Safes of ether.fi's Cash.
const CASH: DebtManagerKit = DebtManagerKit { account: "ether-fi-cash" };

/// Credit accounts of Gearbox, and the pools that lend to them.
const CREDIT_ACCOUNTS: CreditAccountsKit =
    CreditAccountsKit { account: "gearbox-credit-account", pool: "gearbox-pool" };

/// Positions at Alchemix' alchemists.
const ALCHEMISTS: AlchemistsKit = AlchemistsKit { position: "alchemix-position" };

/// Cooler Loans.
const COOLERS: MonoCoolerKit = MonoCoolerKit { loan: "cooler-loan" };

/// Keys of the rows.
const KEYS: &[&[&str]] = &[
    LiquityKit::KEYS,
    LiquityV2Kit::KEYS,
    TroveManagersKit::KEYS,
    CollateralTrovesKit::KEYS,
    MakerVaultsKit::KEYS,
    InteractionVaultsKit::KEYS,
    LockstakeKit::KEYS,
    AaveV3Kit::KEYS,
    SafetyModuleKit::KEYS,
    UmbrellaKit::KEYS,
    MorphoKit::KEYS,
    EulerKit::KEYS,
    DolomiteKit::KEYS,
    FluidKit::KEYS,
    SiloKit::KEYS,
    LiquidStakingKit::KEYS,
    WithdrawRequestsKit::KEYS,
    AaveV4Kit::KEYS,
    TokenizedVaultsKit::KEYS,
    DebtManagerKit::KEYS,
    CreditAccountsKit::KEYS,
    AlchemistsKit::KEYS,
    MonoCoolerKit::KEYS,
    KnownGapsKit::KEYS,
    Source::KEYS,
];

/// The rows and tables of the plugin.
#[derive(Debug)]
pub struct Lending;

impl AccountProtocols for Lending {
    const ROWS: Rows = rows!("protocols", KEYS);
    const KITS: &'static [&'static dyn Kit] = &[
        &LIQUITY,
        &LIQUITY_V2,
        &TROVE_MANAGERS,
        &COLLATERAL_TROVES,
        &MAKER,
        &INTERACTION,
        &LOCKSTAKE,
        &AAVE_V2,
        &SAFETY_MODULES,
        &UMBRELLA,
        &MORPHO,
        &EULER,
        &DOLOMITE,
        &FLUID,
        &SILO,
        &LIQUID,
        &REQUESTS,
        &AAVE_V4,
        &LENDING_VAULTS,
        &CASH,
        &CREDIT_ACCOUNTS,
        &ALCHEMISTS,
        &COOLERS,
        &KnownGapsKit,
        &EventSourcesKit,
    ];
    /// Names of rows begin with the version.
    const TITLES: &'static [(&'static str, &'static str)] = &[("aave_v4", "Aave v4")];
    const TABLES: &'static [&'static str] = &[tables::AAVE, OWN_TABLE];
}

portolan_plugin_api::export!(Accounts<Lending>);
