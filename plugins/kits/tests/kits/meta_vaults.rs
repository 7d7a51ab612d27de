//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::meta_vaults::MetaVaultsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, plugin};

sol! {
    function numOfPublicVaults() external view returns (uint256);
    function publicVaults(uint256, uint256) external view returns (address[]);
    function numOfPrivateVaults() external view returns (uint256);
    function privateVaults(uint256, uint256) external view returns (address[]);
    function nft() external view returns (address);
    function ownerOf(uint256) external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
    function totalUnderlying() external view returns (uint256, uint256);
}

const NETWORK: u64 = 8_453;
const FACTORY: Address = address!("0x5f00000000000000000000000000000000000001");
const NFTS: Address = address!("0x5f00000000000000000000000000000000000002");
const PUBLIC: [Address; 2] =
    [address!("0x5a00000000000000000000000000000000000001"), address!("0x5a00000000000000000000000000000000000002")];
const PRIVATE: [Address; 2] =
    [address!("0x5b00000000000000000000000000000000000001"), address!("0x5b00000000000000000000000000000000000002")];
const OTHER: Address = address!("0xacc0000000000000000000000000000000000002");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const ETHER: Address = address!("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");

plugin! {
    Meta: &MetaVaultsKit { vault: "vault" },
    ["meta" = "META"],
    r#"
    [[deployment]]
    protocol = "meta"
    network = "base"
    meta_vault_factory = "0x5f00000000000000000000000000000000000001"
    "#
}

fn number(vault: Address) -> U256 {
    U256::from_be_slice(vault.as_slice())
}

/// Two public vaults, of which the account has so many shares of 90, and two private ones, of which it owns so many.
fn chain(shares: [u64; 2], owned: usize) -> CannedReplies {
    let list = |vaults: [Address; 2]| vaults.to_vec();
    let chain = CannedReplies::default()
        .reply(NETWORK, FACTORY, &numOfPublicVaultsCall {}, &n(2))
        .reply(NETWORK, FACTORY, &publicVaultsCall { _0: n(0), _1: n(2) }, &list(PUBLIC))
        .reply(NETWORK, FACTORY, &numOfPrivateVaultsCall {}, &n(2))
        .reply(NETWORK, FACTORY, &privateVaultsCall { _0: n(0), _1: n(2) }, &list(PRIVATE))
        .reply(NETWORK, FACTORY, &nftCall {}, &NFTS)
        .reply(NETWORK, NFTS, &balanceOfCall(ACCOUNT), &U256::from(owned));
    let chain = PUBLIC.iter().zip(shares).fold(chain, |chain, (vault, shares)| {
        holding(chain, *vault, 1_000, 77).reply(NETWORK, *vault, &balanceOfCall(ACCOUNT), &n(shares)).reply(
            NETWORK,
            *vault,
            &totalSupplyCall {},
            &n(90),
        )
    });
    PRIVATE.iter().enumerate().fold(chain, |chain, (place, vault)| {
        let owner = if place < owned { ACCOUNT } else { OTHER };
        holding(chain, *vault, 5_000, 0).reply(NETWORK, NFTS, &ownerOfCall(number(*vault)), &owner)
    })
}

fn holding(chain: CannedReplies, vault: Address, amount0: u64, amount1: u64) -> CannedReplies {
    chain.reply(NETWORK, vault, &token0Call {}, &TOKEN).reply(NETWORK, vault, &token1Call {}, &ETHER).reply(
        NETWORK,
        vault,
        &totalUnderlyingCall {},
        &(n(amount0), n(amount1)),
    )
}

fn pooling(chain: impl Replies) -> Outcome {
    JobTest::new("meta", NETWORK, Question::POOLING, ACCOUNT).run::<Meta>(chain)
}

#[test]
fn shares_are_the_part_that_a_burn_pays() {
    let outcome = pooling(&chain([0, 7], 0));
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::POOLED, PUBLIC[1]));
    // A part of 0.0777…7: 77.7… and 5.98….
    assert_eq!(legs(position), [(LegRole::POOLED, TOKEN, n(77), None), (LegRole::POOLED, NATIVE, n(5), None)]);
    assert_eq!((position.mechanism.as_str(), position.nft), ("vault", None));
}

#[test]
fn a_part_is_cut_to_18_decimals_before_it_is_paid() {
    // A third of 3 is 0.999… by a part of 18 decimals, and nothing in whole units.
    let chain = chain([30, 0], 0).reply(NETWORK, PUBLIC[0], &totalUnderlyingCall {}, &(n(3), n(6)));
    let outcome = pooling(&chain);
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!(legs(position), [(LegRole::POOLED, TOKEN, n(0), None), (LegRole::POOLED, NATIVE, n(1), None)]);
}

#[test]
fn a_private_vault_is_its_owners_whole() {
    let outcome = pooling(&chain([0, 0], 1));
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.contract), (End::Complete, PRIVATE[0]));
    assert_eq!(legs(position), [(LegRole::POOLED, TOKEN, n(5_000), None), (LegRole::POOLED, NATIVE, n(0), None)]);
    assert_eq!(position.nft, Some(Nft { collection: NFTS, token_id: number(PRIVATE[0]) }));
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    // Also a vault that holds nothing.
    let emptied = chain([7, 0], 0).reply(NETWORK, PUBLIC[0], &totalUnderlyingCall {}, &(n(0), n(0)));
    for chain in [chain([0, 0], 0), emptied] {
        let outcome = pooling(&chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn what_cannot_be_read_loses_only_itself() {
    let held = || chain([3, 7], 1);
    let broken = [
        held().revert(NETWORK, PUBLIC[0], &totalUnderlyingCall {}),
        held().reply(NETWORK, PUBLIC[0], &totalSupplyCall {}, &n(0)),
        held().reply(NETWORK, PUBLIC[0], &totalSupplyCall {}, &n(2)),
        held().reply(NETWORK, PUBLIC[0], &totalUnderlyingCall {}, &(U256::MAX, n(1))),
        held().result(NETWORK, PUBLIC[0], &balanceOfCall(ACCOUNT), ReadResult::Unavailable),
        held().revert(NETWORK, PRIVATE[0], &totalUnderlyingCall {}),
        // More NFTs than the factory lists.
        held().revert(NETWORK, PUBLIC[0], &token0Call {}).reply(NETWORK, NFTS, &balanceOfCall(ACCOUNT), &n(2)),
    ];
    for chain in broken {
        let outcome = pooling(&chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 2), "{}", outcome.message);
    }
    let outcome = pooling(&held().revert(NETWORK, FACTORY, &nftCall {}));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 2), "{}", outcome.message);
    assert_eq!(pooling(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
}
