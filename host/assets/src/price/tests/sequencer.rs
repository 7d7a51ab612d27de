//! Feeds of networks with a sequencer.

use super::*;

const UPTIME: Address = alloy::primitives::address!("371ead81c9102c9bf4874a9075ffff170f2ee389");

fn uptime(script: &mut ScriptedChain, answer: i64, up_s: u64) {
    let at = U256::from(BLOCK.timestamp - up_s);
    let round = (U256::from(1), I256::try_from(answer).unwrap(), at, at, U256::from(1));
    script.call(UPTIME, &Aggregator::latestRoundDataCall {}, round);
}

/// The prices of A and B on Optimism.
async fn on_optimism(script: &ScriptedChain) -> HashMap<Address, Price> {
    let networks = Networks::new([]);
    let network = networks.named("optimism").unwrap();
    let feeds =
        [(A, FEED_A), (B, FEED_B)].map(|(token, address)| (10, token, Feed { address, heartbeat_s: HEARTBEAT_S }));
    let prices = Prices::new(PriceSettings { feeds: feeds.to_vec(), ..PriceSettings::default() });
    let session = script.session(Instant::now() + Duration::from_secs(60));
    let index = TokenIndex::default();
    let issuers = Issuers::new(10, None, &index);
    let tokens = [A, B].into();
    let metadata = MetadataSet::read(&session, network, Some(&prices.prefetch(network, &issuers)), &tokens).await;
    prices.resolve(&session, network, &issuers, &metadata, &HashMap::new(), Vec::new()).await.0
}

#[tokio::test]
async fn a_feed_counts_only_while_the_sequencer_runs_and_an_hour_after_it_came_back() {
    for (answer, up_s, prices) in [(0, 3601, 2), (0, 3600, 0), (0, 0, 0), (1, 3601, 0)] {
        let (mut script, _) = two_tokens();
        uptime(&mut script, answer, up_s);
        assert_eq!(on_optimism(&script).await.len(), prices, "{answer} for {up_s} s");
    }
    let (script, _) = two_tokens();
    assert!(on_optimism(&script).await.is_empty(), "nobody knows whether it runs");
}

#[tokio::test]
async fn the_sequencer_is_one_read_more_for_all_tokens() {
    let (mut script, _) = two_tokens();
    uptime(&mut script, 0, 86_400);
    on_optimism(&script).await;
    script.next_block();
    let before = script.requests().len();
    on_optimism(&script).await;
    let requests = script.requests();
    let reads: Vec<usize> = requests[before..].iter().map(Vec::len).collect();
    assert_eq!(reads, [3], "two feeds, and whether the sequencer runs");
}
