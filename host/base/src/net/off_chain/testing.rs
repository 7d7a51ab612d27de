//! A server of documents on loopback, for tests: good, slow, endless or closed.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::hosts::{HostGrants, Mirror};

/// The host that [`Server::grants`] grants.
pub const HOST: &str = "merkle.example.org";

/// The server's answer to a connection.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Status, further head lines with their ends, and body.
    Full(u16, &'static str, Vec<u8>),
    /// A head without length, and a body without end.
    Endless,
    /// A byte now and then, and never the last one.
    Slow,
    /// The connection is closed without a word.
    Close,
}

/// A server on loopback, without TLS.
#[derive(Debug)]
pub struct Server {
    pub address: SocketAddr,
    requests: Arc<parking_lot::Mutex<Vec<String>>>,
}

impl Server {
    /// # Errors
    /// No port of loopback can be bound.
    pub async fn start(reply: Reply) -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let server = Self { address: listener.local_addr()?, requests: Arc::default() };
        let requests = Arc::clone(&server.requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (reply, requests) = (reply.clone(), Arc::clone(&requests));
                // The other side may have hung up, as it should on a body that is too large.
                tokio::spawn(async move { serve(stream, reply, &requests).await.ok() });
            }
        });
        Ok(server)
    }

    /// Grants with this server as the mirror.
    pub fn grants(&self) -> HostGrants {
        granted(&format!("http://{}", self.address))
    }

    /// Returns method and target of each request.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }
}

pub(super) fn granted(mirror: &str) -> HostGrants {
    HostGrants([(HOST.to_owned(), Mirror::parse(mirror).ok())].into())
}

async fn serve(mut stream: TcpStream, reply: Reply, requests: &parking_lot::Mutex<Vec<String>>) -> io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    requests.lock().push(head.lines().next().unwrap_or_default().trim_end_matches(" HTTP/1.1").to_owned());
    match reply {
        Reply::Full(status, lines, body) => {
            let head = format!("HTTP/1.1 {status} X\r\n{lines}content-length: {}\r\n", body.len());
            stream.write_all(format!("{head}connection: close\r\n\r\n").as_bytes()).await?;
            stream.write_all(&body).await
        }
        Reply::Endless => {
            stream.write_all(b"HTTP/1.1 200 X\r\nconnection: close\r\n\r\n").await?;
            loop {
                stream.write_all(&[b'x'; 64 << 10]).await?;
            }
        }
        Reply::Slow => {
            stream.write_all(b"HTTP/1.1 200 X\r\ncontent-length: 1000000\r\n\r\n").await?;
            loop {
                stream.write_all(b"x").await?;
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
        Reply::Close => Ok(()),
    }
}
