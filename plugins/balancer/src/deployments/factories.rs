//! The factories of Balancer's pools, of which a price may come from what a share redeems to.
//!
//! Source: the files in `addresses` of <https://github.com/balancer/balancer-deployments>, which is Balancer's own and the only
//! one that has all of them. Left out are pools for launches, managed pools, and pools around one lending receipt.

use portolan_plugin_api::{Address, address};

pub(super) const ETHEREUM_V2: &[Address] = &[
    address!("0xa5bf2ddf098bb0ef6d120c98217dd6b141c74ee0"), // 20210418-weighted-pool, of two tokens
    address!("0x8e9aa87e45e92bad84d5f8dd1bff34fb92637de9"), // 20210418-weighted-pool
    address!("0xc66ba2b6595d3613ccab350c886ace23866ede24"), // 20210624-stable-pool
    address!("0x67d27634e44793fe63c467035e31ea8635117cd4"), // 20210727-meta-stable-pool
    address!("0xb08e16cfc07c684daa2f93c70323badb2a6cbfd2"), // 20211208-stable-phantom-pool
    address!("0x8df6efec5547e31b0eb7d1291b511ff8a2bf987c"), // 20220609-stable-pool-v2
    address!("0xf9ac7b9df2b3454e841110cce5550bd5ac6f875f"), // 20220906-composable-stable-pool
    address!("0xcc508a455f5b0073973107db6a878ddbdab957bc"), // 20220908-weighted-pool-v2
    address!("0x85a80afee867adf27b50bdb7b76da70f1e853062"), // 20221122-composable-stable-pool-v2
    address!("0xdba127fbc23fb20f5929c546af220a991b5c6e01"), // 20230206-composable-stable-pool-v3
    address!("0x5dd94da3644ddd055fcf6b3e1aa310bb7801eb8b"), // 20230206-weighted-pool-v3
    address!("0xfada0f4547ab2de89d1304a668c39b3e09aa7c76"), // 20230320-composable-stable-pool-v4
    address!("0x897888115ada5773e02aa29f775430bfb5f34c51"), // 20230320-weighted-pool-v4
    address!("0xdb8d758bcb971e482b2c45f7f8a7740283a1bd3a"), // 20230711-composable-stable-pool-v5
    address!("0x5b42ec6d40f7b7965be5308c70e2603c0281c1e9"), // 20240223-composable-stable-pool-v6
];

/// Those of Beethoven X, each in two of these: <https://github.com/beethovenxfi/beethovenx-docs> and
/// <https://github.com/beethovenxfi/beethovenx-backend>, which are its own, <https://github.com/Zapper-fi/studio>; of the
/// first four the second one is a list of routers that has no address to link.
pub(super) const FANTOM_V2: &[Address] = &[
    address!("0x92b377187bccc6556fced2f1e6dad65850c20630"), // weighted, of two tokens
    address!("0x60467cb225092ce0c989361934311175f437cf53"), // weighted
    address!("0x55df810876354fc3e249f701dd78dede57991f8d"), // stable
    address!("0x70b55af71b29c5ca7e67bd1995250364c4be5554"), // meta-stable
    address!("0xb2ed595afc445b47db7043bec25e772bf0fa1fbb"), // weighted, the second version
    address!("0x8ea1c497c16726e097f62c8c9fbd944143f27090"), // likewise
    address!("0xea87f3dffc679035653c0fba70e7bfe46e3fb733"), // likewise
    address!("0xd678b6acd834cc969bb19ce82727f2a541fb7941"), // weighted, the third version
    address!("0xb841df73861e65e6d61a80f503f095a91ce75e15"), // weighted, the fourth version
    address!("0xb384a86f2fd7788720db42f9daa60fc07ecbea06"), // composable stable
    address!("0x44814e3a603bb7f1198617995c5696c232f6e8ed"), // likewise
    address!("0x5adaf6509bcec3219455348ac45d6d3261b1a990"), // composable stable, the second version
    address!("0x911566c808bf00acb200b418564440a2af177548"), // composable stable, the third version
    address!("0x5c3094982cf3c97a06b7d62a6f7669f14a199b19"), // composable stable, the fourth version
    address!("0x23f03a4fb344d8b98833d2ace093cc305e03474f"), // composable stable, the fifth version
];

pub(super) const OPTIMISM_V2: &[Address] = &[
    address!("0x0f3e0c4218b7b0108a3643cfe9d3ec0d4f57c54e"), // 20210418-weighted-pool, of two tokens
    address!("0xdae7e32adc5d490a43ccba1f0c736033f2b4efca"), // 20210418-weighted-pool
    address!("0x41b953164995c11c81da73d212ed8af25741b7ac"), // 20210624-stable-pool
    address!("0xb08e16cfc07c684daa2f93c70323badb2a6cbfd2"), // 20210727-meta-stable-pool
    address!("0xeb151668006cd04dadd098afd0a82e78f77076c3"), // 20220609-stable-pool-v2
    address!("0xf145cafb67081895ee80eb7c04a30cf87f07b745"), // 20220906-composable-stable-pool
    address!("0xad901309d9e9dbc5df19c84f729f429f0189a633"), // 20220908-weighted-pool-v2
    address!("0x85a80afee867adf27b50bdb7b76da70f1e853062"), // 20221122-composable-stable-pool-v2
    address!("0xe2e901ab09f37884ba31622df3ca7fc19aa443be"), // 20230206-composable-stable-pool-v3
    address!("0xa0dabebaad1b243bbb243f933013d560819eb66f"), // 20230206-weighted-pool-v3
    address!("0x1802953277fd955f9a254b80aa0582f193cf1d77"), // 20230320-composable-stable-pool-v4
    address!("0x230a59f4d9adc147480f03b0d3fffecd56c3289a"), // 20230320-weighted-pool-v4
    address!("0x043a2dad730d585c44fb79d2614f295d2d625412"), // 20230711-composable-stable-pool-v5
    address!("0x4bdcc2fb18aeb9e2d281b0278d946445070eada7"), // 20240223-composable-stable-pool-v6
];

pub(super) const GNOSIS_V2: &[Address] = &[
    address!("0xf23b4db826dba14c0e857029dff076b1c0264843"), // 20220609-stable-pool-v2
    address!("0xf302f9f50958c5593770fdf4d4812309ff77414f"), // 20220908-weighted-pool-v2
    address!("0x76578ecf9a141296ec657847fb45b0585bcda3a6"), // 20221122-composable-stable-pool-v2
    address!("0xc128468b7ce63ea702c1f104d55a2566b13d3abd"), // 20230206-composable-stable-pool-v3
    address!("0xc128a9954e6c874ea3d62ce62b468ba073093f25"), // 20230206-weighted-pool-v3
    address!("0xd87f44df0159dc78029ab9ca7d7e57e7249f5acd"), // 20230320-composable-stable-pool-v4
    address!("0x6cad2ea22bfa7f4c14aae92e47f510cd5c509bc7"), // 20230320-weighted-pool-v4
    address!("0x4bdcc2fb18aeb9e2d281b0278d946445070eada7"), // 20230711-composable-stable-pool-v5
    address!("0x47b489bf5836f83abd928c316f8e39bc0587b020"), // 20240223-composable-stable-pool-v6
];

pub(super) const POLYGON_V2: &[Address] = &[
    address!("0xa5bf2ddf098bb0ef6d120c98217dd6b141c74ee0"), // 20210418-weighted-pool, of two tokens
    address!("0x8e9aa87e45e92bad84d5f8dd1bff34fb92637de9"), // 20210418-weighted-pool
    address!("0xc66ba2b6595d3613ccab350c886ace23866ede24"), // 20210624-stable-pool
    address!("0xdae7e32adc5d490a43ccba1f0c736033f2b4efca"), // 20210727-meta-stable-pool
    address!("0xc128a9954e6c874ea3d62ce62b468ba073093f25"), // 20211208-stable-phantom-pool
    address!("0xca96c4f198d343e251b1a01f3eba061ef3da73c1"), // 20220609-stable-pool-v2
    address!("0x136fd06fa01ecf624c7f2b3cb15742c1339dc2c4"), // 20220906-composable-stable-pool
    address!("0x0e39c3d9b2ec765efd9c5c70bb290b1fcd8536e3"), // 20220908-weighted-pool-v2
    address!("0x85a80afee867adf27b50bdb7b76da70f1e853062"), // 20221122-composable-stable-pool-v2
    address!("0x7bc6c0e73edaa66ef3f6e2f27b0ee8661834c6c9"), // 20230206-composable-stable-pool-v3
    address!("0x82e4cfaef85b1b6299935340c964c942280327f4"), // 20230206-weighted-pool-v3
    address!("0x6ab5549bbd766a43afb687776ad8466f8b42f777"), // 20230320-composable-stable-pool-v4
    address!("0xfc8a407bba312ac761d8bfe04ce1201904842b76"), // 20230320-weighted-pool-v4
    address!("0xe2fa4e1d17725e72dcdafe943ecf45df4b9e285b"), // 20230711-composable-stable-pool-v5
    address!("0xeaedc32a51c510d35ebc11088fd5ff2b47aacf2e"), // 20240223-composable-stable-pool-v6
];

pub(super) const BASE_V2: &[Address] = &[
    address!("0x4c32a8a8fda4e24139b51b456b42290f51d6a1c4"), // 20230320-weighted-pool-v4
    address!("0x8df317a729fcaa260306d7de28888932cb579b88"), // 20230711-composable-stable-pool-v5
    address!("0x956ccab09898c0af2aca5e6c229c3ad4e93d9288"), // 20240223-composable-stable-pool-v6
];

pub(super) const ARBITRUM_V2: &[Address] = &[
    address!("0xcf0a32bbef8f064969f21f7e02328fb577382018"), // 20210418-weighted-pool, of two tokens
    address!("0x7dfdef5f355096603419239ce743bfaf1120312b"), // 20210418-weighted-pool
    address!("0x2433477a10fc5d31b9513c638f19ee85caed53fd"), // 20210624-stable-pool
    address!("0xebfd5681977e38af65a7487dc70b8221d089ccad"), // 20210727-meta-stable-pool
    address!("0xdae7e32adc5d490a43ccba1f0c736033f2b4efca"), // 20211208-stable-phantom-pool
    address!("0xef44d6786b2b4d544b7850fe67ce6381626bf2d6"), // 20220609-stable-pool-v2
    address!("0xaeb406b0e430bf5ea2dc0b9fe62e4e53f74b3a33"), // 20220906-composable-stable-pool
    address!("0x8df6efec5547e31b0eb7d1291b511ff8a2bf987c"), // 20220908-weighted-pool-v2
    address!("0x85a80afee867adf27b50bdb7b76da70f1e853062"), // 20221122-composable-stable-pool-v2
    address!("0x1c99324edc771c82a0dccb780cc7dda0045e50e7"), // 20230206-composable-stable-pool-v3
    address!("0xf1665e19bc105be4edd3739f88315cc699cc5b65"), // 20230206-weighted-pool-v3
    address!("0x2498a2b0d6462d2260eac50ae1c3e03f4829ba95"), // 20230320-composable-stable-pool-v4
    address!("0xc7e5ed1054a24ef31d827e6f86caa58b3bc168d7"), // 20230320-weighted-pool-v4
    address!("0xa8920455934da4d853faac1f94fe7bef72943ef1"), // 20230711-composable-stable-pool-v5
    address!("0x4bdcc2fb18aeb9e2d281b0278d946445070eada7"), // 20240223-composable-stable-pool-v6
];

pub(super) const AVALANCHE_V2: &[Address] = &[
    address!("0x94f68b54191f62f781fe8298a8a5fa3ed772d227"), // 20230206-weighted-pool-v3
    address!("0x3b1eb8eb7b43882b385ab30533d9a2bef9052a98"), // 20230320-composable-stable-pool-v4
    address!("0x230a59f4d9adc147480f03b0d3fffecd56c3289a"), // 20230320-weighted-pool-v4
    address!("0xe42ffa682a26ef8f25891db4882932711d42e467"), // 20230711-composable-stable-pool-v5
    address!("0xb9f8ab3ed3f3acba64bc6cd2dca74b7f38fd7b88"), // 20240223-composable-stable-pool-v6
];

pub(super) const ETHEREUM_V3: &[Address] = &[
    address!("0xb9d01ca61b9c181da1051bfdd28e1097e920ab14"), // 20241205-v3-stable-pool
    address!("0x201efd508c8dfe9de1a13c2452863a78cb2a86cc"), // 20241205-v3-weighted-pool
    address!("0xb96524227c4b5ab908fc3d42005fe3b07aba40e9"), // 20250120-v3-gyro-2clp
    address!("0xd53f5d8d926fb2a0f7be614b16e649b8ac102d83"), // 20250121-v3-stable-surge
    address!("0xe9b0a3bc48178d7fe2f5453c8bc1415d73f966d0"), // 20250124-v3-gyro-eclp
    address!("0xe42c2e153bb0a8899b59c73f5ff941f9742f1197"), // 20250324-v3-stable-pool-v2
    address!("0x355bd33f0033066bb3de396a6d069be57353ad95"), // 20250404-v3-stable-surge-pool-factory-v2
    address!("0x5939ab16fdf1991b0ef603c639b6b501a7841fab"), // 20250409-v3-reclamm-pool
    address!("0xdaa273aeec06e9ccb7428a77e2abb1e4659b16d2"), // 20250702-v3-reclamm-pool-v2
    address!("0x332694ef46d880df6ea9593e04cb8abee5f81d99"), // 20260115-v3-weighted-pool-v2
    address!("0x4efcd8bce8ac9b94bd76648e2c85bef6c40f3228"), // 20260116-v3-stable-pool-v3
    address!("0x187a05fb9e4234dd310ae74215743560d1baa6ac"), // 20260117-v3-stable-surge-pool-factory-v3
    address!("0x8902f9c211f91c84da2076f633873f8266dcecc6"), // 20260123-v3-gyro-2clp-v2
    address!("0x04d584195a96dffc7f8b695aa3c9d3c1606b69d1"), // 20260126-v3-gyro-eclp-v2
];

pub(super) const OPTIMISM_V3: &[Address] = &[
    address!("0x0f08eef2c785aa5e7539684af04755dec1347b7c"), // 20241205-v3-weighted-pool
    address!("0x4b979ed48f982ba0baa946cb69c1083eb799729c"), // 20250120-v3-gyro-2clp
    address!("0x22625eedd92c81a219a83e1dc48f88d54786b017"), // 20250124-v3-gyro-eclp
    address!("0x268e2ee1413d768b6e2dc3f5a4ddc9ae03d9af42"), // 20250324-v3-stable-pool-v2
    address!("0x3beb058de1a25dd24223fd9e1796df8589429ace"), // 20250404-v3-stable-surge-pool-factory-v2
    address!("0x0b11209b8c5e821b18ded147583b8978c3e63911"), // 20250409-v3-reclamm-pool
    address!("0x891ec9b34829276a9a8ef2f8a9ceaf2486017e0d"), // 20250702-v3-reclamm-pool-v2
    address!("0x254f3a2974b97dc2e675f6115c845567c55f83b0"), // 20260115-v3-weighted-pool-v2
    address!("0x1780e8185199dac45284039bb3e3b64060d943ab"), // 20260116-v3-stable-pool-v3
    address!("0xfd214210587fb84798cbe7f37235e12898f3128f"), // 20260117-v3-stable-surge-pool-factory-v3
    address!("0x99364f84d1c68d87aead0ce92eb47409a0c52c58"), // 20260123-v3-gyro-2clp-v2
    address!("0x53eff5068a1a3b39a9157da6ef5a18d555c479ef"), // 20260126-v3-gyro-eclp-v2
];

pub(super) const GNOSIS_V3: &[Address] = &[
    address!("0x22625eedd92c81a219a83e1dc48f88d54786b017"), // 20241205-v3-stable-pool
    address!("0xeb1eeabf0126d813589c3d2cfeffe410d9ae3863"), // 20241205-v3-weighted-pool
    address!("0x7fa49df302a98223d98d115fc4fcd275576f6faa"), // 20250120-v3-gyro-2clp
    address!("0x268e2ee1413d768b6e2dc3f5a4ddc9ae03d9af42"), // 20250121-v3-stable-surge
    address!("0xea924b45a3fcdaadf4e5cfb1665823b8f8f2039b"), // 20250124-v3-gyro-eclp
    address!("0x161f4014c27773840ccb4ec1957113e6dd028846"), // 20250324-v3-stable-pool-v2
    address!("0x45fb5af0a1ad80ea16c803146eb81844d9972373"), // 20250404-v3-stable-surge-pool-factory-v2
    address!("0x1780e8185199dac45284039bb3e3b64060d943ab"), // 20250409-v3-reclamm-pool
    address!("0xc86ef81e57492be65bfca9b0ed53dcbafdbe6100"), // 20250702-v3-reclamm-pool-v2
    address!("0x78ad1e1c10033b18ceaa20088e4e490be42a5417"), // 20260115-v3-weighted-pool-v2
    address!("0x9338f9484120fdfe8f8abea8e5d6d9d8d055962d"), // 20260116-v3-stable-pool-v3
    address!("0x59d55fa503faea8d95935a561f34153c273255dd"), // 20260117-v3-stable-surge-pool-factory-v3
    address!("0x1c58cc548a23956469c7c528bb3a846c842dfaf9"), // 20260123-v3-gyro-2clp-v2
    address!("0x1c53af9d683a4424d03f61d70d9f6bc53af7fcc1"), // 20260126-v3-gyro-eclp-v2
];

pub(super) const BASE_V3: &[Address] = &[
    address!("0xb9f8ab3ed3f3acba64bc6cd2dca74b7f38fd7b88"), // 20241205-v3-stable-pool
    address!("0x5cf4928a3205728bd12830e1840f7db85c62a4b9"), // 20241205-v3-weighted-pool
    address!("0xf5cddf6fed9c589f1be04899f48f9738531dad59"), // 20250120-v3-gyro-2clp
    address!("0x4fb47126fa83a8734991e41b942ac29a3266c968"), // 20250121-v3-stable-surge
    address!("0x5f6848976c2914403b425f18b589a65772f082e3"), // 20250124-v3-gyro-eclp
    address!("0xc49ca921c4cd1117162eaeec0ee969649997950c"), // 20250324-v3-stable-pool-v2
    address!("0x8e3feaab11b7b351e3ea1e01247ab6ccc847dd52"), // 20250404-v3-stable-surge-pool-factory-v2
    address!("0x3beb058de1a25dd24223fd9e1796df8589429ace"), // 20250409-v3-reclamm-pool
    address!("0x201efd508c8dfe9de1a13c2452863a78cb2a86cc"), // 20250702-v3-reclamm-pool-v2
    address!("0xbdbadc891bb95dee80ebc491699228ef0f7d6ff1"), // 20260115-v3-weighted-pool-v2
    address!("0xfc2986feab34713e659da84f3b1fa32c1da95832"), // 20260116-v3-stable-pool-v3
    address!("0x6623d1ceeab236ae93acafb285ddfb77336b6981"), // 20260117-v3-stable-surge-pool-factory-v3
    address!("0x312600bc7645e47a4926dc658827398af070d431"), // 20260123-v3-gyro-2clp-v2
    address!("0x86a0e97ec0d5db8dae106d3067358d41968fd12c"), // 20260126-v3-gyro-eclp-v2
];

pub(super) const ARBITRUM_V3: &[Address] = &[
    address!("0xeb1eeabf0126d813589c3d2cfeffe410d9ae3863"), // 20241205-v3-stable-pool
    address!("0xd961e30156c2e0d0d925a0de45f931cb7815e970"), // 20241205-v3-weighted-pool
    address!("0x65a22ec32c37835ad5e77eb6f7452ac59e113a9f"), // 20250120-v3-gyro-2clp
    address!("0x86e67e115f96df37239e0479441303de0de7bc2b"), // 20250121-v3-stable-surge
    address!("0x88ed12a90142fdbfe2a28f7d5b48927254c7e760"), // 20250124-v3-gyro-eclp
    address!("0x44d33798dddcdabc93fe6a40c80588033dc502d3"), // 20250324-v3-stable-pool-v2
    address!("0x201efd508c8dfe9de1a13c2452863a78cb2a86cc"), // 20250404-v3-stable-surge-pool-factory-v2
    address!("0xa1d0791a41318c775707c56eae247af81a05322c"), // 20250409-v3-reclamm-pool
    address!("0x355bd33f0033066bb3de396a6d069be57353ad95"), // 20250702-v3-reclamm-pool-v2
    address!("0x83bf399fa3dc49af8fb5c34031a50c7c93f56129"), // 20260115-v3-weighted-pool-v2
    address!("0x1fc7f1f84cfe61a04224ac8d3f87f56214fec08c"), // 20260116-v3-stable-pool-v3
    address!("0x8a8b9f35765899b3a0291700141470d79ea2ea88"), // 20260117-v3-stable-surge-pool-factory-v3
    address!("0x64b7dfe8a3972639712efa124d180dc3ff0f5bcf"), // 20260123-v3-gyro-2clp-v2
    address!("0xe31715e75207acc8bfadd96902ff522058928479"), // 20260126-v3-gyro-eclp-v2
];

pub(super) const AVALANCHE_V3: &[Address] = &[
    address!("0xd961e30156c2e0d0d925a0de45f931cb7815e970"), // 20241205-v3-weighted-pool
    address!("0xe2fa4e1d17725e72dcdafe943ecf45df4b9e285b"), // 20250120-v3-gyro-2clp
    address!("0x268e2ee1413d768b6e2dc3f5a4ddc9ae03d9af42"), // 20250124-v3-gyro-eclp
    address!("0xeaedc32a51c510d35ebc11088fd5ff2b47aacf2e"), // 20250324-v3-stable-pool-v2
    address!("0x18cc3c68a5e64b40c846aa6e45312cbcbb94f71b"), // 20250404-v3-stable-surge-pool-factory-v2
    address!("0x1cd776897ef4f647bf8241ec69549e4a9cb1d608"), // 20250409-v3-reclamm-pool
    address!("0x309abcaefa19ca6d34f0d8ff4a4103317c138657"), // 20250702-v3-reclamm-pool-v2
    address!("0xbdbadc891bb95dee80ebc491699228ef0f7d6ff1"), // 20260115-v3-weighted-pool-v2
    address!("0x16b50f6bf8c8ca73c07e17762188c5deee7ae5db"), // 20260116-v3-stable-pool-v3
    address!("0x8d217cb74f675b46cc2767c8cf0aab53be1c4818"), // 20260117-v3-stable-surge-pool-factory-v3
    address!("0x312600bc7645e47a4926dc658827398af070d431"), // 20260123-v3-gyro-2clp-v2
    address!("0x86a0e97ec0d5db8dae106d3067358d41968fd12c"), // 20260126-v3-gyro-eclp-v2
];
