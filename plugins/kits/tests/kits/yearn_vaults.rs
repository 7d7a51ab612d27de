//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::yearn_vaults::YearnVaultsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, list, n, one_row, plugin};

sol! {
    function numTokens() external view returns (uint256);
    function tokens(uint256) external view returns (address);
    function numVaults(address) external view returns (uint256);
    function vaults(address, uint256) external view returns (address);
    function getAllEndorsedVaults() external view returns (address[][]);
    function isEndorsed(address) external view returns (bool);
    function balanceOf(address) external view returns (uint256);
    function token() external view returns (address);
    function asset() external view returns (address);
    function decimals() external view returns (uint256);
    function pricePerShare() external view returns (uint256);
    function previewRedeem(uint256) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

const SECOND: u64 = 1;
const THIRD: u64 = 10;
const OLD: Address = address!("0xf000000000000000000000000000000000000001");
const NEW: Address = address!("0xf000000000000000000000000000000000000002");
const USDC: Address = address!("0xa000000000000000000000000000000000000001");
const DAI: Address = address!("0xa000000000000000000000000000000000000002");
const FIRST_USDC: Address = address!("0x5a00000000000000000000000000000000000001");
const LAST_USDC: Address = address!("0x5a00000000000000000000000000000000000002");
const ONLY_DAI: Address = address!("0x5a00000000000000000000000000000000000003");
const VAULTS: [Address; 3] = [FIRST_USDC, LAST_USDC, ONLY_DAI];

const TYPES: YearnVaultsKit = YearnVaultsKit { vault: "vault", share: "YEARN" };

plugin! {
    Yearn: &TYPES,
    ["yearn" = "YEARN"],
    r#"
    [[deployment]]
    protocol = "yearn"
    network = "ethereum"
    market = "v2"
    yearn_v2_registries = [
        "0xf000000000000000000000000000000000000001",
        "0xf000000000000000000000000000000000000002",
    ]

    [[deployment]]
    protocol = "yearn"
    network = "optimism"
    market = "v3"
    yearn_v3_registries = [
        "0xf000000000000000000000000000000000000001",
        "0xf000000000000000000000000000000000000002",
    ]
    "#
}

/// A registry of the second generation, with the vaults of each token.
fn registry(chain: CannedReplies, at: Address, listed: &[(Address, &[Address])]) -> CannedReplies {
    let chain = chain.reply(SECOND, at, &numTokensCall {}, &U256::from(listed.len()));
    (0..).zip(listed).fold(chain, |chain, (place, (token, vaults))| {
        let chain = chain.reply(SECOND, at, &tokensCall(n(place)), token);
        let chain = chain.reply(SECOND, at, &numVaultsCall(*token), &U256::from(vaults.len()));
        (0..).zip(*vaults).fold(chain, |chain, (index, vault)| {
            chain.reply(SECOND, at, &vaultsCall { _0: *token, _1: n(index) }, vault)
        })
    })
}

/// The older registry has all vaults, and the newer one lists one of them again. Nobody has shares.
fn second() -> CannedReplies {
    let chain = registry(CannedReplies::default(), OLD, &[(USDC, &[FIRST_USDC, LAST_USDC]), (DAI, &[ONLY_DAI])]);
    let chain = registry(chain, NEW, &[(USDC, &[LAST_USDC])]).reply(SECOND, NEW, &numVaultsCall(DAI), &n(0));
    VAULTS.into_iter().fold(chain, |chain, vault| chain.reply(SECOND, vault, &balanceOfCall(ACCOUNT), &n(0)))
}

fn third() -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(THIRD, OLD, &getAllEndorsedVaultsCall {}, &vec![vec![FIRST_USDC, LAST_USDC], vec![], vec![ONLY_DAI]])
        .reply(THIRD, NEW, &getAllEndorsedVaultsCall {}, &vec![vec![LAST_USDC]]);
    VAULTS.into_iter().fold(chain, |chain, vault| chain.reply(THIRD, vault, &balanceOfCall(ACCOUNT), &n(0)))
}

/// A share of a vault of the second generation is worth `price` of its token, of six decimals.
fn share(chain: CannedReplies, vault: Address, token: Address, price: u64) -> CannedReplies {
    chain.reply(SECOND, vault, &tokenCall {}, &token).reply(SECOND, vault, &decimalsCall {}, &n(6)).reply(
        SECOND,
        vault,
        &pricePerShareCall {},
        &n(price),
    )
}

fn run(network: u64, chain: &CannedReplies) -> Outcome {
    JobTest::new("yearn", network, Question::FARMING, ACCOUNT).run::<Yearn>(chain)
}

/// Returns vault, token, shares and the redeemed amount.
fn staked(outcome: &Outcome) -> Vec<(Address, Address, U256, U256)> {
    let leg = |position: &&Position| {
        let leg = &position.legs[0];
        let redeemed = leg.redeems_to.as_ref().map(|parts| (parts[0].token, parts[0].amount));
        assert_eq!((leg.role, leg.receipt), (LegRole::STAKED, Some(position.contract)));
        assert_eq!(redeemed.map(|(token, _)| token), Some(leg.token));
        (position.contract, leg.token, leg.amount, redeemed.map_or(U256::ZERO, |(_, amount)| amount))
    };
    outcome.positions().iter().map(leg).collect()
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for (network, chain) in [(SECOND, second()), (THIRD, third())] {
        let outcome = run(network, &chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
    let walked = run(SECOND, &second());
    assert_eq!(walked.facts::<(Address, Address)>("v2", "tokens-0"), [(USDC, FIRST_USDC), (DAI, ONLY_DAI)]);
    assert_eq!(walked.facts::<(Address, Address)>("v2", "tokens-1"), [(USDC, LAST_USDC)]);
}

#[test]
fn shares_of_the_second_generation_redeem_to_their_price() {
    // 3,000,001 smallest units at 1.25 are 3,750,001.25.
    let chain =
        share(second(), FIRST_USDC, USDC, 1_250_000).reply(SECOND, FIRST_USDC, &balanceOfCall(ACCOUNT), &n(3_000_001));
    // A vault that two registries list counts once.
    let chain = share(chain, LAST_USDC, USDC, 1_000_000).reply(SECOND, LAST_USDC, &balanceOfCall(ACCOUNT), &n(7));
    let outcome = run(SECOND, &chain);
    let expected = [(FIRST_USDC, USDC, n(3_000_001), n(3_750_001)), (LAST_USDC, USDC, n(7), n(7))];
    assert_eq!((outcome.end, staked(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
    assert_eq!(outcome.positions()[0].name, format!("{{{FIRST_USDC:#x}}} vault"));
    assert_eq!(
        (outcome.positions()[0].kind, outcome.positions()[0].mechanism.as_str()),
        (PositionKind::STAKED, "vault")
    );
}

#[test]
fn shares_of_the_third_generation_redeem_to_what_the_vault_says() {
    let held =
        |chain: CannedReplies, vault, token: Address, shares, redeemed| {
            chain
                .reply(THIRD, vault, &balanceOfCall(ACCOUNT), &n(shares))
                .reply(THIRD, vault, &assetCall {}, &token)
                .reply(THIRD, vault, &previewRedeemCall(n(shares)), &n(redeemed))
        };
    let chain = held(held(third(), LAST_USDC, USDC, 40, 41), ONLY_DAI, DAI, 1, 0);
    let outcome = run(THIRD, &chain);
    let expected = [(LAST_USDC, USDC, n(40), n(41)), (ONLY_DAI, DAI, n(1), n(0))];
    assert_eq!((outcome.end, staked(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
}

#[test]
fn a_gateway_that_has_the_lists_reads_everything_of_the_account_at_once() {
    let chain = share(second(), FIRST_USDC, USDC, 1_250_000).reply(SECOND, FIRST_USDC, &balanceOfCall(ACCOUNT), &n(4));
    let first = run(SECOND, &chain);
    let job = JobTest::new("yearn", SECOND, Question::FARMING, ACCOUNT).after(&first);
    let outcome = job.run::<Yearn>(&chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    assert!(outcome.batches.len() < first.batches.len(), "{:?}", outcome.batches);
}

#[test]
fn what_cannot_be_read_costs_its_own_rows_and_is_reported() {
    let held = share(second(), FIRST_USDC, USDC, 1_000_000).reply(SECOND, FIRST_USDC, &balanceOfCall(ACCOUNT), &n(4));
    let bad = [
        held.clone().revert(SECOND, ONLY_DAI, &balanceOfCall(ACCOUNT)),
        held.clone().revert(SECOND, NEW, &numTokensCall {}),
        share(held.clone(), ONLY_DAI, DAI, 2).reply(SECOND, ONLY_DAI, &balanceOfCall(ACCOUNT), &U256::MAX),
        share(held.clone(), ONLY_DAI, DAI, 1).reply(SECOND, ONLY_DAI, &balanceOfCall(ACCOUNT), &n(1)).reply(
            SECOND,
            ONLY_DAI,
            &decimalsCall {},
            &n(78),
        ),
    ];
    for (place, chain) in bad.into_iter().enumerate() {
        let outcome = run(SECOND, &chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{place}: {}", outcome.message);
    }
    let gone = second().revert(SECOND, OLD, &numTokensCall {}).revert(SECOND, NEW, &numTokensCall {});
    assert_eq!(run(SECOND, &gone).end, End::Failed);
}

#[test]
fn a_registry_that_lists_vaults_without_end_is_not_read_to_it() {
    let chain = second().reply(SECOND, OLD, &numVaultsCall(USDC), &n(u64::MAX));
    let outcome = run(SECOND, &chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0));
    assert_eq!(outcome.message, format!("v2: {OLD}: lists too many vaults of {USDC}"));
}

fn compositions(network: u64, chain: &CannedReplies, tokens: &[Address]) -> Vec<(Address, U256, Part)> {
    let outcome = JobTest::for_tokens("yearn", network, tokens).run::<Yearn>(chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let found = outcome.compositions().into_iter();
    found
        .map(|share| {
            assert_eq!(share.kind, "YEARN");
            (share.token, share.supply, share.parts[0])
        })
        .collect()
}

#[test]
fn only_shares_of_listed_vaults_have_a_composition() {
    let part = |token, amount| Part { token, amount: n(amount) };
    let liar = address!("0x5a0000000000000000000000000000000000000f");
    let second = share(second(), ONLY_DAI, DAI, 1_500_000).reply(SECOND, liar, &tokenCall {}, &DAI).revert(
        SECOND,
        USDC,
        &tokenCall {},
    );
    let found = compositions(SECOND, &second, &[liar, USDC, ONLY_DAI]);
    assert_eq!(found, [(ONLY_DAI, n(1_000_000), part(DAI, 1_500_000))]);
    let known = |chain: CannedReplies, vault, [old, new]: [bool; 2]| {
        chain.reply(THIRD, OLD, &isEndorsedCall(vault), &old).reply(THIRD, NEW, &isEndorsedCall(vault), &new)
    };
    let third = known(known(known(third(), liar, [false; 2]), LAST_USDC, [false, true]), ONLY_DAI, [true, false]);
    let third = third
        .reply(THIRD, LAST_USDC, &assetCall {}, &USDC)
        .reply(THIRD, LAST_USDC, &totalSupplyCall {}, &n(400))
        .reply(THIRD, LAST_USDC, &previewRedeemCall(n(400)), &n(500))
        .reply(THIRD, ONLY_DAI, &assetCall {}, &DAI)
        .reply(THIRD, ONLY_DAI, &totalSupplyCall {}, &n(0));
    let found = compositions(THIRD, &third, &[liar, LAST_USDC, ONLY_DAI]);
    assert_eq!(found, [(LAST_USDC, n(400), part(USDC, 500))]);
}

#[test]
fn a_fork_is_a_line_of_settings() {
    let rows = |keys: &[&str]| one_row("yearn", 10, keys.iter().map(|key| list(key, [OLD])).collect());
    for key in ["yearn_v2_registries", "yearn_v3_registries"] {
        let catalogue = testing::catalogue::<Yearn>(&rows(&[key]));
        assert_eq!(catalogue.deployments[0].contracts, [OLD]);
        assert_eq!(catalogue.deployments[0].questions, [Question::FARMING, Question::COMPOSITION]);
    }
    let both = testing::settings_error::<Yearn>(&rows(&["yearn_v2_registries", "yearn_v3_registries"]));
    assert_eq!(both.and_then(|error| error.key).as_deref(), Some("yearn_v3_registries"));
}
