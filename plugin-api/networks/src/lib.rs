//! Facts of networks: their EIP-155 chain ids by name, and one table of what Portolan knows of those that it serves.
//!
//! Invariant: nothing else in the tree states a fact of a network. To add a network, add its constant here and its row
//! in `table.rs`; what only names the other end of a bridge needs a constant alone. Chain ids are those of
//! <https://chainlist.org>.

mod table;

pub use table::{Listing, NETWORKS, Network, network};

/// Ethereum.
pub const ETHEREUM: u64 = 1;
/// OP Mainnet.
pub const OPTIMISM: u64 = 10;
/// Arbitrum.
pub const ARBITRUM: u64 = 42_161;
/// Fantom.
pub const FANTOM: u64 = 250;
/// Avalanche.
pub const AVALANCHE: u64 = 43_114;
/// BNB Smart Chain.
pub const BSC: u64 = 56;
/// Polygon.
pub const POLYGON: u64 = 137;
/// Polygon Mumbai, which has been shut down.
pub const POLYGON_MUMBAI: u64 = 80_001;
/// Base.
pub const BASE: u64 = 8_453;

// The other ends of bridges.

/// Flare.
pub const FLARE: u64 = 14;
/// Cronos.
pub const CRONOS: u64 = 25;
/// Rootstock.
pub const ROOTSTOCK: u64 = 30;
/// Telos.
pub const TELOS: u64 = 40;
/// XDC.
pub const XDC: u64 = 50;
/// OKT Chain.
pub const OKT_CHAIN: u64 = 66;
/// Meter.
pub const METER: u64 = 82;
/// Gnosis.
pub const GNOSIS: u64 = 100;
/// Fuse.
pub const FUSE: u64 = 122;
/// Unichain.
pub const UNICHAIN: u64 = 130;
/// Monad.
pub const MONAD: u64 = 143;
/// Sonic.
pub const SONIC: u64 = 146;
/// Manta Pacific.
pub const MANTA_PACIFIC: u64 = 169;
/// X Layer.
pub const X_LAYER: u64 = 196;
/// opBNB.
pub const OPBNB: u64 = 204;
/// Fraxtal.
pub const FRAXTAL: u64 = 252;
/// ZKsync Era.
pub const ZKSYNC_ERA: u64 = 324;
/// World Chain.
pub const WORLD_CHAIN: u64 = 480;
/// Astar.
pub const ASTAR: u64 = 592;
/// Flow.
pub const FLOW: u64 = 747;
/// HyperEVM.
pub const HYPER_EVM: u64 = 999;
/// Conflux.
pub const CONFLUX: u64 = 1_030;
/// Metis.
pub const METIS: u64 = 1_088;
/// Polygon zkEVM.
pub const POLYGON_ZKEVM: u64 = 1_101;
/// Core.
pub const CORE: u64 = 1_116;
/// Lisk.
pub const LISK: u64 = 1_135;
/// Moonbeam.
pub const MOONBEAM: u64 = 1_284;
/// Moonriver.
pub const MOONRIVER: u64 = 1_285;
/// Sei.
pub const SEI: u64 = 1_329;
/// Story.
pub const STORY: u64 = 1_514;
/// Gravity.
pub const GRAVITY: u64 = 1_625;
/// Soneium.
pub const SONEIUM: u64 = 1_868;
/// Swellchain.
pub const SWELLCHAIN: u64 = 1_923;
/// Kava.
pub const KAVA: u64 = 2_222;
/// Abstract.
pub const ABSTRACT: u64 = 2_741;
/// Morph.
pub const MORPH: u64 = 2_818;
/// peaq.
pub const PEAQ: u64 = 3_338;
/// Mantle.
pub const MANTLE: u64 = 5_000;
/// Cyber.
pub const CYBER: u64 = 7_560;
/// Canto.
pub const CANTO: u64 = 7_700;
/// Kaia.
pub const KAIA: u64 = 8_217;
/// Plasma.
pub const PLASMA: u64 = 9_745;
/// ApeChain.
pub const APECHAIN: u64 = 33_139;
/// Mode.
pub const MODE: u64 = 34_443;
/// Arbitrum Nova.
pub const ARBITRUM_NOVA: u64 = 42_170;
/// Celo.
pub const CELO: u64 = 42_220;
/// Etherlink.
pub const ETHERLINK: u64 = 42_793;
/// DFK.
pub const DFK: u64 = 53_935;
/// Ink.
pub const INK: u64 = 57_073;
/// Linea.
pub const LINEA: u64 = 59_144;
/// BOB.
pub const BOB: u64 = 60_808;
/// Berachain.
pub const BERACHAIN: u64 = 80_094;
/// Codex.
pub const CODEX: u64 = 81_224;
/// Blast.
pub const BLAST: u64 = 81_457;
/// Plume.
pub const PLUME: u64 = 98_866;
/// Taiko.
pub const TAIKO: u64 = 167_000;
/// Scroll.
pub const SCROLL: u64 = 534_352;
/// Katana.
pub const KATANA: u64 = 747_474;
/// Zora.
pub const ZORA: u64 = 7_777_777;
/// Aurora.
pub const AURORA: u64 = 1_313_161_554;
/// Harmony.
pub const HARMONY: u64 = 1_666_600_000;
