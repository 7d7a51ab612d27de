//! Tokens that claim to be made of others are priced only if their issuer confirms.

use super::*;

const IMPOSTOR: Address = Address::repeat_byte(0x66);

type Claim = fn(&mut ScriptedChain, Address, Address);

/// Scripts a token that claims to be a pair of a million A and a million B.
fn claims_a_pair(script: &mut ScriptedChain, token: Address, issuer: Address) {
    script
        .call(token, &Pair::token0Call {}, A)
        .call(token, &Pair::token1Call {}, B)
        .call(token, &Pair::getReservesCall {}, (e18(1_000_000), e18(1_000_000), U256::from(1)))
        .call(token, &Erc20::totalSupplyCall {}, e18(1))
        .call(token, &Pair::factoryCall {}, issuer);
}

fn claims_a_volatile_pair(script: &mut ScriptedChain, token: Address, issuer: Address) {
    claims_a_pair(script, token, issuer);
    script.call(token, &SolidlyPair::stableCall {}, false);
}

fn claims_a_receipt(script: &mut ScriptedChain, token: Address, issuer: Address) {
    script
        .call(token, &AToken::UNDERLYING_ASSET_ADDRESSCall {}, A)
        .call(token, &AToken::RESERVE_TREASURY_ADDRESSCall {}, Address::repeat_byte(0x77))
        .call(token, &AToken::POOLCall {}, issuer);
}

fn claims_a_market(script: &mut ScriptedChain, token: Address, issuer: Address) {
    script
        .call(token, &CToken::underlyingCall {}, A)
        .call(token, &CToken::exchangeRateStoredCall {}, e18(1_000_000))
        .call(token, &CToken::comptrollerCall {}, issuer);
}

fn claims_a_vault(script: &mut ScriptedChain, token: Address, _: Address) {
    vault(script, token, A, e18(1_000_000));
}

/// Scripts the issuer's confirmation: only `genuine` is made of these parts.
fn confirms(script: &mut ScriptedChain, issuer: Address, genuine: Address) {
    script
        .call(issuer, &PairFactory::getPairCall { tokenA: A, tokenB: B }, genuine)
        .call(issuer, &SolidlyFactory::getPairCall { tokenA: A, tokenB: B, stable: false }, genuine)
        .call(issuer, &LendingPool::getReserveDataCall { asset: A }, reserve(8, genuine))
        .call(issuer, &Comptroller::marketsCall { cToken: genuine }, (true, e18(1)))
        .call(issuer, &Comptroller::marketsCall { cToken: IMPOSTOR }, (false, U256::ZERO));
}

const CLAIMS: [(&str, Claim); 4] = [
    ("pair", claims_a_pair),
    ("volatile pair", claims_a_volatile_pair),
    ("receipt", claims_a_receipt),
    ("market", claims_a_market),
];

#[tokio::test]
async fn a_token_that_names_a_known_issuer_has_no_price_unless_the_issuer_names_it() {
    for (what, claim) in CLAIMS {
        let (mut script, settings) = two_tokens();
        for token in [LP, IMPOSTOR] {
            erc20(&mut script, token, 18);
            claim(&mut script, token, FACTORY);
        }
        confirms(&mut script, FACTORY, LP);
        assert!(one(&script, &settings, LP).await.is_some(), "{what}");
        assert_eq!(one(&script, &settings, IMPOSTOR).await, None, "{what}");
    }
}

#[tokio::test]
async fn a_token_whose_own_issuer_confirms_it_has_no_price() {
    for (what, claim) in CLAIMS {
        let (mut script, settings) = two_tokens();
        let accomplice = Address::repeat_byte(0x67);
        erc20(&mut script, IMPOSTOR, 18);
        claim(&mut script, IMPOSTOR, accomplice);
        confirms(&mut script, accomplice, IMPOSTOR);
        script.call(accomplice, &Comptroller::marketsCall { cToken: IMPOSTOR }, (true, e18(1)));
        assert_eq!(one(&script, &settings, IMPOSTOR).await, None, "{what}");
        let looked_up = script.lookups().concat();
        assert!(looked_up.iter().all(|read| read.to != accomplice), "{what}: it is not even read");
        let named = PriceSettings { issuers: vec![(1, accomplice)], ..settings.clone() };
        assert!(one(&script, &named, IMPOSTOR).await.is_some(), "{what}: the operator names it");
        let elsewhere = PriceSettings { issuers: vec![(10, accomplice)], ..settings };
        assert_eq!(one(&script, &elsewhere, IMPOSTOR).await, None, "{what}: on another network");
    }
}

#[tokio::test]
async fn a_vault_that_nobody_lists_has_no_price() {
    let (mut script, mut settings) = two_tokens();
    erc20(&mut script, IMPOSTOR, 18);
    claims_a_vault(&mut script, IMPOSTOR, FACTORY);
    assert_eq!(one(&script, &settings, IMPOSTOR).await, None);
    settings.issuers.push((1, IMPOSTOR));
    assert!(one(&script, &settings, IMPOSTOR).await.is_some());
}

#[tokio::test]
async fn what_a_plugin_serves_may_confirm_and_what_is_made_of_an_impostor_has_no_price() {
    let (mut script, settings) = two_tokens();
    let settings = PriceSettings { issuers: Vec::new(), ..settings };
    let prices = Prices::new(settings);
    claims_a_receipt(&mut script, LP, FACTORY);
    claims_a_receipt(&mut script, IMPOSTOR, FACTORY);
    confirms(&mut script, FACTORY, LP);
    let around = Address::repeat_byte(1);
    vault(&mut script, around, IMPOSTOR, e18(1));
    for token in [LP, IMPOSTOR] {
        erc20(&mut script, token, 18);
    }
    let catalogued = [FACTORY].into();
    let index = TokenIndex::listing([(1, around)], 0);
    let issuers = Issuers::new(1, Some(&catalogued), &index);
    let (session, network) = (script.session(Instant::now() + Duration::from_secs(60)), ethereum());
    let tokens = [LP, IMPOSTOR, around].into();
    let metadata = MetadataSet::read(&session, &network, Some(&prices.prefetch(&network, &issuers)), &tokens).await;
    let (priced, _) = prices.resolve(&session, &network, &issuers, &metadata, &HashMap::new(), Vec::new()).await;
    assert!(priced.contains_key(&LP));
    assert!(!priced.contains_key(&IMPOSTOR) && !priced.contains_key(&around));
}

#[tokio::test]
async fn a_vault_is_worth_no_more_than_its_preview_gives() {
    let shares = e18(1);
    let cases = [(e18(2), Some("4000")), (e18(9), Some("6000")), (e18(3), Some("6000")), (U256::ZERO, None)];
    for (preview, usd) in cases {
        let (mut script, settings) = two_tokens();
        vault(&mut script, LP, A, e18(3));
        script.call(LP, &Erc4626::previewRedeemCall { shares }, preview);
        let expected = usd.and_then(|usd| priced(usd, "derived:erc4626", 10));
        assert_eq!(one(&script, &settings, LP).await, expected, "{preview}");
    }
    let (mut script, settings) = two_tokens();
    vault(&mut script, LP, A, e18(3));
    let preview = SolCall::abi_encode(&Erc4626::previewRedeemCall { shares });
    script.outcome(LP, &preview, Outcome::Reverted(Bytes::new()));
    assert_eq!(one(&script, &settings, LP).await, None, "nothing bounds it");
}

#[tokio::test]
async fn a_confirmation_leaves_with_the_metadata_of_the_parts_and_is_cached() {
    let (mut script, settings) = two_tokens();
    pair(&mut script, [A, B], [e18(100), U256::from(200_000_000_000_u64)], e18(1000));
    one(&script, &settings, LP).await;
    let confirmation = |read: &Read| read.to == FACTORY;
    let requests = script.requests();
    let places: Vec<usize> =
        requests.iter().map(|request| request.iter().filter(|read| confirmation(read)).count()).collect();
    assert_eq!(places, [0, 1]);
    script.next_block();
    one(&script, &settings, LP).await;
    assert!(!script.requests()[2..].concat().iter().any(confirmation));
}
