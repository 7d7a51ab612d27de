//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::maker_vaults::MakerVaultsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, legs, n, plugin};

mod vat {
    portolan_plugin_api::sol! {
        function vat() external view returns (address);
        function urns(bytes32, address) external view returns (uint256, uint256);
        function ilks(bytes32) external view returns (uint256, uint256, uint256, uint256, uint256);
    }
}
mod jug {
    portolan_plugin_api::sol! {
        function ilks(bytes32) external view returns (uint256, uint256);
        function base() external view returns (uint256);
        function drip(bytes32) external returns (uint256);
    }
}
sol! {
    function count(address) external view returns (uint256);
    function getCdpsAsc(address, address) external view returns (uint256[], address[], bytes32[]);
    function proxies(address) external view returns (address);
    function owner() external view returns (address);
    function gem(bytes32) external view returns (address);
    function dec(bytes32) external view returns (uint256);
}

const NETWORK: u64 = 1;
const MANAGER: Address = Address::repeat_byte(1);
const LISTER: Address = Address::repeat_byte(2);
const ILKS: Address = Address::repeat_byte(3);
const JUG: Address = Address::repeat_byte(4);
const DAI: Address = Address::repeat_byte(5);
const PROXIES: Address = Address::repeat_byte(6);
const VAT: Address = Address::repeat_byte(7);
const TOKEN: Address = Address::repeat_byte(8);
const PROXY: Address = Address::repeat_byte(9);
const URN: Address = Address::repeat_byte(10);
const KIT: MakerVaultsKit = MakerVaultsKit { vault: "vault" };

plugin! {
    Maker: &KIT,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    cdp_manager = "0x0101010101010101010101010101010101010101"
    cdp_lister = "0x0202020202020202020202020202020202020202"
    ilk_registry = "0x0303030303030303030303030303030303030303"
    jug = "0x0404040404040404040404040404040404040404"
    debt_token = "0x0505050505050505050505050505050505050505"
    proxy_registry = "0x0606060606060606060606060606060606060606"
    "#
}

fn ilk() -> B256 {
    B256::right_padding_from(b"ETH-A")
}

/// 1 with so many decimals.
fn one(decimals: u64) -> U256 {
    n(10).pow(n(decimals))
}

/// No vaults, and a proxy or none.
fn accounts(proxy: Address) -> CannedReplies {
    CannedReplies::default().reply(NETWORK, MANAGER, &countCall(ACCOUNT), &n(0)).reply(
        NETWORK,
        PROXIES,
        &proxiesCall(ACCOUNT),
        &proxy,
    )
}

/// A list of one vault, with these urns.
fn listed(urns: Vec<Address>) -> ReadResult {
    ReadResult::Ok((vec![n(7)], urns, vec![ilk()]).abi_encode_params().into())
}

/// An owner's only vault, with these smallest units of collateral and of normalised debt.
fn vault(chain: CannedReplies, of: Address, ink: U256, art: U256) -> CannedReplies {
    chain
        .reply(NETWORK, MANAGER, &countCall(of), &n(1))
        .result(NETWORK, LISTER, &getCdpsAscCall { _0: MANAGER, _1: of }, listed(vec![URN]))
        .reply(NETWORK, MANAGER, &vat::vatCall {}, &VAT)
        .reply(NETWORK, VAT, &vat::urnsCall { _0: ilk(), _1: URN }, &(ink, art))
        .reply(NETWORK, VAT, &vat::ilksCall(ilk()), &(n(0), one(27), n(1_500) * one(27), n(0), n(0)))
        .reply(NETWORK, JUG, &jug::ilksCall(ilk()), &(one(27) + n(2), n(0)))
        .reply(NETWORK, JUG, &jug::baseCall {}, &n(1))
        .reply(NETWORK, JUG, &jug::dripCall(ilk()), &(one(27) * n(3) / n(2)))
        .reply(NETWORK, ILKS, &gemCall(ilk()), &TOKEN)
        .reply(NETWORK, ILKS, &decCall(ilk()), &n(8))
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("fork", NETWORK, Question::LENDING, ACCOUNT).run::<Maker>(chain)
}

#[test]
fn a_vault_has_its_collateral_and_its_debt_with_the_fee() {
    let chain = vault(accounts(Address::ZERO), ACCOUNT, n(4) * one(18) + n(1), n(1_000) * one(18));
    let outcome = run(&chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("one position") };
    assert_eq!((position.kind, position.contract, position.number), (PositionKind::BORROWED, MANAGER, Some(n(7))));
    assert_eq!(position.name, "FORK ETH-A vault");
    // The token has eight decimals; three halves of the debt are owed.
    let supplied = (LegRole::SUPPLIED, TOKEN, n(4) * one(8), Some(true));
    assert_eq!(legs(position), [supplied, (LegRole::BORROWED, DAI, n(1_500) * one(18), None)]);
    // The fees are 2 and 1 a second, of 10^27.
    assert_eq!(position.legs[1].rate_ray, Some(n(3 * 31_536_000)));
    // 4 and a smallest unit at 1,500 are four times the debt, and as little more.
    assert_eq!(position.health.unwrap().factor_wad, Some(n(4) * one(18) + n(1)));
}

#[test]
fn a_debt_is_rounded_up_and_collateral_alone_is_lent() {
    let owes = |art| run(&vault(accounts(Address::ZERO), ACCOUNT, one(18), art)).positions()[0].clone();
    assert_eq!(owes(n(1)).legs[1].amount, n(2));
    let free = owes(n(0));
    assert_eq!((free.kind, free.legs[1].amount, free.health), (PositionKind::LENT, n(0), None));
}

#[test]
fn vaults_of_a_proxy_count_while_it_names_the_account() {
    let of_proxy = |owner: Address| {
        let chain = vault(accounts(PROXY), PROXY, one(18), n(0));
        run(&chain.reply(NETWORK, PROXY, &ownerCall {}, &owner)).positions().len()
    };
    assert_eq!((of_proxy(ACCOUNT), of_proxy(TOKEN)), (1, 0));
    let gone = run(&vault(accounts(PROXY), PROXY, one(18), n(0)).revert(NETWORK, PROXY, &ownerCall {}));
    assert_eq!((gone.end, gone.findings.len()), (End::Complete, 0), "{}", gone.message);
}

#[test]
fn an_account_with_nothing_costs_two_reads() {
    let outcome = run(&accounts(Address::ZERO));
    assert_eq!((outcome.end, outcome.findings.len(), outcome.batches), (End::Complete, 0, vec![2]));
}

#[test]
fn what_cannot_be_read_is_reported() {
    let whole = || vault(accounts(Address::ZERO), ACCOUNT, one(18), one(18));
    let broken = [
        whole().revert(NETWORK, JUG, &jug::dripCall(ilk())),
        whole().reply(NETWORK, JUG, &jug::dripCall(ilk()), &U256::MAX),
        whole().reply(NETWORK, JUG, &jug::baseCall {}, &U256::MAX),
        whole().reply(NETWORK, ILKS, &gemCall(ilk()), &Address::ZERO),
        whole().reply(NETWORK, ILKS, &decCall(ilk()), &n(19)),
        vault(accounts(Address::ZERO), ACCOUNT, U256::MAX, U256::MAX),
    ];
    for chain in broken {
        let outcome = run(&chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 0), "{}", outcome.message);
    }
    let uneven = whole().result(NETWORK, LISTER, &getCdpsAscCall { _0: MANAGER, _1: ACCOUNT }, listed(Vec::new()));
    assert_eq!(run(&uneven).end, End::Partial);
    assert_eq!(run(&CannedReplies::default()).end, End::Failed);
}

#[test]
fn more_vaults_than_are_listed_are_told() {
    let outcome = run(&accounts(Address::ZERO).reply(NETWORK, MANAGER, &countCall(ACCOUNT), &n(201)));
    assert_eq!((outcome.end, outcome.not_covered.len()), (End::Partial, 1), "{}", outcome.message);
}
