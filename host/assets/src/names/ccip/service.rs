//! A gateway on loopback with scripted answers, which records its requests.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::GatewayHost;

/// The answer to a request.
#[derive(Clone, Debug)]
pub(in crate::names) enum Reply {
    /// Status and body.
    Json(u16, String),
    /// Status and further header lines, each with its line end.
    Head(u16, String),
    /// No answer; the connection stays open.
    Silence,
    /// The connection is closed without an answer.
    Close,
}

impl Reply {
    pub(in crate::names) fn data(data: &[u8]) -> Self {
        Self::Json(200, format!("{{\"data\":\"0x{}\"}}", alloy::primitives::hex::encode(data)))
    }
}

#[derive(Debug)]
pub(in crate::names) struct Service {
    pub(in crate::names) address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Service {
    pub(in crate::names) async fn start(reply: Reply) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let service = Self { address: listener.local_addr().unwrap(), requests: Arc::default() };
        let requests = Arc::clone(&service.requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, reply.clone(), Arc::clone(&requests)));
            }
        });
        service
    }

    pub(in crate::names) fn host(&self) -> GatewayHost {
        GatewayHost::parse(&self.address.to_string()).unwrap()
    }

    /// A URL of this gateway that contains the data.
    pub(in crate::names) fn get_url(&self) -> String {
        format!("http://{}/{{sender}}/{{data}}.json", self.address)
    }

    /// A URL of this gateway without the data.
    pub(in crate::names) fn post_url(&self) -> String {
        format!("http://{}/{{sender}}", self.address)
    }

    /// Method, target and body of each request.
    pub(in crate::names) fn requests(&self) -> Vec<String> {
        self.requests.lock().clone()
    }
}

async fn serve(mut stream: TcpStream, reply: Reply, requests: Arc<Mutex<Vec<String>>>) {
    let Some(request) = request(&mut stream).await else { return };
    requests.lock().push(request);
    let (status, head, body) = match reply {
        Reply::Json(status, body) => (status, "content-type: application/json\r\n".to_owned(), body),
        Reply::Head(status, head) => (status, head, String::new()),
        Reply::Silence => return std::future::pending().await,
        Reply::Close => return,
    };
    let length = body.len();
    let reply = format!("HTTP/1.1 {status} X\r\n{head}content-length: {length}\r\nconnection: close\r\n\r\n{body}");
    // The client may have closed the connection, as it should if the body is too large.
    let _ = stream.write_all(reply.as_bytes()).await;
}

async fn request(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let head = String::from_utf8(head).ok()?;
    let length = head.lines().find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    stream.read_exact(&mut body).await.ok()?;
    let line = head.lines().next()?.trim_end_matches(" HTTP/1.1");
    Some(format!("{line} {}", String::from_utf8(body).ok()?).trim_end().to_owned())
}
