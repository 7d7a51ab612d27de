//! `/{address}/watch`: streams of what changes in a portfolio, one read for all who watch the same.
//!
//! Invariant: a watch ends when nobody has watched for a while; it keeps its last events up to a bound, so that a client
//! that was cut off goes on where it was. A client that is slow to read loses its own stream and delays nobody.

mod subscribers;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::Address;
use futures_util::FutureExt as _;
use futures_util::future::Shared;
use hyper::header::{HeaderMap, HeaderName};
use metrics::gauge;
use parking_lot::Mutex;
use portolan_base::client_share::ClientShare;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use self::subscribers::{Subscriber, Subscribers};
use crate::clients::usage::LimitReached;
use crate::config::PortfolioWatchLimits;
use crate::gateway::answer::Answer;
use crate::gateway::lifetime::Lifetime;
use crate::gateway::problem::Problem;
use crate::gateway::query::AboutRows;
use crate::gateway::watch::{HeadFollower, WatchedPortfolio};
use crate::gateway::{Gateway, GatewayResponse};
use crate::http::event_stream::{self, EventReceiver, StreamHost};
use crate::http::problem::unwritable;
use crate::http::public::answer_event;
use crate::http::public::body::BodyWriter;
use crate::http::view::form::Form;
use crate::http::view::watched::WatchedRows;

/// Header with the id of the last event that the client got.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Time without a subscriber after which a watch ends.
const LINGER: Duration = Duration::from_secs(30);
/// Time after which a read that failed is made again, if no block comes before.
const RETRY_PAUSE: Duration = Duration::from_secs(5);
/// Time to write a portfolio.
const WRITE_WAIT: Duration = Duration::from_secs(10);

/// Maximum bytes of a portfolio, which is kept for those who come later.
const WHOLE_BYTES_MAX: usize = 4 << 20;
/// Seconds after which a client with too many streams may try again.
const RETRY_S: u64 = 5;

/// What is watched, and how it is written.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(in crate::http) struct WatchKey {
    pub(in crate::http) account: Address,
    pub(in crate::http) about: AboutRows,
    pub(in crate::http) form: Form,
}

/// All watches. One instance for all public listeners.
pub(in crate::http) struct Watches {
    gateway: Arc<Gateway>,
    follower: Arc<HeadFollower>,
    limits: PortfolioWatchLimits,
    open: Mutex<OpenWatches>,
}

#[derive(Default)]
struct OpenWatches {
    by_key: HashMap<WatchKey, Arc<Watch>>,
    is_closed: bool,
}

/// A portfolio that is watched.
struct Watch {
    subscribers: Mutex<Subscribers>,
    /// Completes once it was read for the first time.
    first: Shared<oneshot::Receiver<Result<(), Problem>>>,
}

impl Watches {
    pub(in crate::http) fn new(gateway: &Arc<Gateway>, limits: PortfolioWatchLimits) -> Arc<Self> {
        let follower = gateway.head_follower();
        Arc::new(Self { gateway: Arc::clone(gateway), follower, limits, open: Mutex::default() })
    }

    /// Opens a stream of a portfolio.
    ///
    /// # Errors
    /// The portfolio could not be read, or there are as many watches as there may be.
    pub(in crate::http) async fn subscribe(
        self: &Arc<Self>,
        key: WatchKey,
        headers: &HeaderMap,
        client: &Arc<ClientShare>,
        host: Arc<dyn StreamHost>,
    ) -> Result<EventReceiver, Problem> {
        let watch = self.find_or_start(key, client)?;
        let gone = |_| Err(Problem::Internal("the portfolio could not be watched".into()));
        watch.first.clone().await.unwrap_or_else(gone)?;
        // Others of the same client may have waited with this one.
        self.check_client(&self.open.lock(), client)?;
        let (sender, receiver) = event_stream::open(host);
        let last = headers.get(LAST_EVENT_ID).and_then(|id| id.to_str().ok());
        let subscriber = Subscriber::new(sender, Arc::clone(client));
        watch.subscribers.lock().add(subscriber, last);
        Ok(receiver)
    }

    fn find_or_start(self: &Arc<Self>, key: WatchKey, client: &Arc<ClientShare>) -> Result<Arc<Watch>, Problem> {
        let mut open = self.open.lock();
        if open.is_closed {
            return Err(Problem::Overloaded);
        }
        self.check_client(&open, client)?;
        if let Some(watch) = open.by_key.get(&key) {
            return Ok(Arc::clone(watch));
        }
        if open.by_key.len() >= self.limits.portfolios_max && !open.give_up_unused() {
            return Err(Problem::Overloaded);
        }
        let watched = self.gateway.watch(key.account, key.about.clone(), key.form.full, &self.follower, client)?;
        let (begun, first) = oneshot::channel();
        let watch = Arc::new(Watch { subscribers: Mutex::default(), first: first.shared() });
        open.by_key.insert(key.clone(), Arc::clone(&watch));
        gauge!("portolan_watches").set(open.by_key.len() as f64);
        let task = WatchTask { watches: Arc::clone(self), key, watch: Arc::clone(&watch), watched };
        tokio::spawn(task.run(begun, Arc::clone(client)));
        Ok(watch)
    }

    fn check_client(&self, open: &OpenWatches, client: &Arc<ClientShare>) -> Result<(), Problem> {
        let of_client = |watch: &Arc<Watch>| watch.subscribers.lock().of_client(client);
        if open.by_key.values().map(of_client).sum::<usize>() < self.limits.per_client_max {
            return Ok(());
        }
        Err(Problem::TooManyRequests { limit: LimitReached::Watches, retry_s: RETRY_S })
    }

    /// Ends all streams, as the process is about to end; there are no more from now on.
    pub(in crate::http) fn close(&self) {
        let watches = {
            let mut open = self.open.lock();
            open.is_closed = true;
            std::mem::take(&mut open.by_key)
        };
        watches.into_values().for_each(|watch| watch.subscribers.lock().end("restart"));
    }

    fn remove(&self, key: &WatchKey, watch: &Arc<Watch>) {
        let mut open = self.open.lock();
        if open.by_key.get(key).is_some_and(|own| Arc::ptr_eq(own, watch)) {
            open.by_key.remove(key);
        }
        gauge!("portolan_watches").set(open.by_key.len() as f64);
    }
}

impl OpenWatches {
    /// Removes a watch that was read and that nobody watches any more; returns false if there is none.
    fn give_up_unused(&mut self) -> bool {
        let is_unused = |watch: &Watch| watch.first.peek().is_some() && watch.subscribers.lock().is_empty();
        let unused = self.by_key.iter().find(|(_, watch)| is_unused(watch)).map(|(key, _)| key.clone());
        unused.is_some_and(|key| self.by_key.remove(&key).is_some())
    }
}

/// Reads a portfolio again and again, until nobody watches it.
struct WatchTask {
    watches: Arc<Watches>,
    key: WatchKey,
    watch: Arc<Watch>,
    watched: WatchedPortfolio,
}

impl WatchTask {
    async fn run(mut self, begun: oneshot::Sender<Result<(), Problem>>, opener: Arc<ClientShare>) {
        let mut rows = match self.read(&WatchedRows::default(), &opener).await {
            Ok(rows) => rows,
            Err(problem) => {
                self.watches.remove(&self.key, &self.watch);
                // Who waited may be gone.
                let _ = begun.send(Err(problem));
                return;
            }
        };
        let _ = begun.send(Ok(()));
        let (mut unused_since, mut is_behind) = (Instant::now(), self.watched.is_behind());
        while unused_since.elapsed() < LINGER {
            let pause = if is_behind { RETRY_PAUSE } else { self.watches.limits.comment_every };
            let has_news = timeout(pause, self.watched.changed()).await.is_ok() || is_behind;
            let reader = self.watch.subscribers.lock().next_reader();
            let Some(client) = reader else { continue };
            unused_since = Instant::now();
            if !has_news {
                self.watch.subscribers.lock().comment();
                continue;
            }
            match self.read(&rows, &client).await {
                Ok(now) => (rows, is_behind) = (now, self.watched.is_behind()),
                Err(problem) => {
                    self.watch.subscribers.lock().fail(&problem);
                    is_behind = true;
                }
            }
        }
        self.watches.remove(&self.key, &self.watch);
        // Somebody may have come at the last moment.
        self.watch.subscribers.lock().end("unused");
    }

    /// Reads the portfolio, and sends what changed.
    async fn read(&mut self, before: &WatchedRows, client: &Arc<ClientShare>) -> Result<WatchedRows, Problem> {
        let answer = self.watches.gateway.read_watched(&mut self.watched, client).await?;
        let mut whole = self.whole(Arc::clone(&answer), client).await?;
        let rows = WatchedRows::of(&answer, self.key.form).map_err(|error| unwritable(&error))?;
        let claimables = rows.claimables().map_err(|error| unwritable(&error))?;
        let event = match rows.change(before).map_err(|error| unwritable(&error))? {
            Some(change) => Some(("change", change)),
            None => {
                let blocks = rows.newer_blocks(before).map_err(|error| unwritable(&error))?;
                blocks.map(|blocks| ("blocks", blocks))
            }
        };
        whole.pop();
        whole.extend([b",\"claimables\":", &claimables[..], b"}"].concat());
        self.watch.subscribers.lock().publish(event, whole.into());
        Ok(rows)
    }

    /// Writes the plain answer with its headers.
    async fn whole(&self, answer: Arc<Answer>, client: &Arc<ClientShare>) -> Result<Vec<u8>, Problem> {
        let writer = BodyWriter { form: self.key.form, until: Instant::now() + WRITE_WAIT };
        let response = GatewayResponse { answer, named: None, lifetime: Lifetime::Unknown, admitted: None };
        let whole = answer_event::data(writer, self.watches.gateway.cpu_pool(), client, response).await?;
        if whole.len() > WHOLE_BYTES_MAX {
            return Err(Problem::AnswerTooLarge { bytes_max: WHOLE_BYTES_MAX as u64 });
        }
        Ok(whole)
    }
}
