//! Batches of metadata, over a scripted chain.

use std::collections::HashSet;
use std::time::Duration;

use alloy::primitives::{Bytes, U256};
use portolan_base::network::Networks;
use portolan_reader::testing::{ScriptedChain, is_pinned};
use tokio::time::Instant;

use super::*;
use crate::issuers::Issuers;
use crate::metadata::{Erc20, Erc4626, Pair, SELECTORS};
use crate::price::{PriceSettings, Prices};
use crate::token_list::TokenIndex;

const ASSET: Address = Address::repeat_byte(0xa1);

fn token(number: usize) -> Address {
    Address::left_padding_from(&(number + 1).to_be_bytes())
}

fn vault(script: &mut ScriptedChain, vault: Address, asset: Address) {
    script.call(vault, &Erc4626::assetCall {}, asset);
}

fn pair(script: &mut ScriptedChain, pair: Address, tokens: [Address; 2]) {
    script.call(pair, &Pair::token0Call {}, tokens[0]).call(pair, &Pair::token1Call {}, tokens[1]).call(
        pair,
        &Pair::getReservesCall {},
        (U256::ZERO, U256::ZERO, U256::ZERO),
    );
}

async fn metadata(script: &ScriptedChain, tokens: impl IntoIterator<Item = Address>) -> MetadataSet {
    let networks = Networks::new([]);
    let (network, deadline) = (networks.named("ethereum").unwrap(), Instant::now() + Duration::from_secs(60));
    let session = script.session(deadline);
    let (prices, index) = (Prices::new(PriceSettings::default()), TokenIndex::default());
    let issuers = Issuers::new(network.chain_id, None, &index);
    MetadataSet::read(&session, network, Some(&prices.prefetch(network, &issuers)), &tokens.into_iter().collect()).await
}

#[tokio::test]
async fn each_token_is_read_once_and_from_the_cache_where_it_may() {
    let mut script = ScriptedChain::default();
    let shares: Vec<Address> = (0..3).map(token).collect();
    shares.iter().for_each(|share| vault(&mut script, *share, ASSET));
    script.call(ASSET, &Erc20::decimalsCall {}, U256::from(6));
    let metadata = metadata(&script, shares.clone()).await;
    assert_eq!(metadata.get(ASSET).unwrap().decimals, Some(6));
    assert_eq!(metadata.iter().count(), 4);
    let requests = script.requests();
    let targets = |request: &[Read]| request.iter().map(|read| read.to).collect::<BTreeSet<_>>();
    assert_eq!(
        requests.iter().map(|request| targets(request)).collect::<Vec<_>>(),
        [shares.into_iter().collect(), [ASSET].into()]
    );
    let looked_up = script.lookups().concat();
    assert!(!looked_up.iter().any(is_pinned));
    assert_eq!(looked_up.iter().collect::<HashSet<_>>().len(), looked_up.len(), "each read is looked up once");
}

#[tokio::test]
async fn what_a_token_did_not_report_is_read_again_at_the_next_block() {
    let mut script = ScriptedChain::default();
    for token in [token(0), token(1)] {
        script.call(token, &Erc20::nameCall {}, "Name".to_owned()).call(token, &Erc20::symbolCall {}, "S".to_owned());
    }
    script.call(token(0), &Erc20::decimalsCall {}, U256::from(6));
    for block in 0..3 {
        let metadata = metadata(&script, [token(0), token(1)]).await;
        let decimals = [0, 1].map(|number| metadata.get(token(number)).unwrap().decimals);
        assert_eq!(decimals, [Some(6), None], "block {block}");
        script.next_block();
    }
    let requests = script.requests();
    assert_eq!(requests.len(), 3, "one for each block");
    for request in &requests[1..] {
        let own: Vec<_> = request.iter().filter(|read| is_pinned(read)).map(|read| (read.to, &read.data)).collect();
        let calls = [&SELECTORS[0], &SELECTORS[1], &SELECTORS[2]].map(|selector| Bytes::from_static(selector));
        assert_eq!(own, calls.iter().map(|call| (token(1), call)).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn what_is_derivation_itself_ends_and_what_goes_deeper_is_left() {
    let mut script = ScriptedChain::default();
    vault(&mut script, token(0), token(1));
    vault(&mut script, token(1), token(0));
    assert_eq!(metadata(&script, [token(0)]).await.iter().count(), 2);
    let mut script = ScriptedChain::default();
    (0..9).for_each(|number| vault(&mut script, token(number), token(number + 1)));
    let metadata = metadata(&script, [token(0)]).await;
    assert_eq!(metadata.iter().map(|(token, _)| token).collect::<Vec<_>>(), (0..5).map(token).collect::<Vec<_>>());
    assert_eq!(metadata.get(token(5)), Err(ReadFailure::Upstream));
}

#[tokio::test]
async fn the_tokens_of_every_requested_pair_are_known_however_many_go_deeper() {
    // A tree of pairs: each is made of two pairs, which are made of two tokens each.
    let (mut script, roots) = (ScriptedChain::default(), 3000);
    for number in 0..roots * 3 {
        pair(&mut script, token(number), [0, 1].map(|half| token(2 * number + half + roots)));
    }
    let metadata = metadata(&script, (0..roots).map(token)).await;
    for root in (0..roots).map(token) {
        let parts = metadata.get(root).unwrap().derivation.unwrap();
        assert!(parts.parts().iter().all(|part| metadata.get(*part).is_ok()));
    }
    assert_eq!(metadata.iter().count(), 3 * roots + PARTS_MAX);
}
