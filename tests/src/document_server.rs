//! A server of documents on loopback, as an operator's copy of a host that plugins read.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};

/// A server of documents by path; any other path is not found. Its documents are 61 seconds old and keep for ten
/// minutes. It ends with the value.
#[derive(Debug)]
pub struct DocumentServer {
    address: SocketAddr,
    requested: Arc<Mutex<Vec<String>>>,
    _runtime: Runtime,
}

impl DocumentServer {
    /// Serves these documents.
    ///
    /// # Errors
    /// No free port.
    pub fn start(documents: BTreeMap<String, String>) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let (address, requested, documents) = (listener.local_addr()?, Arc::default(), Arc::new(documents));
        let seen = Arc::clone(&requested);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (seen, documents) = (Arc::clone(&seen), Arc::clone(&documents));
                tokio::spawn(async move { serve(stream, &documents, &seen).await });
            }
        });
        Ok(Self { address, requested, _runtime: runtime })
    }

    /// Lines of a configuration that grant a host to a plugin, and name this server as its copy.
    pub fn grant(&self, plugin: &str, host: &str) -> String {
        format!("[plugins.{plugin}]\nhosts = [\"{host}\"]\nmirrors = {{ \"{host}\" = \"http://{}\" }}", self.address)
    }

    /// The URL of a path of it.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// The paths that were requested so far.
    pub fn requested(&self) -> Vec<String> {
        self.requested.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn serve(
    mut stream: TcpStream,
    documents: &BTreeMap<String, String>,
    requested: &Mutex<Vec<String>>,
) -> Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8(head)?;
    let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let (status, body) = documents.get(&path).map_or((404, ""), |body| (200, body));
    requested.lock().unwrap_or_else(PoisonError::into_inner).push(path);
    let lines = "age: 61\r\ncache-control: max-age=600\r\nconnection: close";
    let length = body.len();
    let reply = format!("HTTP/1.1 {status} X\r\n{lines}\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(reply.as_bytes()).await?;
    Ok(())
}
