//! A document of a server that is no chain: read where the operator grants the host, and told where it is not.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

const ACCOUNT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const NOBODY: &str = "0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const HOST: &str = "merkle.example.org";
/// The claimable is as large as the document.
const DOCUMENT: &str = "{\"proof\":[\"0x11\"]}";

/// A copy of the host on loopback, which has a document of [`ACCOUNT`] alone; ends with the value.
struct Copy {
    address: SocketAddr,
    requested: Arc<Mutex<Vec<String>>>,
    _runtime: Runtime,
}

impl Copy {
    fn start() -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let (address, requested) = (listener.local_addr()?, Arc::default());
        let seen = Arc::clone(&requested);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let seen = Arc::clone(&seen);
                tokio::spawn(async move { serve(stream, &seen).await });
            }
        });
        Ok(Self { address, requested, _runtime: runtime })
    }

    fn requested(&self) -> Vec<String> {
        self.requested.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn serve(mut stream: TcpStream, requested: &Mutex<Vec<String>>) -> Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8(head)?;
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let (status, body) = if path == format!("/{ACCOUNT}") { (200, DOCUMENT) } else { (404, "") };
    requested.lock().unwrap_or_else(PoisonError::into_inner).push(path);
    let lines = "age: 61\r\ncache-control: max-age=600\r\nconnection: close";
    let length = body.len();
    let reply = format!("HTTP/1.1 {status} X\r\n{lines}\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(reply.as_bytes()).await?;
    Ok(())
}

fn start(chain: &Chain, config: &str) -> Gateway {
    let plugin = build::built().unwrap().plugin("libportolan_hostile.so");
    Setup::default().config(config).rpc("polygon", &chain.url).plugin(&plugin, &["reads_documents"]).start().unwrap()
}

/// Names of the claimables with their raw amounts, the header of what is missing, and the job's report.
fn answered(gateway: &Gateway, account: &str) -> (Vec<String>, Option<String>, Json) {
    let response = gateway.get(&format!("/reads_documents/{account}/claimables?detail=full")).unwrap();
    let json = response.json().unwrap();
    let text = |row: &Json| format!("{} {}", row.text_at("name").unwrap(), row.text_at("amountRaw").unwrap());
    let items = json.at("items").unwrap_or_else(|error| panic!("{error}: {}", response.body)).items().unwrap();
    let mut rows: Vec<String> = items.iter().map(text).collect();
    rows.sort();
    let partial = response.header("portolan-partial").map(str::to_owned);
    (rows, partial, json.at("report/jobs").unwrap().items().unwrap()[0].clone())
}

/// The declared host in the plugin's row.
fn shown(gateway: &Gateway) -> String {
    let rows = gateway.plugins().unwrap();
    let row = rows.iter().find(|row| row.text_at("state").unwrap() == "active").unwrap();
    row.at("hosts").unwrap().to_string()
}

#[test]
fn a_document_is_read_of_a_granted_host_and_missing_without_the_grant() {
    let chain = Chain::start("polygon").unwrap();
    let copy = Copy::start().unwrap();

    let denied = start(&chain, "[plugins.portolan-hostile]\nhosts = [\"other.example.org\"]");
    let (rows, partial, job) = answered(&denied, ACCOUNT);
    assert_eq!(rows, ["good 11"], "the rest stays");
    assert_eq!(partial.as_deref(), Some("reads_documents/polygon;reason=not-allowed"));
    let refusal = "merkle.example.org is not among the hosts that [plugins.portolan-hostile] grants";
    assert_eq!(job.text_at("detail").unwrap(), refusal);
    assert!(job.at("offChain").is_err(), "{job}");
    assert_eq!(shown(&denied), r#"[{"host":"merkle.example.org","granted":false,"mirrored":false}]"#);
    let log = denied.log();
    assert!(log.contains(refusal), "{log}");
    assert!(log.contains("other.example.org is granted, but the plugin does not declare it"), "{log}");
    drop(denied);

    let grant = format!(
        "[plugins.portolan-hostile]\nhosts = [\"{HOST}\"]\nmirrors = {{ \"{HOST}\" = \"http://{}\" }}",
        copy.address
    );
    let granted = start(&chain, &grant);
    for _ in 0..2 {
        let (rows, partial, job) = answered(&granted, ACCOUNT);
        assert_eq!((rows, partial), (vec![format!("documented {}", DOCUMENT.len()), "good 11".to_owned()], None));
        let off_chain = job.at("offChain").unwrap().items().unwrap();
        assert_eq!((off_chain.len(), off_chain[0].text_at("host").unwrap()), (1, HOST));
        let age: u64 = off_chain[0].at("ageSeconds").unwrap().to_string().parse().unwrap();
        assert!(age >= 61, "{job}");
    }
    let (rows, partial, _) = answered(&granted, NOBODY);
    assert_eq!((rows, partial), (vec!["good 11".to_owned()], None), "no document is an answer");
    assert_eq!(copy.requested(), [format!("/{ACCOUNT}"), format!("/{NOBODY}")], "the second time it is cached");
    assert_eq!(shown(&granted), r#"[{"host":"merkle.example.org","granted":true,"mirrored":true}]"#);
}
