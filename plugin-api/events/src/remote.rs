//! How bridges number networks, as EIP-155 chain ids. Networks that are no EVM have none.

/// Who numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Numbering {
    Cctp,
    LayerZero,
}

/// What LayerZero's second version adds to the number of its first.
const SECOND_VERSION: u64 = 30_000;

impl Numbering {
    /// The chain id of a number.
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
    (0, 1),       // Ethereum
    (1, 43_114),  // Avalanche
    (2, 10),      // OP Mainnet
    (3, 42_161),  // Arbitrum
    (6, 8_453),   // Base
    (7, 137),     // Polygon
    (10, 130),    // Unichain
    (11, 59_144), // Linea
    (12, 81_224), // Codex
    (13, 146),    // Sonic
    (14, 480),    // World Chain
    (15, 143),    // Monad
    (16, 1_329),  // Sei
    (17, 56),     // BNB Smart Chain
    (18, 50),     // XDC
    (19, 999),    // HyperEVM
    (21, 57_073), // Ink
    (22, 98_866), // Plume
];

/// Endpoint ids of LayerZero's first version; the second's are these and 30,000
/// (<https://docs.layerzero.network/v2/deployments/deployed-contracts>, `@layerzerolabs/lz-definitions`).
static ENDPOINTS: &[(u64, u64)] = &[
    (101, 1),             // Ethereum
    (102, 56),            // BNB Smart Chain
    (106, 43_114),        // Avalanche
    (109, 137),           // Polygon
    (110, 42_161),        // Arbitrum
    (111, 10),            // OP Mainnet
    (112, 250),           // Fantom
    (115, 53_935),        // DFK
    (116, 1_666_600_000), // Harmony
    (125, 42_220),        // Celo
    (126, 1_284),         // Moonbeam
    (138, 122),           // Fuse
    (145, 100),           // Gnosis
    (150, 8_217),         // Kaia
    (151, 1_088),         // Metis
    (153, 1_116),         // Core
    (155, 66),            // OKT Chain
    (158, 1_101),         // Polygon zkEVM
    (159, 7_700),         // Canto
    (165, 324),           // ZKsync Era
    (167, 1_285),         // Moonriver
    (175, 42_170),        // Arbitrum Nova
    (176, 82),            // Meter
    (177, 2_222),         // Kava
    (181, 5_000),         // Mantle
    (183, 59_144),        // Linea
    (184, 8_453),         // Base
    (195, 7_777_777),     // Zora
    (199, 40),            // Telos
    (202, 204),           // opBNB
    (210, 592),           // Astar
    (211, 1_313_161_554), // Aurora
    (212, 1_030),         // Conflux
    (214, 534_352),       // Scroll
    (217, 169),           // Manta Pacific
    (243, 81_457),        // Blast
    (255, 252),           // Fraxtal
    (260, 34_443),        // Mode
    (274, 196),           // X Layer
    (279, 60_808),        // BOB
    (280, 1_329),         // Sei
    (283, 7_560),         // Cyber
    (290, 167_000),       // Taiko
    (292, 42_793),        // Etherlink
    (294, 1_625),         // Gravity
    (295, 14),            // Flare
    (302, 3_338),         // peaq
    (312, 33_139),        // ApeChain
    (319, 480),           // World Chain
    (320, 130),           // Unichain
    (321, 1_135),         // Lisk
    (322, 2_818),         // Morph
    (324, 2_741),         // Abstract
    (332, 146),           // Sonic
    (333, 30),            // Rootstock
    (335, 1_923),         // Swellchain
    (336, 747),           // Flow
    (339, 57_073),        // Ink
    (340, 1_868),         // Soneium
    (359, 25),            // Cronos
    (362, 80_094),        // Berachain
    (364, 1_514),         // Story
    (365, 50),            // XDC
    (367, 999),           // HyperEVM
    (370, 98_866),        // Plume
    (375, 747_474),       // Katana
    (383, 9_745),         // Plasma
    (390, 143),           // Monad
];
