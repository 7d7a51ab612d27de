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
    let mut stream = TcpStream::connect(to).await?;
    stream.set_nodelay(true)?;
    let mut chunk = vec![0; 64 * 1024];
    let (mut answers, mut length) = (0, usize::MAX);
    while Instant::now() < until {
        stream.write_all(request).await?;
        let mut received = 0;
        while received < length {
            let read = stream.read(&mut chunk[received..]).await?;
            ensure!(read > 0, "closed after {answers} answers");
            received += read;
            if length == usize::MAX {
                length = whole(&chunk[..received])?.unwrap_or(usize::MAX);
            }
        }
        answers += 1;
    }
    Ok(answers)
}

/// The bytes of a whole answer, once its head is there.
pub(super) fn whole(received: &[u8]) -> Result<Option<usize>> {
    let Some(end) = received.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&received[..end])?;
    ensure!(head.starts_with("HTTP/1.1 200"), "{head}");
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).context("no content-length")?;
    Ok(Some(end + 4 + length.parse::<usize>()?))
}
