//! A load of equal requests on kept connections, and what answering them cost another process.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use futures_util::future::try_join_all;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::runtime::Builder;

use super::meter::Threads;
use super::table::float;

/// The figures of one side in one round.
pub(super) struct Round {
    pub(super) answers: usize,
    pub(super) per_second: f64,
    /// The processor time of one answer.
    pub(super) cpu_us: f64,
}

/// Sends one request after the other on each of so many connections for so long.
pub(super) fn load(to: SocketAddr, process: u32, request: &[u8], connections: usize, time: Duration) -> Result<Round> {
    let before = Threads::of(process)?;
    let began = Instant::now();
    let client = Builder::new_current_thread().enable_all().build()?;
    let answers: usize = client.block_on(async {
        let until = began + time;
        anyhow::Ok(try_join_all((0..connections).map(|_| requests(to, request, until))).await?.iter().sum())
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let cpu_ms = Threads::of(process)?.ms_since(&before);
    Ok(Round { answers, per_second: float(answers) / seconds, cpu_us: cpu_ms * 1e3 / float(answers) })
}

/// One request after the other on one connection; how many were answered.
async fn requests(to: SocketAddr, request: &[u8], until: Instant) -> Result<usize> {
    let mut connection = PersistentConnection::open(to).await?;
    let (mut answers, mut length) = (0, None);
    while Instant::now() < until {
        length = Some(connection.exchange(request, length).await?);
        answers += 1;
    }
    Ok(answers)
}

/// A connection for one request after the other.
pub(super) struct PersistentConnection {
    stream: TcpStream,
    chunk: Vec<u8>,
}

impl PersistentConnection {
    pub(super) async fn open(to: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(to).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, chunk: vec![0; 64 * 1024] })
    }

    /// Sends a request and reads the whole answer, whose head is not looked at if its length is `known`; returns the
    /// length.
    pub(super) async fn exchange(&mut self, request: &[u8], known: Option<usize>) -> Result<usize> {
        self.stream.write_all(request).await?;
        let (mut received, mut length) = (0, known.unwrap_or(usize::MAX));
        while received < length {
            let read = self.stream.read(&mut self.chunk[received..]).await?;
            ensure!(read > 0, "closed after {received} bytes of an answer");
            received += read;
            if length == usize::MAX {
                length = whole(&self.chunk[..received])?.unwrap_or(usize::MAX);
            }
        }
        Ok(length)
    }
}

/// The bytes of a whole answer, once its head is there.
fn whole(received: &[u8]) -> Result<Option<usize>> {
    let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&received[..end])?;
    ensure!(head.starts_with("HTTP/1.1 200"), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).context("no content-length")?;
    Ok(Some(end + 4 + length.parse::<usize>()?))
}
