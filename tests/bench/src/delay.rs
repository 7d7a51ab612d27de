//! A loopback proxy that delays bytes as a distant node would, without limiting how many pass.
//!
//! A new connection's first bytes wait for the handshakes of TCP and TLS 1.3, which loopback does not have. Slow start,
//! loss and jitter are not modelled.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::{mpsc, watch};

use super::alarm::Alarm;
use portolan_tests::wait;

/// There and back.
pub(super) const ROUND_TRIP: Duration = Duration::from_millis(50);
/// Round trips before the first byte of a new connection: one for TCP, one for TLS 1.3.
pub(super) const HANDSHAKES: u32 = 2;
/// Pieces under way in one direction of a connection; the sender waits beyond.
const PIECES_MAX: usize = 1024;
const PIECE_BYTES: usize = 64 << 10;
/// For connections to end when they are cut.
const CUT_WITHIN: Duration = Duration::from_secs(5);

/// The proxy; ends with the value.
#[derive(Debug)]
pub(super) struct Delay {
    address: SocketAddr,
    /// Held by every connection since the last cut, which changes it.
    open: watch::Sender<Arc<()>>,
    // Ends its tasks when it goes.
    _runtime: Runtime,
}

impl Delay {
    /// Stands before the node at `url`.
    pub(super) fn before(url: &str) -> Result<Self> {
        Self::of(url, ROUND_TRIP, ROUND_TRIP * HANDSHAKES)
    }

    /// One that takes so long there and back, and whose new connections take so long to open.
    pub(super) fn of(url: &str, round_trip: Duration, opening: Duration) -> Result<Self> {
        let node: SocketAddr = url.strip_prefix("http://").context("no http URL")?.parse()?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let (open, _) = watch::channel(Arc::default());
        runtime.spawn(accept(listener, node, open.clone(), [round_trip, opening]));
        Ok(Self { address, open, _runtime: runtime })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Closes all connections: the next request has to make a new one.
    ///
    /// They were gone at two looks, so their clients have had the time to see it.
    pub(super) fn cut(&self) -> Result<()> {
        let before = self.open.send_replace(Arc::default());
        let mut looks = 0;
        let look = || {
            let open = Arc::strong_count(&before) - 1;
            ensure!(open == 0, "{open} are open");
            looks += 1;
            ensure!(looks == 2, "closed this moment");
            Ok(())
        };
        wait::until("connections to be cut", CUT_WITHIN, look).map(|_| ())
    }
}

async fn accept(listener: TcpListener, node: SocketAddr, open: watch::Sender<Arc<()>>, takes: [Duration; 2]) {
    let alarm = Alarm::new();
    while let Ok((client, _)) = listener.accept().await {
        let (mut cut, alarm) = (open.subscribe(), alarm.clone());
        let held = Arc::clone(&cut.borrow_and_update());
        tokio::spawn(async move {
            tokio::select! {
                // Whatever goes wrong ends the connection, and its client sees it.
                _ = carry(client, node, &alarm, takes) => {}
                _ = cut.changed() => {}
            }
            drop(held);
        });
    }
}

async fn carry(client: TcpStream, node: SocketAddr, alarm: &Alarm, takes: [Duration; 2]) -> Result<()> {
    let [round_trip, opening] = takes;
    let open = Instant::now() + opening;
    let node = TcpStream::connect(node).await?;
    client.set_nodelay(true)?;
    node.set_nodelay(true)?;
    let (from_client, to_client) = client.into_split();
    let (from_node, to_node) = node.into_split();
    let (there, back) = ((from_client, to_node), (from_node, to_client));
    tokio::try_join!(one_way(there, open, round_trip / 2, alarm), one_way(back, open, round_trip / 2, alarm))?;
    Ok(())
}

async fn one_way(
    (mut from, mut to): (OwnedReadHalf, OwnedWriteHalf),
    open: Instant,
    takes: Duration,
    alarm: &Alarm,
) -> Result<()> {
    let (pieces, mut under_way) = mpsc::channel::<(Instant, Bytes)>(PIECES_MAX);
    let depart = async move {
        loop {
            let mut piece = BytesMut::with_capacity(PIECE_BYTES);
            if from.read_buf(&mut piece).await? == 0 {
                return Ok(());
            }
            let due = Instant::now().max(open) + takes;
            if pieces.send((due, piece.freeze())).await.is_err() {
                return Ok(());
            }
        }
    };
    let arrive = async move {
        while let Some((due, piece)) = under_way.recv().await {
            alarm.until(due).await?;
            to.write_all(&piece).await?;
        }
        to.shutdown().await?;
        anyhow::Ok(())
    };
    tokio::try_join!(depart, arrive)?;
    Ok(())
}
