//! Facts of networks: EIP-155 chain ids by name, and a table of the networks that Portolan serves.
//!
//! Invariant: all facts of networks are here. To add a network, add its constant here and its row in `table.rs`. A
//! network that is only the other end of a bridge needs just the constant. Chain ids are those of
//! <https://chainlist.org>.

mod native;
mod table;

pub use native::{SYSTEM_ADDRESS, fee_collector, is_native, logs_native, native_coin_type};
pub use table::{DataFee, Listing, NETWORKS, Network, network};

/// Declares a constant per chain id, and the list of all by name.
macro_rules! chain_ids {
    ($($(#[$doc:meta])* $name:ident = $id:literal;)*) => {
        $($(#[$doc])* pub const $name: u64 = $id;)*

        const CHAIN_IDS: &[(&str, u64)] = &[$((stringify!($name), $id)),*];
    };
}

/// Returns the chain id of a network by its constant's name, ignoring case.
pub fn chain_id(name: &str) -> Option<u64> {
    CHAIN_IDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, id)| *id)
}

/// Returns true for the chain id of one of these constants.
pub fn is_known(chain_id: u64) -> bool {
    CHAIN_IDS.iter().any(|(_, known)| *known == chain_id)
}

/// Returns the chain id of a network by its slug in [`NETWORKS`] or by its constant's name, ignoring case. It can be
/// called in constants.
pub const fn named(name: &str) -> Option<u64> {
    let mut place = 0;
    while place < NETWORKS.len() {
        if is_named(NETWORKS[place].listing.slug, name) {
            return Some(NETWORKS[place].chain_id);
        }
        place += 1;
    }
    place = 0;
    while place < CHAIN_IDS.len() {
        if is_named(CHAIN_IDS[place].0, name) {
            return Some(CHAIN_IDS[place].1);
        }
        place += 1;
    }
    None
}

/// `str::eq_ignore_ascii_case`, which constants can call from Rust 1.89 on only.
const fn is_named(known: &str, name: &str) -> bool {
    let (known, name, mut place) = (known.as_bytes(), name.as_bytes(), 0);
    while place < known.len() && place < name.len() && known[place].eq_ignore_ascii_case(&name[place]) {
        place += 1;
    }
    place == known.len() && place == name.len()
}

chain_ids! {
    /// Ethereum.
    ETHEREUM = 1;
    /// OP Mainnet.
    OPTIMISM = 10;
    /// Arbitrum.
    ARBITRUM = 42_161;
    /// Fantom.
    FANTOM = 250;
    /// Avalanche.
    AVALANCHE = 43_114;
    /// BNB Smart Chain.
    BSC = 56;
    /// Polygon.
    POLYGON = 137;
    /// Polygon Mumbai, which has been shut down.
    POLYGON_MUMBAI = 80_001;
    /// Base.
    BASE = 8_453;
    /// Gnosis.
    GNOSIS = 100;
    /// Linea.
    LINEA = 59_144;
    /// Scroll.
    SCROLL = 534_352;
    /// ZKsync Era.
    ZKSYNC_ERA = 324;
    /// Mantle.
    MANTLE = 5_000;
    /// Blast.
    BLAST = 81_457;
    /// Sonic.
    SONIC = 146;
    /// Celo.
    CELO = 42_220;
    /// Unichain.
    UNICHAIN = 130;
    /// World Chain.
    WORLD_CHAIN = 480;
    /// Ink.
    INK = 57_073;
    /// Berachain.
    BERACHAIN = 80_094;

    // Other ends of bridges.

    /// Flare.
    FLARE = 14;
    /// Cronos.
    CRONOS = 25;
    /// Rootstock.
    ROOTSTOCK = 30;
    /// Telos.
    TELOS = 40;
    /// XDC.
    XDC = 50;
    /// OKT Chain.
    OKT_CHAIN = 66;
    /// Meter.
    METER = 82;
    /// Fuse.
    FUSE = 122;
    /// Monad.
    MONAD = 143;
    /// Manta Pacific.
    MANTA_PACIFIC = 169;
    /// X Layer.
    X_LAYER = 196;
    /// opBNB.
    OPBNB = 204;
    /// Fraxtal.
    FRAXTAL = 252;
    /// Astar.
    ASTAR = 592;
    /// Flow.
    FLOW = 747;
    /// HyperEVM.
    HYPER_EVM = 999;
    /// Conflux.
    CONFLUX = 1_030;
    /// Metis.
    METIS = 1_088;
    /// Polygon zkEVM.
    POLYGON_ZKEVM = 1_101;
    /// Core.
    CORE = 1_116;
    /// Lisk.
    LISK = 1_135;
    /// Moonbeam.
    MOONBEAM = 1_284;
    /// Moonriver.
    MOONRIVER = 1_285;
    /// Sei.
    SEI = 1_329;
    /// Story.
    STORY = 1_514;
    /// Gravity.
    GRAVITY = 1_625;
    /// Soneium.
    SONEIUM = 1_868;
    /// Swellchain.
    SWELLCHAIN = 1_923;
    /// Kava.
    KAVA = 2_222;
    /// Abstract.
    ABSTRACT = 2_741;
    /// Morph.
    MORPH = 2_818;
    /// peaq.
    PEAQ = 3_338;
    /// Cyber.
    CYBER = 7_560;
    /// Canto.
    CANTO = 7_700;
    /// Kaia.
    KAIA = 8_217;
    /// Plasma.
    PLASMA = 9_745;
    /// ApeChain.
    APECHAIN = 33_139;
    /// Mode.
    MODE = 34_443;
    /// Arbitrum Nova.
    ARBITRUM_NOVA = 42_170;
    /// Etherlink.
    ETHERLINK = 42_793;
    /// DFK.
    DFK = 53_935;
    /// BOB.
    BOB = 60_808;
    /// Codex.
    CODEX = 81_224;
    /// Plume.
    PLUME = 98_866;
    /// Taiko.
    TAIKO = 167_000;
    /// Katana.
    KATANA = 747_474;
    /// Zora.
    ZORA = 7_777_777;
    /// Aurora.
    AURORA = 1_313_161_554;
    /// Harmony.
    HARMONY = 1_666_600_000;
}
