//! One network that fails in every way: the rest arrives before the deadline, and the answer names the loss.

use std::time::{Duration, Instant};

use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http::Response;
use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::rpc_fault::{self, Fault, RpcFault};
use portolan_tests::truth::{self, Call};
use portolan_tests::world::{Shared, World};

/// The deadline of answers; short, because each hanging case waits for it once or twice.
const DEADLINE: Duration = Duration::from_millis(2_500);
/// For the client, the scheduler and two busy cores.
const SLACK: Duration = Duration::from_millis(1_500);

static WORLD: Shared<World> = Shared::new();

fn configured(world: &World) -> Setup {
    with_deadline(world, DEADLINE)
}

fn with_deadline(world: &World, deadline: Duration) -> Setup {
    world.without_endpoints().unwrap().config(&format!("[answers]\ndeadline_ms = {}", deadline.as_millis()))
}

/// A gateway with the chains as endpoints, but for ethereum's.
fn gateway(world: &World, ethereum: &[&str]) -> Gateway {
    started(world, configured(world), ethereum)
}

fn started(world: &World, setup: Setup, ethereum: &[&str]) -> Gateway {
    let others = world.chains.iter().filter(|(_, truth)| truth.network != "ethereum");
    let setup = others.fold(setup, |setup, (chain, truth)| setup.rpc(&truth.network, &chain.url));
    ethereum.iter().fold(setup, |setup, url| setup.rpc("ethereum", url)).start().unwrap()
}

fn timely(gateway: &Gateway, path: &str) -> Response {
    let start = Instant::now();
    let response = gateway.get(path).unwrap();
    assert!(start.elapsed() < DEADLINE + SLACK, "{path} took {:?}: {response:?}", start.elapsed());
    response
}

/// Everything of the other networks is there, and the loss of ethereum is reported with its reason.
fn assert_rest(what: &str, world: &World, gateway: &Gateway, reason: &str) {
    let whale = world.address("whale").unwrap();
    let expected = |slug, call| -> Vec<Json> {
        let others = world.chains.iter().filter(|(_, truth)| truth.network != "ethereum");
        others.flat_map(|(_, truth)| truth.claimables("whale", slug, call).unwrap()).collect()
    };
    for (path, slug, call) in [
        (format!("/claimables/{whale}"), None, Call::Aggregate),
        (format!("/quickswap/{whale}/claimables"), Some("quickswap"), Call::Protocol),
    ] {
        let response = timely(gateway, &path);
        assert_eq!(response.status, 200, "{what}: {}", response.body);
        let reported = format!("*/ethereum;reason={reason}");
        assert_eq!(response.header("portolan-partial"), Some(reported.as_str()), "{what}: {}", gateway.log());
        let faults = truth::faults(&response.json().unwrap(), &expected(slug, call)).unwrap();
        assert!(faults.is_empty(), "{what}:\n{}", faults.join("\n"));
        let pins = response.header("portolan-blocks").unwrap();
        assert!(pins.contains("polygon=") && pins.contains("optimism="), "{what}: {pins}");
    }
}

fn assert_fault(fault: &Fault, reason: &str) {
    let world = WORLD.get(World::start).unwrap();
    let before = RpcFault::before(&world.chain("ethereum").unwrap().0.url).unwrap();
    before.set(fault.clone());
    assert_rest(&format!("{fault:?}"), &world, &gateway(&world, &[&before.url()]), reason);
    assert!(before.requests() > 0, "the failing endpoint got no request");
}

#[test]
fn an_endpoint_that_refuses_connections_is_upstream() {
    let world = WORLD.get(World::start).unwrap();
    assert_rest("refused", &world, &gateway(&world, &[&rpc_fault::refusing().unwrap()]), "upstream");
}

#[test]
fn an_endpoint_that_closes_connections_is_upstream() {
    assert_fault(&Fault::Close, "upstream");
}

#[test]
fn an_endpoint_that_hangs_is_a_timeout() {
    assert_fault(&Fault::Hold, "timeout");
}

#[test]
fn an_endpoint_that_answers_garbage_is_upstream() {
    assert_fault(&Fault::Garbage, "upstream");
}

#[test]
fn an_endpoint_that_answers_in_another_shape_is_upstream() {
    assert_fault(&Fault::WrongShape, "upstream");
}

#[test]
fn an_endpoint_that_answers_http_errors_is_upstream() {
    assert_fault(&Fault::Status(500), "upstream");
    assert_fault(&Fault::Status(429), "upstream");
}

#[test]
fn an_endpoint_that_answers_rpc_errors_is_upstream() {
    assert_fault(&Fault::Error(-32_005), "upstream");
}

#[test]
fn an_endpoint_of_another_chain_is_never_used() {
    assert_fault(&Fault::ChainId(5), "wrong-chain");
}

#[test]
fn a_network_that_fails_after_it_was_good_is_named_and_comes_back() {
    let world = WORLD.get(World::start).unwrap();
    let before = RpcFault::before(&world.chain("ethereum").unwrap().0.url).unwrap();
    let gateway = gateway(&world, &[&before.url()]);
    // Another account than that whose reads are to fail: what was read at a block is kept for a while.
    let path = format!("/claimables/{}", world.address("farmer").unwrap());
    let whole = timely(&gateway, &path);
    assert_eq!(whole.header("portolan-partial"), None, "{whole:?}");
    before.set(Fault::Garbage);
    assert_rest("afterwards", &world, &gateway, "upstream");
    before.set(Fault::None);
    let back = || {
        let response = gateway.get(&path)?;
        anyhow::ensure!(response.header("portolan-partial").is_none(), "{:?}", response.headers);
        Ok::<_, anyhow::Error>(response.body)
    };
    let (body, _) = portolan_tests::wait::until("the network's return", Duration::from_secs(20), back).unwrap();
    assert_eq!(body, whole.body);
}

#[test]
fn a_second_endpoint_takes_over() {
    let world = WORLD.get(World::start).unwrap();
    let (good, _) = world.chain("ethereum").unwrap();
    let path = format!("/claimables/{}", world.address("farmer").unwrap());
    let expected = world.claimables("farmer", None, Call::Aggregate).unwrap();
    for fault in
        [Fault::Close, Fault::Hold, Fault::Garbage, Fault::Status(503), Fault::Error(-32_000), Fault::ChainId(5)]
    {
        let before = RpcFault::before(&good.url).unwrap();
        before.set(fault.clone());
        // Time enough for the second endpoint on a busy machine, whatever the first one cost.
        let setup = with_deadline(&world, 4 * DEADLINE);
        let response = started(&world, setup, &[&before.url(), &good.url]).get(&path).unwrap();
        assert_eq!(response.header("portolan-partial"), None, "{fault:?}: {}", response.body);
        let faults = truth::faults(&response.json().unwrap(), &expected).unwrap();
        assert!(faults.is_empty(), "{fault:?}:\n{}", faults.join("\n"));
        assert!(before.requests() > 0, "{fault:?}: the first endpoint got no request");
    }
}

#[test]
fn when_every_network_is_gone_the_answer_is_a_problem() {
    let world = WORLD.get(World::start).unwrap();
    let whale = world.address("whale").unwrap();
    for (fault, status, name) in
        [(Fault::Close, 502, "upstream"), (Fault::Garbage, 502, "upstream"), (Fault::Hold, 504, "deadline")]
    {
        let endpoints: Vec<RpcFault> =
            world.chains.iter().map(|(chain, _)| RpcFault::before(&chain.url).unwrap()).collect();
        let pairs = world.chains.iter().zip(&endpoints);
        let setup = pairs.fold(configured(&world), |setup, ((_, truth), rpc)| setup.rpc(&truth.network, &rpc.url()));
        let gateway = setup.start().unwrap();
        endpoints.iter().for_each(|endpoint| endpoint.set(fault.clone()));
        for path in [
            format!("/claimables/{whale}"),
            format!("/quickswap/{whale}/claimables"),
            format!("/quickswap/farming/{whale}/positions"),
        ] {
            let response = timely(&gateway, &path);
            let detail =
                problem::detail(&response, status, name).unwrap_or_else(|error| panic!("{fault:?} {path}: {error:#}"));
            assert!(!detail.contains("127.0.0.1"), "{detail}");
        }
    }
}
