//! Keys of endpoints: what a running gateway shows of them to other processes of its user.

use std::fs;
use std::io::ErrorKind;

use portolan_tests::chain::Chain;
use portolan_tests::gateway::Setup;

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const KEY: &str = "s3cretkey";

#[test]
fn an_endpoint_of_the_environment_is_used_and_stands_there_no_more() {
    let chain = Chain::start("polygon").unwrap();
    let url = format!("{}/?{KEY}", chain.url);
    let gateway = Setup::default().variable("PORTOLAN_RPC_POLYGON", &url).start().unwrap();
    let balance = gateway.get(&format!("/{ACCOUNT}/native-balance?network=polygon")).unwrap();
    assert_eq!(balance.status, 200, "{}", balance.body);
    for name in ["environ", "cmdline"] {
        match fs::read(format!("/proc/{}/{name}", gateway.process())) {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                assert!(!text.contains(KEY) && !text.contains("PORTOLAN_RPC_POLYGON"), "{name}: {text}");
            }
            // Whoever is not root may not even look.
            Err(error) => assert_eq!((name, error.kind()), ("environ", ErrorKind::PermissionDenied)),
        }
    }
    // The file in memory that handed it over is empty.
    if let Ok(left) = fs::read(format!("/proc/{}/fd/0", gateway.process())) {
        assert!(left.is_empty(), "{}", String::from_utf8_lossy(&left));
    }
}
