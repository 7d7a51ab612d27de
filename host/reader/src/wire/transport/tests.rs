//! Real TLS with a node on loopback that has a certificate of its own.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::future::join_all;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Response, Version};
use hyper_util::rt::TokioIo;
use hyper_util::server::conn::auto;
use rcgen::CertifiedKey;
use rustls::pki_types::PrivateKeyDer;
use rustls::{RootCertStore, ServerConfig};
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;

use super::*;

const PATIENCE: Duration = Duration::from_secs(20);

/// A node that replies with the HTTP version and the body of each request.
struct TlsNode {
    url: String,
    certificate: rustls::pki_types::CertificateDer<'static>,
    connections: Arc<AtomicUsize>,
}

impl TlsNode {
    async fn speaking(protocols: &[&[u8]]) -> Self {
        let CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
        let certificate = cert.der().clone();
        let key = PrivateKeyDer::Pkcs8(signing_key.serialize_der().into());
        let mut tls =
            ServerConfig::builder().with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
        tls.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let acceptor = TlsAcceptor::from(Arc::new(tls));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://127.0.0.1:{}/", listener.local_addr().unwrap().port());
        let connections = Arc::new(AtomicUsize::new(0));
        let made = Arc::clone(&connections);
        tokio::spawn(async move {
            loop {
                let (tcp, _) = listener.accept().await.unwrap();
                let (acceptor, made) = (acceptor.clone(), Arc::clone(&made));
                tokio::spawn(async move {
                    // A client that does not trust the certificate goes away here.
                    let Ok(stream) = acceptor.accept(tcp).await else { return };
                    made.fetch_add(1, Ordering::SeqCst);
                    let server = auto::Builder::new(TokioExecutor::new());
                    let _ = server.serve_connection(TokioIo::new(stream), service_fn(echo)).await;
                });
            }
        });
        Self { url, certificate, connections }
    }

    fn client(&self) -> EndpointClient {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        EndpointClient::new(Pool::trusting(roots), &self.url.parse().unwrap())
    }
}

async fn echo(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let version = request.version();
    let body = request.into_body().collect().await.unwrap().to_bytes();
    Ok(Response::new(Full::from([format!("{version:?} ").as_bytes(), &body].concat())))
}

async fn post(client: &EndpointClient, body: &str) -> Result<String, RequestError> {
    let reply = timeout(PATIENCE, client.post(body.into())).await.unwrap()?;
    Ok(String::from_utf8(reply.body.to_vec()).unwrap())
}

#[tokio::test]
async fn the_better_http_version_is_taken_and_its_connection_kept() {
    for (protocols, version) in [
        (&[b"h2".as_slice(), b"http/1.1"][..], Version::HTTP_2),
        (&[b"http/1.1"], Version::HTTP_11),
        (&[], Version::HTTP_11),
    ] {
        let node = TlsNode::speaking(protocols).await;
        let client = node.client();
        for body in ["one", "two", "three"] {
            assert_eq!(post(&client, body).await, Ok(format!("{version:?} {body}")), "{protocols:?}");
        }
        assert_eq!(node.connections.load(Ordering::SeqCst), 1, "{protocols:?}");
    }
}

#[tokio::test]
async fn requests_share_one_warm_connection_over_http_2() {
    let node = TlsNode::speaking(&[b"h2"]).await;
    let client = node.client();
    assert_eq!(post(&client, "warm").await.as_deref(), Ok("HTTP/2.0 warm"));
    let all = join_all((0..50).map(|_| post(&client, "x"))).await;
    assert!(all.iter().all(|reply| reply.as_deref() == Ok("HTTP/2.0 x")), "{all:?}");
    assert_eq!(node.connections.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_self_signed_certificate_is_not_trusted() {
    let node = TlsNode::speaking(&[b"h2"]).await;
    let client = EndpointClient::new(Pool::default(), &node.url.parse().unwrap());
    assert_eq!(post(&client, "x").await, Err(EndpointError::Unreachable.into()));
    assert_eq!(node.connections.load(Ordering::SeqCst), 0);
}
