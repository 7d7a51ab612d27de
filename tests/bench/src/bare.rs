//! Requests that were made before, sent over bare connections: what is left is the way and the node, so no client that
//! sends these requests is faster.

use std::net::SocketAddr;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use bytes::Bytes;
use futures_util::future::try_join_all;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{CONTENT_TYPE, HOST};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};

use super::meter::ms;

/// Warm connections to one address, one for each request that is under way.
#[derive(Debug)]
pub(super) struct Bare {
    address: SocketAddr,
    connections: Vec<SendRequest<Full<Bytes>>>,
    runtime: Runtime,
}

impl Bare {
    pub(super) fn new(url: &str) -> Result<Self> {
        let address = url.strip_prefix("http://").context("no http URL")?.parse()?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self { address, connections: Vec::new(), runtime })
    }

    /// Sends all of them at once; the milliseconds until the last reply is there.
    pub(super) fn send(&mut self, bodies: &[Bytes]) -> Result<f64> {
        let Self { address, connections, runtime } = self;
        runtime.block_on(async {
            while connections.len() < bodies.len() {
                connections.push(connect(*address).await?);
            }
            let began = Instant::now();
            let replies = try_join_all(connections.iter_mut().zip(bodies).map(|(to, body)| post(to, body))).await?;
            let took = ms(began.elapsed());
            for reply in replies {
                let reply: Value = serde_json::from_slice(&reply)?;
                ensure!(reply["result"].is_string(), "a request that was answered before came to {reply}");
            }
            Ok(took)
        })
    }
}

async fn connect(to: SocketAddr) -> Result<SendRequest<Full<Bytes>>> {
    let stream = TcpStream::connect(to).await?;
    stream.set_nodelay(true)?;
    let (sender, connection) = handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender)
}

async fn post(to: &mut SendRequest<Full<Bytes>>, body: &Bytes) -> Result<Bytes> {
    let request = Request::post("/").header(HOST, "127.0.0.1").header(CONTENT_TYPE, "application/json");
    to.ready().await?;
    let reply = to.send_request(request.body(Full::new(body.clone()))?).await?;
    Ok(reply.into_body().collect().await?.to_bytes())
}
