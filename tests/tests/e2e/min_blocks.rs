//! Answers that are never older than what the client has seen.

use portolan_tests::http::Response;
use portolan_tests::problem;
use portolan_tests::world::World;

#[test]
fn a_newer_block_is_waited_for_and_an_answer_is_never_older() {
    let world = World::of(&["polygon", "optimism"]).unwrap();
    // A pin may take a quarter of it.
    let gateway = world.setup().unwrap().config("[answers]\ndeadline_ms = 40000").start().unwrap();
    let (polygon, optimism) = (&world.chain("polygon").unwrap().0, &world.chain("optimism").unwrap().0);
    let account = world.address("farmer").unwrap();
    let native = format!("/{account}/native-balance?network=polygon");
    let all = format!("/claimables/{account}?simulate=false");
    let get = |path: &str| -> Response { gateway.get(path).unwrap() };

    // What an answer said can be sent back as it is.
    let first = get(&all);
    assert_eq!(first.status.as_u16(), 200, "{}", first.body);
    let seen = first.header("portolan-blocks").unwrap().to_owned();
    let again = get(&format!("{all}&min-block={}", seen.replace(' ', "%20").replace('=', "%3D")));
    assert_eq!(again.status.as_u16(), 200, "{}", again.body);
    assert_eq!(again.header("portolan-partial"), None);

    // Another gateway has answered at a block that this one does not pin yet.
    for form in ["{N}", "polygon:{N}", "polygon={N}", "eip155:137:{N}", "optimism:0,polygon:{N}"] {
        get(&native);
        let newest = polygon.mine().unwrap();
        let response = get(&format!("{native}&min-block={}", form.replace("{N}", &newest.to_string())));
        assert_eq!(response.status.as_u16(), 200, "{form}: {}", response.body);
        assert_eq!(response.header("portolan-blocks"), Some(format!("polygon={newest}").as_str()), "{form}");
    }

    // A block that nobody has: the network is missing, and is never answered for at an older one.
    let ahead = polygon.newest().unwrap() + 100;
    let refusal = get(&format!("{native}&min-block={}", polygon.newest().unwrap() + 1));
    let detail = problem::detail(&refusal, 502, "upstream").unwrap();
    assert!(detail.contains("stale"), "{detail}");
    let partial = get(&format!("{all}&min-block=polygon:{ahead}"));
    assert_eq!(partial.status.as_u16(), 200, "{}", partial.body);
    assert_eq!(partial.header("portolan-partial"), Some("*/polygon;reason=stale"));
    assert_eq!(partial.header("portolan-blocks"), Some(format!("optimism={}", optimism.newest().unwrap()).as_str()));

    let several = get(&format!("{all}&min-block={ahead}"));
    let detail = problem::detail(&several, 400, "invalid-block").unwrap();
    assert!(detail.contains("min-block=") && detail.contains("names the network"), "{detail}");
}
