//! A double of the store for tests: it answers MGET, SET, PUBLISH, SUBSCRIBE and ROLE as Redis does, until it is given
//! another mood, and names a primary as sentinels do.
//!
//! Invariant: it listens on loopback alone, and ends when it is dropped.

#![allow(clippy::panic, clippy::missing_panics_doc, reason = "a test without its server fails")]

use std::collections::HashMap;
use std::future::pending;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::tcp::OwnedWriteHalf;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::Channel;

/// How the server answers.
#[derive(Clone, Copy, Debug)]
pub enum Mood {
    /// It answers as it should.
    Sound,
    /// It answers rightly, each command so much later.
    Slow(Duration),
    /// It takes commands, and says nothing.
    Hung,
    /// It refuses to write.
    Full,
    /// It is not a primary any more.
    ReadOnly,
    /// It answers a look-up with bytes without an end.
    Flooding,
    /// It answers a look-up with these bytes.
    Saying(&'static str),
    /// It changes what was looked up.
    Changing(fn(&mut Vec<Option<Vec<u8>>>)),
}

/// A server at a free port.
pub struct Server {
    address: SocketAddr,
    shared: Arc<Mutex<State>>,
    /// The task that accepts connections, and with it those of the connections.
    serving: JoinSet<()>,
}

struct State {
    mood: Mood,
    values: HashMap<Vec<u8>, Vec<u8>>,
    commands: Vec<String>,
    flooded: Option<usize>,
    /// Connections that listen to all channels.
    listening: Vec<UnboundedSender<(Vec<u8>, Vec<u8>)>>,
    published: Vec<Vec<u8>>,
    /// What it names as a sentinel.
    primary: Option<SocketAddr>,
}

impl State {
    fn publish(&mut self, channel: &[u8], message: &[u8]) {
        self.published.push(message.to_vec());
        self.listening.retain(|listening| listening.send((channel.to_vec(), message.to_vec())).is_ok());
    }
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Starts an empty server.
    ///
    /// # Panics
    /// Panics if there is no free port.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap_or_else(|error| panic!("{error}"));
        let state = State {
            mood: Mood::Sound,
            values: HashMap::new(),
            commands: Vec::new(),
            flooded: None,
            listening: Vec::new(),
            published: Vec::new(),
            primary: None,
        };
        let (address, shared) =
            (listener.local_addr().unwrap_or_else(|error| panic!("{error}")), Arc::new(Mutex::new(state)));
        let mut server = Self { address, shared, serving: JoinSet::new() };
        server.serve(listener);
        server
    }

    fn serve(&mut self, listener: TcpListener) {
        let shared = Arc::clone(&self.shared);
        self.serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                connections.spawn(talk(stream, Arc::clone(&shared)));
            }
        });
    }

    /// Returns the URL of the server.
    pub fn url(&self) -> String {
        format!("redis://{}", self.address)
    }

    /// Returns the URL of the primary that the server names as a sentinel.
    pub fn url_of_primary(&self) -> String {
        format!("redis+sentinel://{}/main", self.address)
    }

    /// Has the server name another one as the primary.
    pub fn name(&self, primary: &Self) {
        self.shared.lock().primary = Some(primary.address);
    }

    /// Changes how the server answers from now on.
    pub fn set(&self, mood: Mood) {
        self.shared.lock().mood = mood;
    }

    /// Forgets all values.
    pub fn clear(&self) {
        self.shared.lock().values.clear();
    }

    /// Sends a message to all who listen.
    pub fn publish(&self, channel: Channel, message: &[u8]) {
        self.shared.lock().publish(channel.name(), message);
    }

    /// Returns the messages that were published.
    pub fn published(&self) -> Vec<Vec<u8>> {
        self.shared.lock().published.clone()
    }

    /// Ends the server with its connections.
    pub async fn stop(&mut self) {
        self.serving.shutdown().await;
    }

    /// Starts it again at its address.
    ///
    /// # Panics
    /// Panics if another process has the address.
    pub async fn start_again(&mut self) {
        let listener = TcpListener::bind(self.address).await.unwrap_or_else(|error| panic!("{error}"));
        self.serve(listener);
    }

    /// Returns how often a command came.
    pub fn commands(&self, name: &str) -> usize {
        self.shared.lock().commands.iter().filter(|command| *command == name).count()
    }

    /// Returns the bytes of a flood that ended.
    pub fn flooded(&self) -> Option<usize> {
        self.shared.lock().flooded
    }
}

async fn talk(stream: TcpStream, shared: Arc<Mutex<State>>) {
    let (reading, mut writing) = stream.into_split();
    let mut reading = BufReader::new(reading);
    while let Some(command) = next(&mut reading).await {
        let name = String::from_utf8_lossy(&command[0]).to_uppercase();
        let mood = shared.lock().mood;
        shared.lock().commands.push(name.clone());
        if let Mood::Slow(delay) = mood {
            sleep(delay).await;
        }
        let reply = match (mood, name.as_str()) {
            (Mood::Hung, _) => pending().await,
            (Mood::Flooding, "MGET") => return flood(writing, &shared).await,
            (Mood::Saying(bytes), "MGET") => bytes.as_bytes().to_vec(),
            (mood, "MGET") => {
                let mut values: Vec<_> =
                    command[1..].iter().map(|name| shared.lock().values.get(name).cloned()).collect();
                if let Mood::Changing(change) = mood {
                    change(&mut values);
                }
                array(&values)
            }
            (Mood::Full, "SET") => b"-OOM command not allowed when used memory > 'maxmemory'.\r\n".to_vec(),
            (Mood::ReadOnly, "SET") => b"-READONLY You can't write against a read only replica.\r\n".to_vec(),
            (Mood::ReadOnly, "ROLE") => array(&[Some(b"slave".to_vec())]),
            (_, "ROLE") => array(&[Some(b"master".to_vec())]),
            (_, "SENTINEL") => match shared.lock().primary {
                None => b"*-1\r\n".to_vec(),
                Some(at) => array(&[at.ip().to_string(), at.port().to_string()].map(|text| Some(text.into_bytes()))),
            },
            (_, "SET") => {
                shared.lock().values.insert(command[1].clone(), command[2].clone());
                b"+OK\r\n".to_vec()
            }
            (_, "PUBLISH") => {
                shared.lock().publish(&command[1], &command[2]);
                b":1\r\n".to_vec()
            }
            (_, "SUBSCRIBE") => return listen(writing, &command[1..], &shared).await,
            _ => b"+OK\r\n".to_vec(),
        };
        if writing.write_all(&reply).await.is_err() {
            return;
        }
    }
}

/// Sends what is published until the other side closes.
async fn listen(mut writing: OwnedWriteHalf, channels: &[Vec<u8>], shared: &Mutex<State>) {
    let (sender, mut messages) = unbounded_channel();
    shared.lock().listening.push(sender);
    let text = |text: &[u8]| [format!("${}\r\n", text.len()).as_bytes(), text, b"\r\n"].concat();
    let subscribed = |(count, channel): (usize, &Vec<u8>)| {
        [b"*3\r\n", &text(b"subscribe")[..], &text(channel), format!(":{count}\r\n").as_bytes()].concat()
    };
    let mut reply: Vec<u8> = (1..).zip(channels).flat_map(subscribed).collect();
    while writing.write_all(&reply).await.is_ok() {
        let Some((channel, message)) = messages.recv().await else { return };
        reply = [b"*3\r\n", &text(b"message")[..], &text(&channel), &text(&message)].concat();
    }
}

fn array(values: &[Option<Vec<u8>>]) -> Vec<u8> {
    let mut reply = format!("*{}\r\n", values.len()).into_bytes();
    for value in values {
        match value {
            None => reply.extend_from_slice(b"$-1\r\n"),
            Some(value) => {
                reply.extend_from_slice(format!("${}\r\n", value.len()).as_bytes());
                reply.extend_from_slice(value);
                reply.extend_from_slice(b"\r\n");
            }
        }
    }
    reply
}

/// Sends one endless value until the other side closes.
async fn flood(mut writing: OwnedWriteHalf, shared: &Mutex<State>) {
    let mut flooded = 0;
    let mut bytes = b"*1\r\n$9000000000\r\n".to_vec();
    while writing.write_all(&bytes).await.is_ok() {
        flooded += bytes.len();
        bytes = vec![b'x'; 64 << 10];
    }
    shared.lock().flooded = Some(flooded);
}

/// Reads a command: an array of texts.
async fn next(reading: &mut (impl AsyncBufReadExt + Unpin)) -> Option<Vec<Vec<u8>>> {
    let count = length(reading, "*").await?;
    let mut command = Vec::new();
    for _ in 0..count {
        let mut bytes = vec![0; length(reading, "$").await? + 2];
        reading.read_exact(&mut bytes).await.ok()?;
        bytes.truncate(bytes.len() - 2);
        command.push(bytes);
    }
    Some(command)
}

async fn length(reading: &mut (impl AsyncBufReadExt + Unpin), mark: &str) -> Option<usize> {
    let mut line = String::new();
    reading.read_line(&mut line).await.ok()?;
    line.trim_end().strip_prefix(mark)?.parse().ok()
}
