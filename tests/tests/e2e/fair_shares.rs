//! A client that asks for as much as it can leaves others their share: requests to nodes, and answers under way.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use portolan_tests::chain::Chain;
use portolan_tests::crowd::request;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::http;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::wait;
use tokio::runtime::Builder;

const STRANGER: u8 = 1;
/// The time that requests get to be on their way before the measurement.
const ON_THE_WAY: Duration = Duration::from_secs(1);

struct Fixture {
    gateway: Gateway,
    rpc: RpcFault,
    _chain: Chain,
}

impl Fixture {
    fn start(config: &str) -> Self {
        let chain = Chain::bare(1).unwrap();
        chain.rpc("anvil_mine", serde_json::json!(["0x4"])).unwrap();
        let rpc = RpcFault::before(&chain.url).unwrap();
        let gateway = Setup::default().config(config).rpc("ethereum", &rpc.url()).start().unwrap();
        Self { gateway, rpc, _chain: chain }
    }

    /// The answer to the stranger, from its head on.
    fn answer_to_stranger(&self, path: &str) -> String {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let answer = runtime.block_on(request(STRANGER, self.gateway.base, "GET", path));
        String::from_utf8_lossy(&answer).into_owned()
    }
}

fn balance(of: u32) -> String {
    format!("/0x{of:040x}/native-balance?network=ETHEREUM")
}

#[test]
fn a_stranger_has_half_of_an_endpoints_rate_beside_another() {
    /// A transaction takes two of them: itself and its receipt in a batch, and the chain's id.
    const PER_SECOND_MAX: f64 = 40.0;
    const EACH: f64 = 2.0;
    const ANSWERS: u32 = 30;
    let fixture = Fixture::start(&format!("[rpc]\nper_second_max = {PER_SECOND_MAX}"));
    let (over, hashes) = (AtomicBool::new(false), AtomicU32::new(1));
    assert_eq!(fixture.gateway.get(&balance(1)).unwrap().status, 200);
    let (before, began) = (fixture.rpc.requested("batch"), Instant::now());
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    let hash = hashes.fetch_add(1, Ordering::Relaxed);
                    fixture.answer_to_stranger(&format!("/events/decode/0x{hash:064x}?network=ETHEREUM"));
                }
            });
        }
        for account in 2..2 + ANSWERS {
            let answer = fixture.gateway.get(&balance(account)).unwrap();
            assert_eq!((answer.status.as_u16(), answer.header("portolan-partial")), (200, None), "{}", answer.body);
            thread::park_timeout(Duration::from_millis(200));
        }
        over.store(true, Ordering::Relaxed);
    });
    // Half of the rate, after a burst of a second's worth.
    let looked_up = fixture.rpc.requested("batch") - before;
    let most = PER_SECOND_MAX / 2.0 / EACH * (began.elapsed() + ON_THE_WAY).as_secs_f64();
    let looked_up = f64::from(u32::try_from(looked_up).unwrap());
    assert!(looked_up <= most, "{looked_up} transactions in {:?}, more than {most}", began.elapsed());
    assert!(looked_up >= PER_SECOND_MAX / 2.0 / EACH, "the stranger has its half: {looked_up}");
}

#[test]
fn a_stranger_leaves_answers_to_another() {
    let fixture = Fixture::start("[answers]\nin_flight_max = 4");
    let refused = AtomicU32::new(0);
    fixture.rpc.set(Fault::Hold);
    thread::scope(|scope| {
        let ask = |account| {
            let (fixture, refused) = (&fixture, &refused);
            scope.spawn(move || {
                let answer = fixture.answer_to_stranger(&balance(account));
                if answer.starts_with("HTTP/1.1 503 ") {
                    refused.fetch_add(1, Ordering::Relaxed);
                } else {
                    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
                }
            })
        };
        let strangers: Vec<_> = (10..18).map(ask).collect();
        // Three of four; a quarter is left.
        let five = || match refused.load(Ordering::Relaxed) {
            5 => Ok(()),
            others => Err(format!("{others} are refused")),
        };
        wait::until("five refusals", Duration::from_secs(5), five).unwrap();
        let base = fixture.gateway.base;
        let other = scope.spawn(move || http::get(base, &balance(1)));
        let admitted = || {
            let figures = fixture.gateway.operate("/metrics").map_err(|error| error.to_string())?.body;
            let is_admitted = figures.lines().any(|line| line == "portolan_answers_in_flight 4");
            is_admitted.then_some(()).ok_or("fewer than four answers are under way".to_owned())
        };
        wait::until("the other's answer under way", Duration::from_secs(5), admitted).unwrap();
        fixture.rpc.set(Fault::None);
        assert_eq!(other.join().unwrap().unwrap().status, 200);
        strangers.into_iter().for_each(|stranger| stranger.join().unwrap());
    });
    assert_eq!(refused.into_inner(), 5);
}
