//! Accounts that are named by ENS names, some of which lead nowhere.

use std::sync::Arc;

use anyhow::Result;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::problem;
use portolan_tests::rpc_fault::{Fault, RpcFault};
use portolan_tests::world::Shared;

use super::{parts, text};

const NOBODY: &str = "0x00000000000000000000000000000000000acc08";
const NOT_FOUND: &str = "names/ethereum;reason=name-not-found";

struct Fixture {
    chain: Chain,
    gateway: Gateway,
    /// The account of alice.eth.
    alice: String,
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::start("names")?;
        let alice = Json::parse(&chain.expected.to_string())?.text_at("accounts/farmer/address")?.to_owned();
        Ok(Self { gateway: Setup::default().rpc("ethereum", &chain.url).start()?, chain, alice })
    }
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

/// Account, names and partial of a part.
fn shown(part: &Json) -> (Option<String>, Vec<String>, Option<String>) {
    let names = part.get("names").map(|names| names.items().unwrap()).unwrap_or_default();
    let names = names.iter().map(|name| name.to_string().replace('"', "")).collect();
    (text(part, "account").map(str::to_owned), names, text(part, "partial").map(str::to_owned))
}

#[test]
fn a_name_that_leads_nowhere_is_missing_and_all_other_accounts_are_answered() {
    let fixture = fixture();
    let alice = &fixture.alice;
    for (path, empty) in [("claimables", "[]"), ("positions", "[]")] {
        let search = format!("accounts={NOBODY},alice.eth,nobody.eth,{alice},ALICE.eth");
        let response = fixture.gateway.get(&format!("/{path}?{search}")).unwrap();
        let parts = parts(&response);
        let expected = [
            (Some(NOBODY.to_owned()), vec![], None),
            (Some(alice.clone()), vec!["alice.eth".to_owned()], None),
            (None, vec!["nobody.eth".to_owned()], Some(NOT_FOUND.to_owned())),
        ];
        assert_eq!(parts.iter().map(shown).collect::<Vec<_>>(), expected, "{path}");
        let own = |part: &Json| {
            let answer = part.at("answer").unwrap();
            answer.get("protocols").unwrap_or(answer).to_string()
        };
        assert_eq!(parts.iter().map(own).collect::<Vec<_>>(), [empty, empty, "null"], "{path}");
        assert_eq!(response.header("portolan-partial"), Some(NOT_FOUND));
        assert_eq!(response.header("portolan-account"), None);
        assert!(response.header("portolan-blocks").unwrap().starts_with("ethereum="));
    }
}

#[test]
fn names_that_all_lead_nowhere_are_a_problem() {
    let fixture = fixture();
    let response = fixture.gateway.get("/claimables?accounts=nobody.eth,norecord.eth").unwrap();
    let detail = problem::detail(&response, 404, "name-not-found").unwrap();
    assert!(detail.starts_with("nobody.eth: "), "{detail}");
    let invalid = fixture.gateway.get("/claimables?accounts=alice.eth,a_b.eth").unwrap();
    problem::detail(&invalid, 400, "invalid-name").unwrap();
}

#[test]
fn a_name_leads_to_its_present_account_also_at_an_older_block() {
    let fixture = fixture();
    let response = fixture.gateway.get("/claimables?accounts=alice.eth&network=ethereum&block=0").unwrap();
    let parts = parts(&response);
    assert_eq!(text(&parts[0], "account"), Some(fixture.alice.as_str()), "{}", response.body);
    assert_eq!(text(&parts[0], "partial"), None);
}

#[test]
fn a_name_that_cannot_be_read_says_why_beside_accounts_that_can_be() {
    let fixture = fixture();
    let before = RpcFault::before(&fixture.chain.url).unwrap();
    before.set(Fault::Status(500));
    let gateway = Setup::default().rpc("ethereum", &before.url()).listening().unwrap();
    let response = gateway.get(&format!("/claimables?accounts=alice.eth,{NOBODY}")).unwrap();
    let parts = parts(&response);
    assert_eq!(
        shown(&parts[0]),
        (None, vec!["alice.eth".to_owned()], Some("names/ethereum;reason=upstream".to_owned()))
    );
    assert_eq!(text(&parts[1], "account"), Some(NOBODY));
    let alone = gateway.get("/claimables?accounts=alice.eth").unwrap();
    problem::detail(&alone, 502, "upstream").unwrap();
}
