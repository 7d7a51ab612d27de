//! Clients by the hundred, from addresses of their own, that hold connections without using them.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setpriority_process, setrlimit};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Whoever is not connected by then does without.
const CONNECT: Duration = Duration::from_secs(8);
/// Longer than the gateway takes for any.
const ANSWER: Duration = Duration::from_secs(30);
/// As `nice` counts.
const LOWEST_PRIORITY: i32 = 19;
/// The first bytes of HTTP/2, and settings with an initial window of zero.
const ZERO_WINDOW: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\x06\x04\0\0\0\0\0\0\x04\0\0\0\0";

/// Lets this process open as many connections as the system allows.
///
/// # Errors
/// Returns the system's.
pub fn raise_files() -> rustix::io::Result<()> {
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
}

/// Lets this thread have only what others leave of the cores, as if the crowd came from machines of its own.
pub fn give_way() {
    // Without it a crowd only takes more.
    let _ = setpriority_process(None, LOWEST_PRIORITY);
}

/// A connection from 127.0.1.`client`: the addresses of one machine stand for clients of many.
pub async fn connect(client: u8, to: SocketAddr) -> Option<TcpStream> {
    let socket = TcpSocket::new_v4().ok()?;
    socket.bind(SocketAddr::from((Ipv4Addr::new(127, 0, 1, client), 0))).ok()?;
    tokio::time::timeout(CONNECT, socket.connect(to)).await.ok()?.ok()
}

/// Connections from `clients` addresses, `each` from one, all of which send `bytes`; fewer where no more get through.
pub async fn connections(
    to: SocketAddr,
    clients: impl IntoIterator<Item = u8>,
    each: usize,
    bytes: &[u8],
) -> Vec<TcpStream> {
    let mut streams = Vec::new();
    for client in clients {
        for _ in 0..each {
            let Some(mut stream) = connect(client, to).await else { return streams };
            // An attacker does not care how much of it arrives.
            let _ = tokio::time::timeout(CONNECT, stream.write_all(bytes)).await;
            streams.push(stream);
        }
    }
    streams
}

/// A request from 127.0.1.`client` on a connection of its own, and the bytes of the answer, as many as came.
pub async fn request(client: u8, to: SocketAddr, method: &str, path: &str) -> Vec<u8> {
    let mut answer = Vec::new();
    let Some(mut stream) = connect(client, to).await else { return answer };
    let head = format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    let exchange = async {
        stream.write_all(head.as_bytes()).await?;
        stream.read_to_end(&mut answer).await
    };
    // Whatever breaks off is an answer as well.
    let _ = tokio::time::timeout(ANSWER, exchange).await;
    answer
}

/// Returns the bytes of a client of HTTP/2 that requests `path` on so many streams and takes nothing of the answers.
/// The path is cut to 127 bytes.
pub fn stalled_requests(path: &str, streams: u32) -> Vec<u8> {
    let path = &path.as_bytes()[..path.len().min(127)];
    let length = u8::try_from(path.len()).unwrap_or(0);
    // GET and http from the static table, then literal path and authority.
    let block = [&[0x82, 0x86, 0x04, length], path, &[0x01, 1, b'x']].concat();
    let mut bytes = ZERO_WINDOW.to_vec();
    for stream in 0..streams {
        bytes.extend_from_slice(&[0, 0, u8::try_from(block.len()).unwrap_or(0), 1, 5]);
        bytes.extend_from_slice(&(2 * stream + 1).to_be_bytes());
        bytes.extend_from_slice(&block);
    }
    bytes
}

/// The same, where each stream is reset as soon as it is open.
pub fn reset_requests(path: &str, streams: u32) -> Vec<u8> {
    let mut bytes = Vec::new();
    // A frame's length stands in its first three bytes, its type in the fourth.
    let requests = stalled_requests(path, streams);
    let mut rest = requests.get(ZERO_WINDOW.len()..).unwrap_or_default();
    bytes.extend_from_slice(ZERO_WINDOW);
    while let [_, high, low, ..] = *rest {
        let (frame, next) = rest.split_at((9 + usize::from(high) * 256 + usize::from(low)).min(rest.len()));
        bytes.extend_from_slice(frame);
        bytes.extend_from_slice(&[0, 0, 4, 3, 0]);
        bytes.extend_from_slice(frame.get(5..9).unwrap_or_default());
        bytes.extend_from_slice(&[0, 0, 0, 8]);
        rest = next;
    }
    bytes
}
