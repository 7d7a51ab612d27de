//! The rows of settings by which tests serve forks of the kits' mechanisms.

/// The lines of a `[[deployment]]`.
#[derive(Clone, Copy, Debug)]
pub struct ForkRow {
    /// The profile of the chain on which its contracts stand.
    pub profile: &'static str,
    pub plugin: &'static str,
    pub protocol: &'static str,
    /// The mechanism's module of the kits.
    pub kit: &'static str,
    /// The lines beside protocol and network. `<a/b>` stands for what the profile's document has there.
    pub keys: &'static str,
}

/// A row of a profile, a plugin and a protocol.
pub const fn row([profile, plugin, protocol]: [&'static str; 3], kit: &'static str, keys: &'static str) -> ForkRow {
    ForkRow { profile, plugin, protocol, kit, keys }
}

const CONVEX: [&str; 3] = ["boosters", "farms", "convex"];
const TRADER_JOE: [&str; 3] = ["chefs", "farms", "trader-joe"];
const CAMELOT: [&str; 3] = ["chefs", "farms", "camelot"];
const CURVE: [&str; 3] = ["curve", "curve", "curve"];
const SHARES_CURVE: [&str; 3] = ["shares", "curve", "curve"];
const SHARES_BALANCER: [&str; 3] = ["shares", "balancer", "balancer"];
const LIDO: [&str; 3] = ["staked", "staking", "lido"];
const WRAPPERS_MAGPIE: [&str; 3] = ["wrappers", "farms", "magpie-xyz"];
const WRAPPERS_PENPIE: [&str; 3] = ["wrappers", "farms", "penpie"];
const YEARN: [&str; 3] = ["yearn", "farms", "yearn"];
const PENDLE: [&str; 3] = ["pendle", "farms", "pendle"];
const POSITIONS: &str = "concentrated_positions";
const GAUGES_OF_SHARES: &str = "gauge_factory = <shares/factory>\nminted_token = <shares/crv>";

/// Ordered by profile.
pub const ROWS: &[ForkRow] = &[
    row(
        ["accountants", "farms", "veda"],
        "boring_vaults",
        "market = \"vaults\"\naccountants = [<accountants/ofLiquid>, <accountants/ofDollars>]",
    ),
    row(
        ["accountants", "farms", "upshift"],
        "quoted_vaults",
        "market = \"multi-asset\"\nquoted_vaults = [<accountants/redemption>]\nquoted_by = \"redemption\"",
    ),
    row(
        ["accountants", "farms", "mellow"],
        "quoted_vaults",
        "quoted_vaults = [<accountants/reports>, <accountants/doubted>]\nquoted_by = \"reports\"",
    ),
    row(
        ["accountants", "farms", "aera"],
        "quoted_vaults",
        "quoted_vaults = [<accountants/units>]\nquoted_by = \"units\"",
    ),
    row(
        ["accountants", "farms", "nest"],
        "quoted_vaults",
        "market = \"entries\"\nquoted_vaults = [<accountants/entry>]\nquoted_by = \"entry\"",
    ),
    row(
        ["accountants", "farms", "vesper"],
        "quoted_vaults",
        "quoted_vaults = [<accountants/priced>]\nquoted_by = \"price\"",
    ),
    row(
        ["accountants", "farms", "arrakis"],
        "meta_vaults",
        "market = \"modular\"\nmeta_vault_factory = <accountants/metaVaults>",
    ),
    row(
        ["accountants", "farms", "zerobase"],
        "ledger_vaults",
        "ledger_vaults = [<accountants/ledger>]\nledger_tokens = [<accountants/weth>, <accountants/usdc>]",
    ),
    row(
        ["accountants", "farms", "solv"],
        "quoted_vaults",
        "market = \"strategies\"\nquoted_vaults = [<accountants/strategy>]\nquoted_by = \"nav\"\n\
         nav_oracle = <accountants/nav>\nnav_token = <accountants/weth>\n\
         nav_pools = [\"0x5050505050505050505050505050505050505050505050505050505050505050\"]",
    ),
    row(
        ["accountants", "farms", "solv"],
        "fund_shares",
        "market = \"funds\"\nfund_market = <accountants/fundMarket>\nfund_shares = <accountants/fundShares>\n\
         fund_redemptions = <accountants/fundRedemptions>",
    ),
    row(CONVEX, "booster", "market = \"pools\"\nbooster = <boosters/booster>"),
    row(CONVEX, "convex_stakes", "market = \"cvx\"\ncvx_staking = <boosters/staking>"),
    row(CONVEX, "side_booster", "market = \"side\"\nside_booster = <boosters/side>"),
    row(CONVEX, "vote_locker", "market = \"locker\"\nlocker = <boosters/locker>\nboosted = true"),
    row(
        ["cdps", "lending", "makerdao"],
        "maker_vaults",
        "cdp_manager = <maker/manager>\ncdp_lister = <maker/lister>\nilk_registry = <maker/ilks>\n\
         jug = <maker/jug>\ndebt_token = <assets/dai>\nproxy_registry = <maker/proxies>",
    ),
    row(["cdps", "lending", "makerdao"], "lockstake", "market = \"lockstake\"\nlockstake_engine = <sky/engine>"),
    row(
        ["cdps", "lending", "liquity"],
        "liquity_v2",
        "market = \"v2\"\ncollateral_registry = <liquity/registry>\nprice_feeds = [<liquity/feed>]\n\
         surplus_pools = [<liquity/surplus>]",
    ),
    row(["cdps", "lending", "dolomite"], "dolomite", "dolomite_margin = <dolomite>"),
    row(["chefs", "balancer", "beethovenx"], "master_chef", "kind = \"beets-chef\"\nchef = <chefs/beetsChef>"),
    row(["chefs", "bridges", "stargate"], "master_chef", "kind = \"stargate-time-chef\"\nchef = <chefs/lpStaking>"),
    row(TRADER_JOE, "master_chef", "kind = \"joe-chef\"\nchef = <chefs/bonusChef>\ngetter = \"JOE\""),
    row(
        TRADER_JOE,
        "fee_staking",
        "market = \"staking\"\nfee_staking = <chefs/joeStaking>\nstaked_token = <assets/joe>",
    ),
    row(["chefs", "farms", "alienbase"], "master_chef", "kind = \"alien-base-chef\"\nchef = <chefs/listsChef>"),
    row(CAMELOT, "position_pools", "position_master = <chefs/master>"),
    row(
        CAMELOT,
        "position_pools",
        "market = \"nitro\"\nnitro_factory = <chefs/nitroFactory>\nnft_pool_factory = <chefs/nftPoolFactory>",
    ),
    row(
        ["chefs", "staking", "polygon-protocol"],
        "validator_shares",
        "stake_manager = <chefs/manager>\nstaked_token = <assets/pol>",
    ),
    row(["chefs", "uniswap", "pancakeswap"], "position_chef", "position_chef = <chefs/positionChef>"),
    row(["comets", "compound", "compound"], "comet", "comet = <comet/comet>\nrewards = <comet/rewards>"),
    row(
        ["comptroller", "compound", "compound"],
        "compound_v2",
        "market = \"v2\"\ncomptroller = <comptroller/comptroller>\nnative_market = <comptroller/cnative>\n\
         rewards = \"comp\"\nby_second = true",
    ),
    // The second one of the profile, of another protocol so that each is asked about by itself.
    row(
        ["comptroller", "compound", "venus"],
        "compound_v2",
        "market = \"pool\"\ncomptroller = <pool/comptroller>\nrewards = \"listed\"",
    ),
    row(
        CURVE,
        "curve_gauges",
        "gauge_controller = <curve/controller>\nminter = <curve/minter>\nminted_token = <curve/crv>",
    ),
    row(["credit", "lending", "aave_v4"], "aave_v4", "spoke = <credit/spoke>"),
    row(["credit", "lending", "ether-fi-cash"], "debt_manager", "debt_manager = <credit/debts>"),
    row(["credit", "lending", "cooler-loans"], "mono_cooler", "mono_cooler = <credit/cooler>"),
    row(
        ["credit", "lending", "river"],
        "trove_managers",
        "trove_factory = <credit/river/app>\nstability_pool = <credit/river/app>",
    ),
    row(["credit", "lending", "alchemix"], "alchemists", "market = \"v3\"\nalchemists = [<credit/alchemix/alchemist>]"),
    row(
        ["credit", "lending", "alchemix"],
        "tokenized_vaults",
        "market = \"v3-vaults\"\ntokenized_vaults = [<credit/alchemix/vault>]\nlends = true",
    ),
    row(
        ["credit", "lending", "gearbox"],
        "credit_accounts",
        "market_configurators = [<credit/gearbox/configurator>]\naddress_provider = <credit/gearbox/provider>",
    ),
    row(["credit", "farms", "usd-ai"], "tokenized_vaults", "market = \"susdai\"\ntokenized_vaults = [<credit/vault>]"),
    row(
        ["credit", "farms", "usd-ai"],
        "redeem_requests",
        "market = \"redemptions\"\nrequest_vaults = [<credit/vault>]",
    ),
    row(
        ["credit", "staking", "symbiotic"],
        "restaking_vaults",
        "restaking_vaults = [<credit/restaking>, <credit/shares>]\ndefault_collaterals = [<credit/collateral>]",
    ),
    row(CURVE, "curve_gauges", "market = \"side\"\ngauge_factory = <curve/factory>\nminted_token = <curve/crv>"),
    row(
        CURVE,
        "vote_escrow",
        "market = \"locks\"\nvote_escrow = <curve/escrow>\nfee_distributors = [<curve/distributor>]\n\
         fee_tokens = [<curve/usdc>, <curve/ldo>, <curve/crv>]",
    ),
    row(["curve", "farms", "stake-dao"], "curve_gauges", "market = \"strategies\"\ngauge_controller = <curve/bare>"),
    row(CURVE, "llamalend", "market = \"loans\"\ncrvusd_factory = <curve/markets>"),
    row(["escrows", "staking", "karak"], "vault_supervisor", "vault_supervisor = <karak/supervisor>"),
    row(
        ["escrows", "distributors", "synthetix"],
        "reward_escrow",
        "market = \"escrow\"\nreward_escrow = <escrow>\nescrowed_token = <assets/snx>",
    ),
    row(
        ["frax", "staking", "frax"],
        "unified_farms",
        "market = \"farms\"\nunified_farms = [<frax/farm>, <frax/open>, <frax/paused>]",
    ),
    row(
        ["gmx", "gmx", "gmx"],
        "reward_trackers",
        "stake_tracker = <gmx/stakes>\nstaked_tokens = [<gmx/gmxToken>, <gmx/esGmx>]\n\
         reward_trackers = [<gmx/stakes>, <gmx/fees>]",
    ),
    row(["gmx", "gmx", "gmx"], "vester", "market = \"vesting\"\nvester = <gmx/vester>"),
    // Of another protocol so that each is asked about by itself.
    row(
        ["gmx", "gmx", "metavault"],
        "gmx_v2",
        "market = \"synthetics\"\ndata_store = <gmx/store>\nexchange_router = <gmx/router>",
    ),
    row(["gmx", "gmx", "gains"], "gains_staking", "gains_staking = <gains>"),
    row(["lenders", "lending", "euler"], "euler", "evc = <euler/evc>\nevault_factory = <euler/factory>"),
    row(
        ["lenders", "lending", "fluid-lending"],
        "fluid",
        "lending_factory = <fluid/lending>\nvault_resolver = <fluid/resolver>\ndex_resolver = <fluid/dex>",
    ),
    row(
        ["lista", "lending", "lista"],
        "interaction_vaults",
        "market = \"cdp\"\ninteraction = <lista/interaction>\n\
         collaterals = [<assets/slis>, <assets/btcb>, <assets/stone>, <assets/unknown>]",
    ),
    row(
        ["lista", "lending", "lista"],
        "morpho",
        "market = \"lending\"\nmoolah = <lista/moolah>\nvaults = [<lista/vault>]\nmarkets = [<lista/brokered>]",
    ),
    row(
        ["lockers", "distributors", "uncx"],
        "token_lockers",
        "pair_lockers = [<lockers/pairs>]\nnumbered_pair_lockers = [<lockers/numbered>]",
    ),
    row(
        ["lockers", "distributors", "team-finance"],
        "token_lockers",
        "token_lockers = [<lockers/tokens>]\nformer_token_lockers = [<lockers/former>]",
    ),
    row(
        ["morpho", "lending", "morpho"],
        "morpho",
        "morpho = <morpho>\nvaults = [<vault>]\nmarkets = [<markets/idle/id>]",
    ),
    row(
        ["optimism-gauges", "solidly", "velodrome_v2"],
        "merkle_distributor",
        "market = \"airdrop\"\nmerkle_distributor = <airdrop/distributor>\n\
         proofs = \"https://merkle.example.org/{account}.json\"",
    ),
    row(PENDLE, "pendle", "market = \"markets\"\npendle_markets = [<pendle/market>, <pendle/expired>]"),
    row(PENDLE, "pendle_locks", "market = \"locks\"\nve_pendle = <pendle/escrow>"),
    row(PENDLE, "pendle_locks", "market = \"staking\"\nstaked_pendle = <pendle/staking>"),
    row(["positions", "uniswap", "uniswap_v3"], POSITIONS, "position_manager = <exchanges/uniswap/manager>"),
    row(
        ["positions", "uniswap", "quickswap_v3"],
        POSITIONS,
        "manager_kind = \"algebra\"\nposition_manager = <exchanges/algebra/manager>",
    ),
    row(["positions", "uniswap", "uniswap_v2"], "liquidity_pairs", "pairs = [<exchanges/pairs/pair>]"),
    row(
        ["positions", "uniswap", "sushiswap_v2"],
        "liquidity_pairs",
        "pair_factory = <exchanges/pairs/factory>\nbase_tokens = [<assets/token0>]\npaired_tokens = [<assets/token1>]",
    ),
    row(
        ["positions", "solidly", "thena"],
        POSITIONS,
        "manager_kind = \"algebra-integral\"\nposition_manager = <exchanges/integral/manager>",
    ),
    row(
        ["positions", "solidly", "velodrome_v2"],
        POSITIONS,
        "manager_kind = \"slipstream\"\nposition_manager = <exchanges/slipstream/manager>",
    ),
    row(SHARES_CURVE, "curve_gauges", GAUGES_OF_SHARES),
    row(SHARES_CURVE, "curve_pools", "market = \"shares\"\nmeta_registry = <shares/registry>"),
    row(SHARES_BALANCER, "curve_gauges", GAUGES_OF_SHARES),
    row(
        SHARES_BALANCER,
        "balancer_pools",
        "market = \"shares\"\npool_vault = <shares/vault>\npool_factories = [<shares/weighted>, <shares/stable>]",
    ),
    row(["silos", "lending", "silo"], "silo", "silo_configs = [<silos/config>]"),
    row(LIDO, "liquid_staking", "market = \"steth\"\nliquid_token = <assets/steth>"),
    row(
        LIDO,
        "liquid_staking",
        "market = \"wsteth\"\nliquid_token = <assets/wsteth>\nstaked_token = <assets/steth>\n\
         rate_view = \"exchangeRate\"",
    ),
    row(LIDO, "liquid_staking", "market = \"reth\"\nliquid_token = <assets/reth>\nvalue_view = \"getEthValue\""),
    row(LIDO, "liquid_staking", "market = \"aeth\"\nliquid_token = <assets/aeth>\ninverse_rate_view = \"ratio\""),
    row(
        LIDO,
        "withdrawal_queue",
        "market = \"withdrawals\"\nwithdrawal_queue = <staked/queue>\nqueued_token = <assets/steth>",
    ),
    row(["staked", "staking", "swell"], "exit_nfts", "exit_nft = <staked/exits>\nexited_token = <assets/steth>"),
    row(
        ["staked", "staking", "renzo"],
        "withdraw_requests",
        "request_queue = <staked/requests>\nrequested_token = <assets/steth>",
    ),
    row(
        ["staked", "lending", "lista"],
        "withdraw_requests",
        "request_queue = <staked/listaQueue>\nrequested_token = <assets/slis>\nqueue_kind = \"lista\"",
    ),
    row(
        ["staked", "staking", "stader"],
        "withdraw_requests",
        "request_queue = <staked/staderQueue>\nrequested_token = <assets/ethx>\nqueue_kind = \"stader\"",
    ),
    row(
        ["staked", "staking", "kelp"],
        "withdraw_requests",
        "request_queue = <staked/kelpQueue>\nrequested_token = <assets/rseth>\nqueue_kind = \"kelp\"",
    ),
    row(
        ["staked", "compound", "benqi"],
        "withdraw_requests",
        "market = \"unlocks\"\nrequest_queue = <assets/savax>\nrequested_token = <assets/savax>\n\
         queue_kind = \"benqi\"",
    ),
    row(
        ["staked", "compound", "benqi"],
        "liquid_staking",
        "market = \"savax\"\nliquid_token = <assets/savax>\nvalue_view = \"getPooledAvaxByShares\"",
    ),
    row(
        ["staked", "staking", "eigenlayer"],
        "restaking",
        "delegation_manager = <staked/manager>\nstrategy_manager = <staked/strategyManager>",
    ),
    row(
        ["troves", "lending", "liquity"],
        "liquity",
        "trove_manager = <liquity/trove_manager>\nsurplus_pool = <liquity/surplus_pool>",
    ),
    row(
        ["superfluid", "distributors", "superfluid"],
        "super_tokens",
        "super_tokens = [<superfluid/superUsdc>, <superfluid/superDai>, <superfluid/superEther>, <superfluid/pure>]\n\
         native_super_token = <superfluid/superEther>\n\
         flow_forwarder = <superfluid/flows>\npool_forwarder = <superfluid/pools>\n\
         distribution_pools = [<superfluid/pool>]",
    ),
    row(["umbrella", "lending", "aave_v2"], "umbrella", "umbrella_rewards = <umbrella/controller>"),
    row(
        ["umbrella", "lending", "aave_v2"],
        "safety_module",
        "market = \"safety\"\nstaked_aave_token = <safety/staked>",
    ),
    row(
        ["vesting", "distributors", "sablier"],
        "lockup_streams",
        "lockups = [<streams/old>]\nfee_lockups = [<streams/lockup>]",
    ),
    row(["vesting", "distributors", "hedgey"], "token_plans", "token_plans = [<plans>]"),
    row(["vesting", "distributors", "llamapay"], "vesting_escrows", "escrow_factories = [<escrows/factory>]"),
    row(
        ["vesting", "distributors", "merkl"],
        "merkl",
        "merkl_distributor = <merkl/distributor>\nmerkl_creator = <merkl/creator>\n\
         rewards = \"https://merkl.example.org/{account}?chain={network}\"",
    ),
    row(
        ["vesting", "distributors", "votium"],
        "merkle_stash",
        "merkle_stash = <stash/address>\nstash_tokens = [<assets/usdc>, <assets/grant>, <assets/paused>]\n\
         entries = \"https://merkle.example.org/{account}.json\"",
    ),
    row(
        ["voters", "solidly", "velodrome_v1"],
        "solidly",
        "generation = \"velodrome-v1\"\nvoter = <heirs/velodrome-v1/voter>\n\
         distributor = <heirs/velodrome-v1/distributor>",
    ),
    row(
        ["voters", "solidly", "equalizer"],
        "solidly",
        "generation = \"equalizer\"\nvoter = <heirs/equalizer/voter>\n\
         distributor = <heirs/equalizer/distributor>",
    ),
    row(
        ["voters", "solidly", "thena"],
        "solidly",
        "generation = \"thena\"\nvoter = <heirs/thena/voter>\n\
         distributor = <heirs/thena/distributor>",
    ),
    row(["vaults", "farms", "ethena"], "tokenized_vaults", "tokenized_vaults = [<vaults/savings>, <vaults/staked>]"),
    row(
        ["vaults", "farms", "ethena"],
        "unstake_cooldowns",
        "market = \"cooldowns\"\ncooldown_vaults = [<vaults/staked>, <vaults/open>]",
    ),
    row(["vaults", "farms", "maple"], "tokenized_vaults", "tokenized_vaults = [<vaults/lends>]\nlends = true"),
    row(["vaults", "farms", "beefy"], "beefy_vaults", "beefy_vaults = [<vaults/beefy>]"),
    row(["voters", "solidly", "velodrome_v2"], "solidly", "voter = <slipstream/voter>\nescrow = <slipstream/escrow>"),
    row(
        WRAPPERS_MAGPIE,
        "token_masters",
        "market = \"farms\"\ntoken_master = <wrappers/magpie>\nmaster_kind = \"magpie\"\n\
         master_reward = <assets/mgp>\nmaster_locks = [<wrappers/vlMgp>]",
    ),
    row(
        WRAPPERS_MAGPIE,
        "cooldown_locks",
        "market = \"locks\"\ncooldown_lock = <wrappers/vlMgp>\ncooldown_token = <assets/mgp>",
    ),
    row(
        WRAPPERS_PENPIE,
        "token_masters",
        "market = \"farms\"\ntoken_master = <wrappers/penpie>\nmaster_kind = \"penpie\"\n\
         master_reward = <assets/pnp>\nmaster_locks = [<wrappers/vlPnp>]",
    ),
    row(
        ["wrappers", "farms", "equilibria"],
        "market_boosters",
        "market = \"farms\"\nmarket_booster = <wrappers/booster>",
    ),
    row(
        ["wrappers", "farms", "equilibria"],
        "weekly_locks",
        "market = \"locks\"\nweekly_lock = <wrappers/weekly>\nweekly_token = <assets/eqb>",
    ),
    row(
        ["wrappers", "farms", "stake-dao"],
        "reward_vaults",
        "market = \"vaults\"\nvault_controller = <wrappers/accountant>\n\
         vault_accountant = <wrappers/accountant>\nvault_gauges = <wrappers/accountant>",
    ),
    row(["wrappers", "farms", "convex"], "personal_vaults", "market = \"fxn\"\nvault_registry = <wrappers/registry>"),
    row(
        ["wrappers", "farms", "looksrare"],
        "harvest_pools",
        "market = \"staking-v1\"\nharvest_pools = [<wrappers/sharing>]\n\
         harvest_kind = \"fee-sharing\"\nharvest_stake = <assets/looks>\nharvest_rewards = [<assets/weth>]",
    ),
    row(
        ["wrappers", "farms", "plutusdao"],
        "harvest_pools",
        "market = \"chef\"\nharvest_pools = [<wrappers/chef>]\nharvest_kind = \"plutus\"\n\
         harvest_stake = <assets/pls>\nharvest_rewards = [<assets/pls>, <assets/dpx>, <assets/jones>, <assets/weth>]",
    ),
    row(
        ["wrappers", "farms", "plutusdao"],
        "epoch_locks",
        "market = \"locks\"\nepoch_locks = [<wrappers/open>, <wrappers/shut>]",
    ),
    row(
        ["wrappers", "farms", "sandbox"],
        "earning_pools",
        "earning_pools = [<wrappers/pool>]\nearning_stake = <assets/lp>\n\
         earning_reward = <assets/sand>",
    ),
    row(["wrappers", "gmx", "mux"], "mux_staking", "market = \"staking\"\nmux_router = <wrappers/router>"),
    row(
        ["wrappers", "lending", "ethos"],
        "collateral_troves",
        "market = \"v1\"\ncollateral_manager = <wrappers/troves>",
    ),
    row(["wrappers", "staking", "arpa"], "node_staking", "node_staking = <wrappers/nodes>"),
    row(["wrappers", "staking", "stakefish"], "fee_pools", "fee_pool = <wrappers/tips>"),
    row(YEARN, "yearn_vaults", "market = \"v2\"\nyearn_v2_registries = [<yearn/registry>]"),
    row(YEARN, "yearn_vaults", "market = \"v3\"\nyearn_v3_registries = [<yearn/endorsed>]"),
    row(YEARN, "yearn_gauges", "market = \"gauges\"\nyearn_gauge_registry = <yearn/gauges>"),
    row(
        YEARN,
        "vote_escrow",
        "market = \"locks\"\nvote_escrow = <yearn/veyfi>\nfee_distributors = [<yearn/pool>]\npoints = \"epoch\"",
    ),
];
