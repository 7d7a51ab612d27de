//! A price service on loopback that speaks the shape of `coins.llama.fi`, and goes wrong on command.
//!
//! Invariant: what a request is answered with is what is in force when it is answered, so a held request goes on as
//! soon as that changes.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail};
use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// A part of the service's URL that nobody may repeat.
pub const SECRET: &str = "s3cret-of-the-price-service";

/// The service's answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The requested coins among these, each with its JSON; see [`coin`].
    Coins(BTreeMap<String, String>),
    /// This body, whatever is requested.
    Body(String),
    /// Nothing until the answer changes.
    Hold,
    /// The connection is closed without an answer.
    Close,
    Status(u16),
}

/// Returns the service's JSON for a coin that has this price now.
pub fn coin(price: &str, decimals: u64) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    format!(r#"{{"decimals":{decimals},"symbol":"ANY","price":{price},"timestamp":{now},"confidence":0.99}}"#)
}

/// The service; ends with the value.
#[derive(Debug)]
pub struct PriceService {
    address: SocketAddr,
    answer: watch::Sender<Answer>,
    requested: Arc<Mutex<Vec<String>>>,
    // Ends its tasks when it goes.
    _runtime: Runtime,
}

impl PriceService {
    /// Answers so until this is changed.
    ///
    /// # Errors
    /// No free port.
    pub fn start(answer: Answer) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        let (answer, reported) = watch::channel(answer);
        let requested = Arc::default();
        runtime.spawn(accept(listener, reported, Arc::clone(&requested)));
        Ok(Self { address, answer, requested, _runtime: runtime })
    }

    /// The part of a configuration that names it.
    pub fn config(&self) -> String {
        format!("[prices.http]\nbase_url = \"http://{}/{SECRET}\"", self.address)
    }

    /// From now on.
    pub fn set(&self, answer: Answer) {
        self.answer.send_replace(answer);
    }

    /// The coins that were requested, in the order of requests.
    pub fn requested(&self) -> Vec<String> {
        self.requested.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

async fn accept(listener: TcpListener, answer: watch::Receiver<Answer>, requested: Arc<Mutex<Vec<String>>>) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(serve(stream, answer.clone(), Arc::clone(&requested)));
    }
}

async fn serve(stream: TcpStream, answer: watch::Receiver<Answer>, requested: Arc<Mutex<Vec<String>>>) {
    let service = service_fn(|request| respond(request, answer.clone(), Arc::clone(&requested)));
    // An answer that is an error closes the connection, as is meant.
    let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

async fn respond(
    request: Request<Incoming>,
    mut answer: watch::Receiver<Answer>,
    requested: Arc<Mutex<Vec<String>>>,
) -> Result<Response<Full<Bytes>>> {
    let coins = request.uri().path().strip_prefix(&format!("/{SECRET}/prices/current/")).map(str::to_owned);
    let Some(coins) = coins else { return status(404) };
    let coins: Vec<String> = coins.split(',').map(str::to_owned).collect();
    requested.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(&coins);
    let answer = answer.wait_for(|answer| *answer != Answer::Hold).await?.clone();
    match answer {
        Answer::Coins(known) => {
            let reported = coins.iter().filter_map(|coin| Some(format!("{coin:?}:{}", known.get(coin)?)));
            Ok(whole(format!("{{\"coins\":{{{}}}}}", reported.collect::<Vec<_>>().join(","))))
        }
        Answer::Body(body) => Ok(whole(body)),
        Answer::Status(code) => status(code),
        Answer::Hold | Answer::Close => bail!("closed on command"),
    }
}

fn whole(body: String) -> Response<Full<Bytes>> {
    Response::new(Full::new(body.into()))
}

fn status(code: u16) -> Result<Response<Full<Bytes>>> {
    let mut response = whole(String::new());
    *response.status_mut() = StatusCode::from_u16(code)?;
    Ok(response)
}
