//! Answers at blocks that a client names are those that were recorded when each was the newest.

use std::collections::BTreeSet;
use std::time::{Duration, UNIX_EPOCH};

use portolan_tests::chain::{Chain, quantity};
use portolan_tests::gateway::Gateway;
use portolan_tests::json::Json;
use portolan_tests::rpc_fault::{Flaws, RpcFault};
use portolan_tests::wait;
use portolan_tests::world::World;
use serde_json::{Value, json};

const SEEN_WITHIN: Duration = Duration::from_secs(10);
const BLOCKS: usize = 10;
/// It has no tokens anywhere.
const SENDER: &str = "0x00000000000000000000000000000000000acc08";

/// A block, and what was answered when it was the newest.
struct Recorded {
    number: u64,
    hash: String,
    timestamp: u64,
    bodies: Vec<String>,
}

fn head(chain: &Chain) -> (u64, String, u64) {
    let block = chain.block("latest").unwrap();
    let number = |name: &str| quantity(&block[name]).unwrap();
    (number("number"), block["hash"].as_str().unwrap().to_owned(), number("timestamp"))
}

fn paths(account: &str) -> Vec<String> {
    let paths = [
        "/quickswap/{A}/claimables?simulate=true",
        "/quickswap/farming/{A}/positions?",
        "/claimables/{A}?include=quickswap",
        "/positions/{A}?network=polygon",
        "/{A}/native-balance?network=polygon",
        "/balance/{A}/token-balances?network=polygon",
        "/{A}/claim-plan?network=polygon&include=quickswap",
        "/{A}/approvals?network=polygon",
    ];
    paths.into_iter().map(|path| path.replace("{A}", account)).collect()
}

/// Bodies at this block, which each of them names as its only one.
fn bodies(gateway: &Gateway, account: &str, search: &str, number: u64) -> Result<Vec<String>, String> {
    let mut bodies = Vec::new();
    for path in paths(account) {
        let response = gateway.get(&format!("{path}{search}")).unwrap();
        assert_eq!(response.status.as_u16(), 200, "{path}{search}: {}\n{}", response.body, gateway.log());
        let blocks = response.header("portolan-blocks").unwrap_or_default();
        if blocks != format!("polygon={number}") {
            return Err(format!("{path}{search} is at {blocks}, not at {number}"));
        }
        assert_eq!(response.header("portolan-partial"), None, "{path}{search}: {}", response.body);
        bodies.push(response.body);
    }
    Ok(bodies)
}

fn record(gateway: &Gateway, chain: &Chain, account: &str) -> Recorded {
    let (number, hash, timestamp) = head(chain);
    let look = || bodies(gateway, account, "", number);
    let (bodies, _) = wait::until("the newest block", SEEN_WITHIN, look).unwrap();
    Recorded { number, hash, timestamp, bodies }
}

fn rfc3339(unix_s: u64) -> String {
    humantime::format_rfc3339_seconds(UNIX_EPOCH + Duration::from_secs(unix_s)).to_string()
}

/// The account claims once, gets native tokens, and time goes by.
fn step(chain: &Chain, gateway: &Gateway, account: &str, number: usize) {
    let send = |transaction: Value| assert_eq!(chain.send(&transaction).unwrap()["status"], "0x1");
    match number {
        3 => {
            // Whoever sends gets a balance in the newest block, which was recorded.
            chain.rpc("evm_mine", json!([])).unwrap();
            let body = gateway.get(&format!("/quickswap/{account}/claimables")).unwrap().json().unwrap();
            let claim = body.items().unwrap()[0].at("claimTransaction").unwrap().clone();
            let [to, data] = ["to", "data"].map(|name| claim.text_at(name).unwrap().to_owned());
            send(json!({"from": account, "to": to, "data": data}));
            chain.rpc("anvil_setBalance", json!([account, "0xde0b6b3a7640000"])).unwrap();
        }
        _ => send(json!({"from": SENDER, "to": account, "value": format!("{:#x}", 1_000 + number)})),
    }
    chain.rpc("evm_increaseTime", json!([3_600])).unwrap();
    chain.rpc("evm_mine", json!([])).unwrap();
}

#[test]
fn answers_at_ten_old_blocks_are_those_that_were_recorded() {
    let world = World::of(&["polygon"]).unwrap();
    let (chain, account) = (&world.chains[0].0, world.address("farmer").unwrap());
    let rpc = RpcFault::before(&chain.url).unwrap();
    let serve = || world.without_endpoints().unwrap().rpc("polygon", &rpc.url()).start().unwrap();
    let gateway = serve();
    let mut recorded: Vec<Recorded> = Vec::new();
    for number in 0..BLOCKS {
        step(chain, &gateway, account, number);
        recorded.push(record(&gateway, chain, account));
    }
    let different: BTreeSet<&Vec<String>> = recorded.iter().map(|one| &one.bodies).collect();
    assert_eq!(different.len(), BLOCKS, "every block has answers of its own");

    // With all that the first one knows, and with nothing.
    for gateway in [&gateway, &serve()] {
        for Recorded { number, hash, timestamp, bodies: expected } in recorded.iter().rev() {
            let names = [number.to_string(), hash.clone(), format!("polygon:{number}"), rfc3339(*timestamp)];
            for name in &names {
                let answered = bodies(gateway, account, &format!("&block={name}"), *number).unwrap();
                for ((answered, expected), path) in answered.iter().zip(expected).zip(paths(account)) {
                    assert_eq!(answered, expected, "{path}&block={name}");
                }
            }
        }
        // An hour went by before the block.
        let Recorded { number, timestamp, .. } = &recorded[BLOCKS / 2];
        let before = format!("/{account}/native-balance?network=polygon&block={}", rfc3339(timestamp - 1));
        let response = gateway.get(&before).unwrap();
        assert_eq!(response.header("portolan-blocks"), Some(format!("polygon={}", number - 1).as_str()));
        let (newest, _, _) = head(chain);
        assert_eq!(&bodies(gateway, account, "", newest).unwrap(), &recorded.last().unwrap().bodies, "and now");
    }

    // A node that has only the last states says so; one beside it that has all of them is enough.
    let (old, native) = (&recorded[0], format!("/{account}/native-balance?network=polygon"));
    rpc.flawed(Flaws { prunes: Some(4), ..Flaws::default() });
    let pruned = serve();
    assert_problem(&pruned, &format!("{native}&block={}", old.number), 502, "state-unavailable");
    assert_problem(
        &pruned,
        &format!("/positions/{account}?network=polygon&block={}", old.number),
        502,
        "state-unavailable",
    );
    assert_eq!(pruned.get(&native).unwrap().status.as_u16(), 200);
    let both =
        world.without_endpoints().unwrap().rpc("polygon", &rpc.url()).rpc("polygon", &chain.url).start().unwrap();
    assert_eq!(bodies(&both, account, &format!("&block={}", old.number), old.number).unwrap(), old.bodies);
}

fn assert_problem(gateway: &Gateway, path: &str, status: u16, name: &str) {
    let response = gateway.get(path).unwrap();
    assert_eq!(response.status.as_u16(), status, "{path}: {}", response.body);
    let document: Json = response.json().unwrap();
    assert_eq!(document.text_at("type").unwrap(), format!("urn:portolan:problem:{name}"), "{path}");
}

#[test]
fn blocks_that_nobody_has_and_wrong_names_of_blocks_are_problems() {
    let world = World::of(&["polygon", "optimism"]).unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let account = world.address("farmer").unwrap();
    let native = format!("/{account}/native-balance?network=polygon");
    let nobody = "0x".to_owned() + &"ab".repeat(32);
    for name in ["1000000000", &nobody, "1970-01-01T00:00:00Z"] {
        assert_problem(&gateway, &format!("{native}&block={name}"), 404, "unknown-block");
    }
    for name in ["", "soon", "0x12", "2999-01-01T00:00:00Z", "optimism:1", "polygon:1,polygon:2"] {
        assert_problem(&gateway, &format!("{native}&block={name}"), 400, "invalid-block");
    }
    assert_problem(&gateway, &format!("{native}&block=atlantis:1"), 400, "invalid-network");
    assert_problem(&gateway, &format!("/claimables/{account}?block=5"), 400, "invalid-block");
    // Of two networks one has no such block.
    let (number, ..) = head(&world.chain("optimism").unwrap().0);
    let path = format!("/claimables/{account}?block=polygon:1000000000,optimism:{number}");
    let response = gateway.get(&path).unwrap();
    assert_eq!(response.status.as_u16(), 200, "{}", response.body);
    assert_eq!(response.header("portolan-blocks"), Some(format!("optimism={number}").as_str()));
    assert_eq!(response.header("portolan-partial"), Some("*/polygon;reason=unknown-block"));
    let rows = response.json().unwrap();
    let networks: BTreeSet<&str> =
        rows.items().unwrap().iter().map(|row| row.text_at("network/name").unwrap()).collect();
    assert_eq!(networks, BTreeSet::from(["OPTIMISM"]));
    let polygon = &world.chain("polygon").unwrap().0;
    polygon.rpc("anvil_mine", json!(["0x64"])).unwrap();
    for tag in ["safe", "finalized"] {
        let block = polygon.block(tag).unwrap();
        let response = gateway.get(&format!("{native}&block={tag}")).unwrap();
        assert_eq!(response.status.as_u16(), 200, "{}", response.body);
        let expected = format!("polygon={}", quantity(&block["number"]).unwrap());
        assert_eq!(response.header("portolan-blocks"), Some(expected.as_str()), "{tag}");
    }
}
