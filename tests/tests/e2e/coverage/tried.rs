//! The contracts that the mechanisms of the kits were tried on, and the protocols that each serves: the one table of
//! it, kept by hand, and checked as far as it can be: see [`check`].

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fmt, fs};

use anyhow::{Context as _, Result, ensure};
use portolan_tests::{build, chain};

/// Rows of the kits' README that are no mechanisms of accounts.
pub(crate) const OTHER_MODULES: [&str; 4] = ["events", "accounts", "family", "kit"];

/// The contract that a mechanism was tried on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tried {
    /// The contract's own bytecode, by the name of its artifact, on the chain of a profile.
    Real(&'static str, &'static str),
    /// A double of the contract, likewise.
    Double(&'static str, &'static str),
    /// No chain: the kit's own tests alone.
    Canned,
}

use Tried::{Canned, Double, Real};

/// A form of a mechanism.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    pub(crate) kit: &'static str,
    /// The difference from the kit's other forms; empty if there is no other.
    pub(crate) name: &'static str,
    pub(crate) tried: Tried,
    /// The protocols that have it; none where only an operator's settings do.
    pub(crate) slugs: &'static [&'static str],
}

const fn form(kit: &'static str, name: &'static str, tried: Tried, slugs: &'static [&'static str]) -> Form {
    Form { kit, name, tried, slugs }
}

/// Ordered by kit.
pub(crate) const FORMS: &[Form] = &[
    form(
        "aave_v3",
        "version 3",
        Real("ethereum", "Pool"),
        &["aave_v3", "extra-finance", "kinza", "seamless", "spark", "tydro"],
    ),
    form("aave_v3", "version 2", Canned, &["aave_v2", "granary"]),
    form("alchemists", "", Double("credit", "AlchemistDouble"), &["alchemix"]),
    form("aave_v4", "", Double("credit", "SpokeDouble"), &["aave_v4", "ether-fi-cash"]),
    form(
        "balancer_pools",
        "of the second vault",
        Real("shares", "WeightedPool2TokensFactory"),
        &["balancer", "beethovenx"],
    ),
    form("balancer_pools", "of the third vault", Canned, &["balancer"]),
    form("beefy_vaults", "", Double("vaults", "BeefyVaultDouble"), &["beefy"]),
    form("booster", "Convex's minting", Double("boosters", "BoosterDouble"), &["convex"]),
    form("booster", "Aura's minting", Canned, &["aura"]),
    form("booster", "Aura's first booster", Canned, &["aura"]),
    form("boring_vaults", "", Double("accountants", "AccountantDouble"), &["nest", "veda"]),
    form("comet", "", Double("comets", "CometDouble"), &["compound"]),
    form(
        "compound_v2",
        "markets",
        Double("comptroller", "ComptrollerDouble"),
        &["benqi", "compound", "flux", "moonwell", "sonne", "venus", "wepiggy"],
    ),
    form("compound_v2", "Compound's rewards", Double("comptroller", "ComptrollerDouble"), &["compound"]),
    form("compound_v2", "VAI", Canned, &["venus"]),
    form("compound_v2", "rewards of distributors", Double("comptroller", "PoolRewardsDouble"), &["venus"]),
    form("compound_v2", "rewards by other names", Canned, &["benqi", "moonwell", "venus"]),
    form(
        "concentrated_positions",
        "Uniswap v3",
        Real("positions", "NonfungiblePositionManager"),
        &["pancakeswap", "quickswap_v3", "ramses", "sushiswap_v3", "uniswap_v3"],
    ),
    form(
        "concentrated_positions",
        "Slipstream",
        Double("positions", "PositionManagerDouble"),
        &["aerodrome", "velodrome_v2"],
    ),
    form(
        "concentrated_positions",
        "Algebra",
        Real("positions", "AlgebraPositionManager"),
        &["camelot", "quickswap_v3", "thena"],
    ),
    form(
        "concentrated_positions",
        "Algebra Integral",
        Real("positions", "IntegralPositionManager"),
        &["quickswap_v3", "thena"],
    ),
    form("convex_stakes", "stakes of CVX", Double("boosters", "CvxRewardPoolDouble"), &["convex"]),
    form("convex_stakes", "wrapped cvxCRV", Canned, &["convex"]),
    form("curve_gauges", "the first generation", Real("curve", "LiquidityGauge"), &["curve"]),
    form("curve_gauges", "later generations with a controller", Canned, &["balancer", "curve"]),
    form("curve_gauges", "of a controller without a minter", Real("curve", "GaugeController"), &["stake-dao"]),
    form("curve_gauges", "whose tokens were exchanged", Canned, &["angle"]),
    form("curve_gauges", "of a factory", Double("curve", "ChildGaugeDouble"), &["curve"]),
    form("curve_gauges", "named by the row", Canned, &["angle", "balancer", "stake-dao"]),
    form("curve_pools", "", Real("shares", "Stableswap"), &["curve"]),
    form("credit_accounts", "", Double("credit", "GearboxCompressorDouble"), &["gearbox"]),
    form("debt_manager", "", Double("credit", "DebtManagerDouble"), &["ether-fi-cash"]),
    form("dolomite", "", Double("cdps", "DolomiteMarginDouble"), &["dolomite"]),
    form("euler", "vaults of accounts", Double("lenders", "EVaultDouble"), &["euler"]),
    form("euler", "vaults that lend to others", Canned, &["euler"]),
    form("exit_nfts", "", Double("staked", "SwExitDouble"), &["swell"]),
    form("fee_staking", "", Double("chefs", "StableJoeStakingDouble"), &["trader-joe"]),
    form("fluid", "", Double("lenders", "FluidVaultResolverDouble"), &["fluid-lending"]),
    form("ledger_vaults", "", Double("accountants", "LedgerDouble"), &["bitway", "zerobase"]),
    form(
        "liquid_staking",
        "by a rate or a value",
        Double("staked", "LiquidTokenDouble"),
        &[
            "ankr",
            "benqi",
            "binance-staked-eth",
            "coinbase-wrapped-staked-eth",
            "ether-fi",
            "frax",
            "kelp",
            "lido",
            "liquid-collective",
            "lista",
            "lorenzo",
            "mantle",
            "renzo",
            "rocketpool",
            "stader",
            "stakewise",
            "swell",
        ],
    ),
    form(
        "liquid_staking",
        "without a view",
        Double("staked", "LiquidTokenDouble"),
        &["coinbase-wrapped-staked-eth", "ether-fi", "frax", "kelp", "lido", "mantle", "renzo", "rocketpool", "stader"],
    ),
    form(
        "liquidity_pairs",
        "by name",
        Real("positions", "UniswapV2Pair"),
        &["pancakeswap", "quickswap_v2", "sushiswap_v2", "uniswap_v2"],
    ),
    form(
        "liquidity_pairs",
        "by a factory",
        Real("positions", "UniswapV2Factory"),
        &["pancakeswap", "quickswap_v2", "sushiswap_v2", "uniswap_v2"],
    ),
    form("liquity", "", Double("troves", "TroveManagerDouble"), &["liquity"]),
    form(
        "liquity_v2",
        "",
        Double("cdps", "BranchManagerDouble"),
        &["asymmetry", "ebisu", "liquity", "nerite", "orki", "quill"],
    ),
    form("interaction_vaults", "", Double("lista", "InteractionDouble"), &["lista"]),
    form("lockstake", "", Double("cdps", "LockstakeEngineDouble"), &["makerdao"]),
    form("maker_vaults", "", Double("cdps", "CdpManagerDouble"), &["makerdao"]),
    form("fund_shares", "", Double("accountants", "FundRedemptionDouble"), &["solv"]),
    form("gains_staking", "", Double("gmx", "GNSStakingDouble"), &["gains"]),
    form("gmx_v2", "", Double("gmx", "DataStoreDouble"), &["gmx"]),
    form(
        "known_gaps",
        "",
        Canned,
        &[
            "aura",
            "benqi",
            "camelot",
            "convex",
            "curve",
            "ether-fi",
            "euler",
            "frax",
            "pancakeswap",
            "seamless",
            "trader-joe",
            "uniswap_v4",
            "wombat",
            "yearn",
        ],
    ),
    form("llamalend", "loans of crvUSD", Double("curve", "CrvUsdControllerDouble"), &["curve"]),
    form("llamalend", "LlamaLend", Canned, &["curve"]),
    form("llamalend", "LlamaLend's second version", Canned, &["curve"]),
    form("lockup_streams", "version 4", Real("vesting", "SablierLockup"), &["sablier"]),
    form("lockup_streams", "before version 2", Real("vesting", "SablierV2LockupLinear"), &["sablier"]),
    form("master_chef", "MasterChef", Real("ethereum", "MasterChef"), &["sushiswap"]),
    form(
        "master_chef",
        "MasterChef with renamed views",
        Real("fantom", "MasterChefFork"),
        &[
            "apeswap",
            "baseswap",
            "biswap",
            "dinoswap",
            "liquiddriver",
            "qidao",
            "spookyswap",
            "stake-dao",
            "swapfish",
            "wigoswap",
        ],
    ),
    form(
        "master_chef",
        "MasterChef with a stake of its own token alone",
        Canned,
        &["apeswap", "biswap", "pancakeswap", "swapfish", "wigoswap"],
    ),
    form("master_chef", "MasterChefV2", Double("ethereum", "MasterChefV2Double"), &["liquiddriver", "sushiswap"]),
    form("master_chef", "MasterChefV2 that pays with a withdrawal", Canned, &["pancakeswap", "spookyswap"]),
    form("master_chef", "MiniChefV2", Double("polygon", "MiniChefV2Double"), &["apeswap", "pickle", "sushiswap"]),
    form("master_chef", "Pangolin's MiniChefV2", Real("polygon", "MiniChefV2"), &["pangolin"]),
    form("master_chef", "Beethoven X' chef", Double("chefs", "BeethovenxMasterChefDouble"), &["beethovenx"]),
    form("master_chef", "with a bonus", Double("chefs", "BonusChefDouble"), &["trader-joe"]),
    form("master_chef", "with lists of payments", Double("chefs", "ListsChefDouble"), &["alienbase"]),
    form("master_chef", "with lists of bonuses", Canned, &["wombat"]),
    form("master_chef", "that pays what it was given", Double("chefs", "LPStakingTimeDouble"), &["stargate"]),
    form("master_chef", "Convex' chef", Canned, &["aura", "convex"]),
    form("merkl", "", Double("vesting", "MerklDistributorDouble"), &[]),
    form("merkle_distributor", "", Real("optimism-gauges", "MerkleDistributor"), &[]),
    form("merkle_stash", "", Double("vesting", "MerkleStashDouble"), &[]),
    form("meta_vaults", "", Double("accountants", "MetaVaultDouble"), &["arrakis"]),
    form("mono_cooler", "", Double("credit", "MonoCoolerDouble"), &["cooler-loans"]),
    form("morpho", "markets", Real("morpho", "Morpho"), &["morpho"]),
    form("morpho", "markets and vaults of Moolah", Double("lista", "MoolahDouble"), &["lista"]),
    form("morpho", "vaults of the first version", Real("morpho", "MetaMorpho"), &["morpho"]),
    form("morpho", "vaults of the second version", Canned, &["morpho"]),
    form("pendle", "", Real("pendle", "PendleMarketV7"), &["pendle"]),
    form("pendle_locks", "vePENDLE", Real("pendle", "VotingEscrowPendleMainchain"), &["pendle"]),
    form("pendle_locks", "sPENDLE", Real("pendle", "StakedPendle"), &["pendle"]),
    form("position_chef", "", Double("chefs", "PositionChefDouble"), &["pancakeswap"]),
    form("position_pools", "pools", Double("chefs", "NFTPoolDouble"), &["camelot"]),
    form("position_pools", "nitro pools", Double("chefs", "NitroPoolDouble"), &["camelot"]),
    form("quoted_vaults", "a previewed redemption", Double("accountants", "RedemptionDouble"), &["upshift"]),
    form("quoted_vaults", "reports to an oracle", Double("accountants", "ReportsDouble"), &["mellow"]),
    form("quoted_vaults", "a calculator of units", Double("accountants", "UnitsDouble"), &["aera"]),
    form("quoted_vaults", "an oracle of pools", Double("accountants", "NavOracleDouble"), &["solv"]),
    form("quoted_vaults", "an entry beside the share", Double("accountants", "EntryDouble"), &["nest"]),
    form("quoted_vaults", "a price of 18 decimals", Double("accountants", "PricedDouble"), &["vesper"]),
    form("redeem_requests", "", Double("credit", "RequestVaultDouble"), &["usd-ai"]),
    form("restaking", "", Double("staked", "DelegationManagerDouble"), &["eigenlayer"]),
    form("restaking_vaults", "the first generation", Real("credit", "SymbioticVault"), &["symbiotic"]),
    form("restaking_vaults", "the second generation", Double("credit", "RestakingSharesDouble"), &["symbiotic"]),
    form("restaking_vaults", "default collaterals", Double("credit", "DefaultCollateralDouble"), &["symbiotic"]),
    form("reward_escrow", "", Real("escrows", "RewardEscrowV2"), &["synthetix"]),
    form("reward_trackers", "", Double("gmx", "RewardTrackerDouble"), &["gmx", "metavault", "mycelium"]),
    form("safety_module", "", Double("umbrella", "SafetyModuleDouble"), &["aave_v2", "lyra"]),
    form("side_booster", "", Double("boosters", "SideRewardPoolDouble"), &["convex"]),
    form("silo", "", Double("silos", "SiloDouble"), &["silo"]),
    form("share_vault", "Sushi's bar", Real("ethereum", "SushiBar"), &["sushiswap"]),
    form("share_vault", "Dragon's Lair", Double("polygon", "DragonLairDouble"), &["quickswap"]),
    form("solidly", "Velodrome v2", Double("optimism-gauges", "GaugeDouble"), &["aerodrome", "velodrome_v2"]),
    form("solidly", "Slipstream", Double("voters", "CLGaugeDouble"), &["aerodrome", "velodrome_v2"]),
    form("solidly", "fees and bribes", Double("voters", "VotingRewardDouble"), &["aerodrome", "velodrome_v2"]),
    form(
        "solidly",
        "Velodrome v1",
        Double("voters", "VelodromeV1GaugeDouble"),
        &["equalizer", "ramses", "velodrome_v1"],
    ),
    form("solidly", "Equalizer", Double("voters", "EqualizerGaugeDouble"), &["equalizer"]),
    form("solidly", "Thena", Double("voters", "ThenaGaugeDouble"), &["thena"]),
    form("solidly", "Thena before its third voter", Canned, &["thena"]),
    form("staking_rewards", "of a factory", Real("polygon", "StakingRewardsFactory"), &["quickswap"]),
    form(
        "staking_rewards",
        "of a list",
        Real("fantom", "StakingRewards"),
        &["aelin", "hop", "index-coop", "lyra", "pangolin", "sky"],
    ),
    form("staking_rewards", "of two tokens", Double("polygon", "StakingDualRewardsDouble"), &["quickswap"]),
    form("stargate_staking", "", Canned, &["stargate"]),
    form("super_tokens", "", Real("superfluid", "SuperToken"), &["superfluid"]),
    form("token_lockers", "UNCX' first", Double("lockers", "PairLockerDouble"), &["uncx"]),
    form("token_lockers", "UNCX' second", Double("lockers", "NumberedPairLockerDouble"), &["uncx"]),
    form("token_lockers", "Team Finance's", Double("lockers", "TokenLockerDouble"), &["team-finance"]),
    form("token_lockers", "Team Finance's first", Double("lockers", "FormerTokenLockerDouble"), &["team-finance"]),
    form("token_plans", "", Double("vesting", "TokenPlansDouble"), &["hedgey"]),
    form(
        "tokenized_vaults",
        "that save",
        Real("vaults", "SavingsVault"),
        &[
            "angle",
            "autofinance",
            "avant",
            "cap",
            "cian-yield-layer",
            "concrete",
            "dinero",
            "ethena",
            "falcon-finance",
            "fluid-lite",
            "fusion-by-ipor",
            "infinifi",
            "inverse-finance",
            "lagoon",
            "noon",
            "origin",
            "reservoir-protocol",
            "resolv",
            "saturn",
            "savings-xdai",
            "sky",
            "spark",
            "usd-ai",
            "treehouse-protocol",
            "upshift",
            "usdd",
            "usual",
            "yo",
        ],
    ),
    form(
        "tokenized_vaults",
        "that lend",
        Real("vaults", "SavingsVault"),
        &["40-acres", "aave_v4", "alchemix", "maple"],
    ),
    form("trove_managers", "", Double("credit", "ListedTroveManagerDouble"), &["river"]),
    form("umbrella", "", Double("umbrella", "StakedTokenDouble"), &["aave_v2"]),
    form("unified_farms", "", Double("frax", "FraxUnifiedFarmDouble"), &["frax"]),
    form("unstake_cooldowns", "", Double("vaults", "CooldownVaultDouble"), &["avant", "ethena"]),
    form("validator_shares", "", Double("chefs", "ValidatorShareDouble"), &["polygon-protocol"]),
    form("vault_supervisor", "", Double("escrows", "VaultSupervisorDouble"), &["karak"]),
    form("vester", "", Double("gmx", "VesterDouble"), &["gmx"]),
    form("vesting_escrows", "", Double("vesting", "EscrowFactoryDouble"), &["llamapay"]),
    form("vote_escrow", "locks", Real("curve", "VotingEscrow"), &["angle", "balancer", "curve", "frax", "stake-dao"]),
    form("vote_escrow", "fees of several tokens", Real("curve", "FeeDistributor"), &["balancer"]),
    form("vote_escrow", "locks and fees of veYFI", Double("yearn", "VotingYfiDouble"), &["yearn"]),
    form("vote_escrow", "fees of one token", Canned, &["angle", "curve", "stake-dao"]),
    form("vote_escrow", "locks that can be let go", Canned, &["stargate"]),
    form("vote_locker", "Convex's", Double("boosters", "VoteLockerDouble"), &["convex"]),
    form("vote_locker", "Aura's", Canned, &["aura"]),
    form("withdraw_requests", "Renzo's", Double("staked", "RequestQueueDouble"), &["renzo"]),
    form("withdraw_requests", "Lista's", Double("staked", "ListaStakeManagerDouble"), &["lista"]),
    form("withdraw_requests", "Stader's", Double("staked", "UserWithdrawalManagerDouble"), &["stader"]),
    form("withdraw_requests", "Kelp's", Double("staked", "LRTWithdrawalManagerDouble"), &["kelp"]),
    form("withdraw_requests", "Benqi's", Double("staked", "StakedAvaxDouble"), &["benqi"]),
    form("withdrawal_queue", "", Double("staked", "WithdrawalQueueDouble"), &["lido"]),
    form("yearn_gauges", "", Double("yearn", "YearnGaugeDouble"), &["yearn"]),
    form("yearn_vaults", "the second generation", Real("yearn", "YearnVault"), &["yearn"]),
    form("yearn_vaults", "the third generation", Double("yearn", "YearnEndorsedDouble"), &["yearn"]),
    form("collateral_troves", "", Double("wrappers", "CollateralTrovesDouble"), &["ethos"]),
    form("cooldown_locks", "", Double("wrappers", "CooldownLockDouble"), &["magpie-xyz", "penpie"]),
    form("earning_pools", "", Double("wrappers", "EarningPoolDouble"), &["looksrare", "sandbox"]),
    form("epoch_locks", "", Double("wrappers", "EpochLockDouble"), &["plutusdao"]),
    form("fee_pools", "", Double("wrappers", "FeePoolDouble"), &["stakefish"]),
    form("harvest_pools", "shares of fees", Double("wrappers", "FeeSharingDouble"), &["looksrare"]),
    form("harvest_pools", "a pool of liquidity", Canned, &["looksrare"]),
    form("harvest_pools", "chefs with several rewards", Double("wrappers", "PlutusChefDouble"), &["plutusdao"]),
    form("market_boosters", "", Double("wrappers", "MarketBoosterDouble"), &["equilibria"]),
    form("mux_staking", "", Double("wrappers", "MuxRouterDouble"), &["mux"]),
    form("node_staking", "", Double("wrappers", "NodeStakingDouble"), &["arpa"]),
    form("personal_vaults", "gauges", Double("wrappers", "PersonalVaultDouble"), &["convex"]),
    form("personal_vaults", "farms of Frax", Canned, &["convex"]),
    form("reward_vaults", "", Double("wrappers", "RewardVaultDouble"), &["stake-dao"]),
    form("token_masters", "Magpie", Double("wrappers", "TokenMasterDouble"), &["magpie-xyz"]),
    form("token_masters", "Penpie", Double("wrappers", "TokenMasterDouble"), &["penpie"]),
    form("weekly_locks", "", Double("wrappers", "WeeklyLockDouble"), &["equilibria"]),
];

impl Tried {
    /// In a word, and the profile of the chain.
    const fn kind(self) -> (&'static str, Option<&'static str>) {
        match self {
            Real(profile, _) => ("real bytecode", Some(profile)),
            Double(profile, _) => ("double", Some(profile)),
            Canned => ("canned replies", None),
        }
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, _) = self.kind();
        match self {
            Real(profile, contract) | Double(profile, contract) => write!(f, "{kind}: `{contract}` on `{profile}`"),
            Canned => f.write_str(kind),
        }
    }
}

/// The forms of a protocol.
pub(crate) fn of(slug: &str) -> impl Iterator<Item = &'static Form> {
    FORMS.iter().filter(move |form| form.slugs.contains(&slug))
}

/// Returns the kinds of contracts that the forms of a protocol were tried on, each once with its chains.
pub(crate) fn kinds(slug: &str) -> Vec<String> {
    let found: BTreeSet<_> = of(slug).map(|form| form.tried.kind()).collect();
    let one = |kind: &str| {
        let chains = found.iter().filter(|(of, _)| *of == kind).filter_map(|(_, profile)| *profile);
        let chains: Vec<String> = chains.map(|profile| format!("`{profile}`")).collect();
        if chains.is_empty() { kind.to_owned() } else { format!("{kind} ({})", chains.join(", ")) }
    };
    let has = |kind: &&str| found.iter().any(|(of, _)| of == kind);
    ["real bytecode", "double", "canned replies"].into_iter().filter(has).map(one).collect()
}

/// Compares the table with the protocols that are answered, each with its plugin, with the kits and what their README
/// and the plugins' sources say of them, and with the profiles of the test chains and the contracts that they place.
///
/// # Errors
/// Every row that is missing or wrong.
pub(crate) fn check(answered: &BTreeMap<String, String>) -> Result<()> {
    let mut wrong = Vec::new();
    for slug in answered.keys().filter(|slug| of(slug).next().is_none()) {
        wrong.push(format!("FORMS has no row with {slug}"));
    }
    let mechanisms = mechanisms()?;
    for kit in mechanisms.iter().filter(|kit| FORMS.iter().all(|form| form.kit != kit.as_str())) {
        wrong.push(format!("FORMS has no row of the kit {kit}"));
    }
    let used = used(answered)?;
    for (plugin, kits) in &used {
        let serves = |form: &Form| {
            form.slugs.is_empty() || form.slugs.iter().any(|slug| answered.get(*slug).is_some_and(|of| of == plugin))
        };
        let rowless = kits.iter().filter(|kit| !FORMS.iter().any(|form| form.kit == kit.as_str() && serves(form)));
        wrong.extend(rowless.map(|kit| format!("FORMS has no row of the kit {kit} with a protocol of {plugin}")));
    }
    for form in FORMS {
        let mut offends = |what: String| wrong.push(format!("the row of {} ({}): {what}", form.kit, form.name));
        if !mechanisms.contains(form.kit) {
            offends("the kits' README has no such module".to_owned());
        }
        for slug in form.slugs {
            match answered.get(*slug).and_then(|plugin| used.get(plugin)) {
                None => offends(format!("{slug} is not answered")),
                Some(kits) if !kits.contains(form.kit) => offends(format!("the plugin of {slug} has no such kit")),
                Some(_) => {}
            }
        }
        if let Err(error) = tried(form) {
            offends(format!("{error:#}"));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// The mechanisms of the kits' README, each of which has to be a module.
fn mechanisms() -> Result<BTreeSet<String>> {
    let kits = build::workspace().join("plugins/kits");
    let readme = fs::read_to_string(kits.join("README.md"))?;
    let named = readme.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let names: BTreeSet<String> = named
        .flat_map(|cell| cell.split(", ").map(|name| name.trim_matches('`').to_owned()))
        .filter(|name| !OTHER_MODULES.contains(&name.as_str()))
        .collect();
    for name in &names {
        ensure!(kits.join(format!("src/{name}.rs")).is_file(), "the kits' README names {name}, which is not a module");
    }
    Ok(names)
}

/// By plugin, the mechanisms that its sources name. Rows of events may use others.
fn used(answered: &BTreeMap<String, String>) -> Result<BTreeMap<String, BTreeSet<String>>> {
    let mechanisms = mechanisms()?;
    let mut used = BTreeMap::new();
    for plugin in answered.values() {
        let sources = sources(&build::workspace().join("plugins").join(plugin).join("src"), "rs")?;
        let names = |kit: &&String| sources.iter().any(|(_, text)| text.contains(&format!("portolan_kits::{kit}::")));
        used.insert(plugin.clone(), mechanisms.iter().filter(names).cloned().collect());
    }
    Ok(used)
}

/// Checks that the contract that a form was tried on exists, and is as its row says: a double is a contract of the test
/// chain's own.
fn tried(form: &Form) -> Result<()> {
    let tests = build::workspace().join("tests/chain");
    let (profile, contract, is_double) = match form.tried {
        Canned => {
            let file = format!("plugins/kits/tests/kits/{}.rs", form.kit);
            ensure!(build::workspace().join(&file).is_file(), "{file} is missing");
            return Ok(());
        }
        Real(profile, contract) => (profile, contract, false),
        Double(profile, contract) => (profile, contract, true),
    };
    let built = chain::prepared()?.join(format!("{profile}.expected.json"));
    ensure!(built.is_file(), "no chain of the profile {profile} is built");
    let declared = |(_, text): &(PathBuf, String)| text.contains(&format!("contract {contract} "));
    let own = sources(&tests.join("contracts"), "sol")?.iter().any(declared);
    ensure!(own == is_double, "{contract} is {}", if own { "a double" } else { "no double" });
    let placed = parts(&tests, profile)?.iter().any(|text| text.contains(&format!("'{contract}'")));
    ensure!(placed, "the profile {profile} places no {contract}");
    Ok(())
}

/// The script of a profile and those that it imports.
fn parts(tests: &Path, profile: &str) -> Result<Vec<String>> {
    let is_of = |(_, text): &(PathBuf, String)| text.contains(&format!("name: '{profile}',"));
    let all = sources(tests, "mjs")?;
    let (begin, _) = all.iter().find(|part| is_of(part)).with_context(|| format!("no script of {profile}"))?;
    let mut reached = BTreeSet::from([begin.clone()]);
    let mut next = vec![begin.clone()];
    while let Some(script) = next.pop() {
        let folder = script.parent().context("a script in no folder")?;
        for import in fs::read_to_string(&script)?.split("from '").skip(1) {
            let relative = import.split('\'').next().unwrap_or_default();
            // The list of artifacts names all contracts, placed or not.
            if !relative.starts_with('.') || relative.ends_with("/artifacts.mjs") {
                continue;
            }
            let found = folder.join(relative).canonicalize().with_context(|| relative.to_owned())?;
            if reached.insert(found.clone()) {
                next.push(found);
            }
        }
    }
    reached.iter().map(|path| fs::read_to_string(path).with_context(|| path.display().to_string())).collect()
}

/// All files with an extension below a folder, but what is installed.
fn sources(folder: &Path, extension: &str) -> Result<Vec<(PathBuf, String)>> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| folder.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() && !path.ends_with("node_modules") {
                folders.push(path);
            } else if path.extension().is_some_and(|of| of == extension) {
                let text = fs::read_to_string(&path)?;
                found.push((path, text));
            }
        }
    }
    Ok(found)
}
