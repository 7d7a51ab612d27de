//! Maps network numbers of bridges to EIP-155 chain ids. Networks without the EVM have none.

use portolan_networks as networks;

/// A bridge with its own network numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BridgeIds {
    Cctp,
    LayerZero,
}

/// Added to endpoint ids by the second version of LayerZero.
const SECOND_VERSION: u64 = 30_000;

impl BridgeIds {
    /// Returns the chain id of a bridge's network number.
    pub(crate) fn chain_id(self, number: u64) -> Option<u64> {
        let (numbers, number) = match self {
            Self::Cctp => (DOMAINS, number),
            Self::LayerZero if number >= SECOND_VERSION => (ENDPOINTS, number - SECOND_VERSION),
            Self::LayerZero => (ENDPOINTS, number),
        };
        numbers.iter().find(|(known, _)| *known == number).map(|(_, chain_id)| *chain_id)
    }
}

/// Domains of CCTP (<https://developers.circle.com/cctp/concepts/supported-chains-and-domains#domain-identifiers>).
static DOMAINS: &[(u64, u64)] = &[
    (0, networks::ETHEREUM),
    (1, networks::AVALANCHE),
    (2, networks::OPTIMISM),
    (3, networks::ARBITRUM),
    (6, networks::BASE),
    (7, networks::POLYGON),
    (10, networks::UNICHAIN),
    (11, networks::LINEA),
    (12, networks::CODEX),
    (13, networks::SONIC),
    (14, networks::WORLD_CHAIN),
    (15, networks::MONAD),
    (16, networks::SEI),
    (17, networks::BSC),
    (18, networks::XDC),
    (19, networks::HYPER_EVM),
    (21, networks::INK),
    (22, networks::PLUME),
];

/// Endpoint ids of LayerZero's first version; the second adds 30,000
/// (<https://docs.layerzero.network/v2/deployments/deployed-contracts>, `@layerzerolabs/lz-definitions`).
static ENDPOINTS: &[(u64, u64)] = &[
    (101, networks::ETHEREUM),
    (102, networks::BSC),
    (106, networks::AVALANCHE),
    (109, networks::POLYGON),
    (110, networks::ARBITRUM),
    (111, networks::OPTIMISM),
    (112, networks::FANTOM),
    (115, networks::DFK),
    (116, networks::HARMONY),
    (125, networks::CELO),
    (126, networks::MOONBEAM),
    (138, networks::FUSE),
    (145, networks::GNOSIS),
    (150, networks::KAIA),
    (151, networks::METIS),
    (153, networks::CORE),
    (155, networks::OKT_CHAIN),
    (158, networks::POLYGON_ZKEVM),
    (159, networks::CANTO),
    (165, networks::ZKSYNC_ERA),
    (167, networks::MOONRIVER),
    (175, networks::ARBITRUM_NOVA),
    (176, networks::METER),
    (177, networks::KAVA),
    (181, networks::MANTLE),
    (183, networks::LINEA),
    (184, networks::BASE),
    (195, networks::ZORA),
    (199, networks::TELOS),
    (202, networks::OPBNB),
    (210, networks::ASTAR),
    (211, networks::AURORA),
    (212, networks::CONFLUX),
    (214, networks::SCROLL),
    (217, networks::MANTA_PACIFIC),
    (243, networks::BLAST),
    (255, networks::FRAXTAL),
    (260, networks::MODE),
    (274, networks::X_LAYER),
    (279, networks::BOB),
    (280, networks::SEI),
    (283, networks::CYBER),
    (290, networks::TAIKO),
    (292, networks::ETHERLINK),
    (294, networks::GRAVITY),
    (295, networks::FLARE),
    (302, networks::PEAQ),
    (312, networks::APECHAIN),
    (319, networks::WORLD_CHAIN),
    (320, networks::UNICHAIN),
    (321, networks::LISK),
    (322, networks::MORPH),
    (324, networks::ABSTRACT),
    (332, networks::SONIC),
    (333, networks::ROOTSTOCK),
    (335, networks::SWELLCHAIN),
    (336, networks::FLOW),
    (339, networks::INK),
    (340, networks::SONEIUM),
    (359, networks::CRONOS),
    (362, networks::BERACHAIN),
    (364, networks::STORY),
    (365, networks::XDC),
    (367, networks::HYPER_EVM),
    (370, networks::PLUME),
    (375, networks::KATANA),
    (383, networks::PLASMA),
    (390, networks::MONAD),
];
