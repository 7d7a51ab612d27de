//! A price service on loopback with scripted answers, which records its requests.

use std::net::SocketAddr;
use std::sync::Arc;

use alloy::primitives::Address;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

use super::*;

/// The answer to a request.
#[derive(Clone, Debug)]
pub(in crate::price) enum ServiceAnswer {
    Body(String),
    Raw(Vec<u8>),
    /// No answer until [`Service::release`], then the body.
    Late(String),
    /// The connection is closed without an answer.
    Close,
}

#[derive(Debug)]
pub(in crate::price) struct Service {
    pub(in crate::price) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    release: Arc<Notify>,
}

impl Service {
    pub(in crate::price) async fn start(answer: ServiceAnswer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let service =
            Self { address: listener.local_addr().unwrap(), requests: Arc::default(), release: Arc::default() };
        let (requests, release) = (Arc::clone(&service.requests), Arc::clone(&service.release));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answer.clone(), Arc::clone(&requests), Arc::clone(&release)));
            }
        });
        service
    }

    pub(in crate::price) fn base(&self) -> BaseUrl {
        BaseUrl::parse(&format!("http://{}/key", self.address), false).unwrap()
    }

    /// The targets of all connections so far; empty for one that sent no request.
    pub(in crate::price) fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }

    pub(in crate::price) fn release(&self) {
        self.release.notify_one();
    }
}

async fn serve(mut stream: TcpStream, answer: ServiceAnswer, requests: Arc<Mutex<Vec<String>>>, release: Arc<Notify>) {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && matches!(stream.read(&mut byte).await, Ok(1)) {
        request.push(byte[0]);
    }
    let target = String::from_utf8_lossy(&request).split(' ').nth(1).unwrap_or_default().to_owned();
    requests.lock().push(target);
    let bytes = match answer {
        ServiceAnswer::Body(body) => ok(&body),
        ServiceAnswer::Raw(bytes) => bytes,
        ServiceAnswer::Late(body) => {
            release.notified().await;
            ok(&body)
        }
        ServiceAnswer::Close => return,
    };
    // The client may have closed the connection, as it should if the body is too large.
    let _ = stream.write_all(&bytes).await;
}

fn ok(body: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()).into_bytes()
}

/// A body with these coins of Ethereum, each with its price as JSON.
pub(in crate::price) fn body(coins: &[(Address, &str)]) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let coin = |(token, price): &(Address, &str)| {
        format!("\"ethereum:{token:#x}\":{{\"decimals\":18,\"price\":{price},\"symbol\":\"X\",\"timestamp\":{now}}}")
    };
    format!("{{\"coins\":{{{}}}}}", coins.iter().map(coin).collect::<Vec<_>>().join(","))
}
