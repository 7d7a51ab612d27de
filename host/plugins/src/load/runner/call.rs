//! Calls that may never return, made on the blocking pool with a deadline each and a bound on stuck ones.
//!
//! Invariant: a call that is abandoned while it runs counts as stuck until it returns, also if its caller was
//! cancelled before the deadline. The captures of a call that has begun are dropped on the pool's thread.

use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use portolan_base::client_share::ClientShare;
use rustix::time::{ClockId, clock_gettime};
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::trust::crashes::Mark;

/// Stuck calls to one plugin from which on further ones are refused; enough for a temporary stall of the machine.
pub(crate) const STUCK_MAX: usize = 4;
/// Concurrent calls to one plugin, and so the maximum of threads that it holds. A call takes microseconds, and more
/// calls than cores gain nothing. Thirty plugins that all hang still leave some of the pool's 512 threads.
const RUNNING_MAX: usize = 16;

/// Reason why a call returned no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallFailure {
    #[error("it did not return in time")]
    Timeout,
    #[error("{STUCK_MAX} earlier calls have not returned")]
    Stuck,
    #[error("it panicked")]
    Panicked,
    #[error("the process ends")]
    Ending,
}

/// Makes calls to one plugin.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    runtime: Handle,
    stuck: Arc<AtomicUsize>,
    /// Nanoseconds of processor time in the calls that have returned.
    cpu_ns: Arc<AtomicU64>,
    /// Permits that calls hold until they return.
    turns: Arc<Semaphore>,
    /// Marks the plugin as running; `None` if the calls run no plugin's code.
    mark: Option<Arc<Mark>>,
}

impl Calls {
    /// Calls on the blocking pool of `runtime`.
    pub(crate) fn new(runtime: Handle) -> Self {
        let (stuck, cpu_ns) = (Arc::default(), Arc::default());
        Self { runtime, stuck, cpu_ns, turns: Arc::new(Semaphore::new(RUNNING_MAX)), mark: None }
    }

    /// Also marks the plugin as running while a call runs.
    pub(crate) fn marked(self, mark: Arc<Mark>) -> Self {
        Self { mark: Some(mark), ..self }
    }

    /// Number of calls that exceeded their deadline and have not returned.
    pub(crate) fn stuck(&self) -> usize {
        self.stuck.load(Ordering::SeqCst)
    }

    /// Processor time of the calls that have returned.
    pub(crate) fn cpu(&self) -> Duration {
        Duration::from_nanos(self.cpu_ns.load(Ordering::Relaxed))
    }

    /// Runs `work` and waits for it, at most for `limit`. Its processor time is charged to the current client.
    pub(crate) async fn call<T, F>(&self, limit: Duration, work: F) -> Result<T, CallFailure>
    where
        T: Send + 'static,
        F: FnOnce() -> T + Send + 'static,
    {
        if self.stuck() >= STUCK_MAX {
            return Err(CallFailure::Stuck);
        }
        let mut watch = CallGuard::new(self, limit);
        let turns = async {
            let alone = match &self.mark {
                Some(mark) => mark.turn().await,
                None => None,
            };
            Arc::clone(&self.turns).acquire_owned().await.map(|turn| (alone, turn))
        };
        let Ok(Ok((_alone, turn))) = timeout_at(watch.deadline, turns).await else { return Err(CallFailure::Timeout) };
        let (call, mark, cpu_ns) = (Arc::clone(&watch.call), self.mark.clone(), Arc::clone(&self.cpu_ns));
        let client = ClientShare::current();
        watch.is_armed = true;
        let running = self.runtime.spawn_blocking(move || {
            let _turn = turn;
            let _running = mark.as_ref().map(Mark::enter);
            let before = thread_cpu();
            let outcome = call.run(work);
            let took = thread_cpu().saturating_sub(before);
            cpu_ns.fetch_add(u64::try_from(took.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
            if let Some(client) = client {
                client.charge(took);
            }
            outcome
        });
        let outcome = timeout_at(watch.deadline, running).await;
        watch.is_armed = false;
        match outcome {
            Ok(Ok(Some(value))) => Ok(value),
            Ok(Ok(None)) => Err(CallFailure::Timeout),
            Ok(Err(error)) if error.is_cancelled() => Err(CallFailure::Ending),
            Ok(Err(_)) => Err(CallFailure::Panicked),
            Err(_) => {
                watch.call.abandon();
                Err(CallFailure::Timeout)
            }
        }
    }

    /// Drops `owned` on the blocking pool, as its drop may run the plugin's code. If the plugin is stuck, `owned` is
    /// leaked instead. No further calls are made then, so the leak is bounded by what was alive at that moment.
    pub(crate) fn dispose<T: Send + 'static>(&self, limit: Duration, owned: T) {
        let calls = self.clone();
        // No other thread may drop it, such as that of a runtime that shuts down: it would run the plugin's code.
        let owned = ManuallyDrop::new(owned);
        self.runtime.spawn(async move {
            let disposed = calls.call(limit, move || drop(ManuallyDrop::into_inner(owned))).await;
            if let Err(failure) = disposed
                && failure != CallFailure::Ending
            {
                tracing::warn!(?failure, "a job or instance of a plugin was not dropped in time");
            }
        });
    }
}

/// Processor time of this thread.
fn thread_cpu() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Abandons a call at its deadline even if its caller has gone.
struct CallGuard {
    call: Arc<Call>,
    deadline: Instant,
    runtime: Handle,
    is_armed: bool,
}

impl CallGuard {
    fn new(calls: &Calls, limit: Duration) -> Self {
        let (stuck, mark) = (Arc::clone(&calls.stuck), calls.mark.clone());
        let call = Arc::new(Call { state: AtomicU8::new(QUEUED), stuck, mark });
        Self { call, deadline: Instant::now() + limit, runtime: calls.runtime.clone(), is_armed: false }
    }
}

impl Drop for CallGuard {
    fn drop(&mut self) {
        if !self.is_armed {
            return;
        }
        let (call, deadline) = (Arc::clone(&self.call), self.deadline);
        self.runtime.spawn(async move {
            sleep_until(deadline).await;
            call.abandon();
        });
    }
}

const QUEUED: u8 = 0;
const RUNNING: u8 = 1;
const RETURNED: u8 = 2;
/// Given up before it ran.
const CANCELLED: u8 = 3;
/// Given up while it runs: counted as stuck.
const ABANDONED: u8 = 4;

#[derive(Debug)]
struct Call {
    state: AtomicU8,
    stuck: Arc<AtomicUsize>,
    mark: Option<Arc<Mark>>,
}

impl Call {
    /// Runs the call on the pool's thread; returns `None` if it was cancelled.
    fn run<T>(&self, work: impl FnOnce() -> T) -> Option<T> {
        let wanted = self.state.compare_exchange(QUEUED, RUNNING, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if !wanted {
            // Dropping the captures may run the plugin's code as well.
            self.stuck.fetch_add(1, Ordering::SeqCst);
            self.state.store(ABANDONED, Ordering::SeqCst);
        }
        let _returned = Returned(self);
        if wanted {
            Some(work())
        } else {
            drop(work);
            None
        }
    }

    fn abandon(&self) {
        let swap = |from, to| self.state.compare_exchange(from, to, Ordering::SeqCst, Ordering::SeqCst).is_ok();
        if swap(QUEUED, CANCELLED) {
            return;
        }
        // Counted first, so that the thread's own subtraction never comes before it.
        let stuck = self.stuck.fetch_add(1, Ordering::SeqCst) + 1;
        if !swap(RUNNING, ABANDONED) {
            self.stuck.fetch_sub(1, Ordering::SeqCst);
            return;
        }
        let plugin = self.mark.as_ref().map(|mark| mark.label.as_str());
        if stuck == STUCK_MAX {
            tracing::error!(plugin, stuck, "calls do not return, no more are made until they do: each may keep a core");
        } else {
            tracing::warn!(plugin, stuck, "a call did not return in time");
        }
    }
}

struct Returned<'a>(&'a Call);

impl Drop for Returned<'_> {
    fn drop(&mut self) {
        if self.0.state.swap(RETURNED, Ordering::SeqCst) == ABANDONED {
            self.0.stuck.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    const SHORT: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(20);
    /// Time for all concurrent calls to begin.
    const ENOUGH_TO_BEGIN: Duration = Duration::from_secs(1);

    async fn until_stuck(calls: &Calls, count: usize) {
        let reached = async {
            while calls.stuck() != count {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(LONG, reached).await.expect("the count is reached");
    }

    /// Makes a call that exceeds its deadline, and runs until the returned sender is dropped.
    async fn stick(calls: &Calls) -> mpsc::Sender<()> {
        loop {
            let ((release, held), (begun, begins)) = (mpsc::channel::<()>(), mpsc::channel::<()>());
            let work = move || {
                let _ = begun.send(());
                held.recv().is_ok()
            };
            assert_eq!(calls.call(SHORT, work).await, Err(CallFailure::Timeout));
            // On a busy machine its deadline may pass before it begins; then it is not stuck.
            if begins.try_recv().is_ok() {
                return release;
            }
        }
    }

    #[tokio::test]
    async fn calls_that_compute_take_processor_time_and_one_that_waits_does_not() {
        let calls = Calls::new(Handle::current());
        let compute = || (0..1_000_000_u64).fold(0, |sum, number| std::hint::black_box(sum ^ number));
        calls.call(LONG, compute).await.unwrap();
        let one = calls.cpu();
        let (_open, never) = mpsc::channel::<()>();
        calls.call(LONG, move || never.recv_timeout(SHORT)).await.unwrap().unwrap_err();
        let waited = calls.cpu() - one;
        assert!(one > Duration::ZERO && waited < SHORT / 2, "{one:?}, {waited:?}");
        calls.call(LONG, compute).await.unwrap();
        assert!(calls.cpu() - one - waited > one / 4, "{:?} after {one:?}", calls.cpu());
    }

    #[tokio::test]
    async fn the_processor_time_of_a_call_is_charged_to_the_client_that_caused_it() {
        let (calls, client, other) = (Calls::new(Handle::current()), ClientShare::new(None), ClientShare::new(None));
        let compute = || (0..1_000_000_u64).fold(0, |sum, number| std::hint::black_box(sum ^ number));
        client.scope(calls.call(LONG, compute)).await.unwrap();
        assert_eq!(client.take_charged(), calls.cpu());
        assert!(calls.cpu() > Duration::ZERO);
        calls.call(LONG, compute).await.unwrap();
        assert_eq!((client.take_charged(), other.take_charged()), (Duration::ZERO, Duration::ZERO));
    }

    #[tokio::test]
    async fn a_call_that_returns_gives_its_value_and_counts_nowhere() {
        let calls = Calls::new(Handle::current());
        assert_eq!(calls.call(LONG, || 7).await, Ok(7));
        assert_eq!(calls.stuck(), 0);
    }

    #[tokio::test]
    async fn past_the_bound_calls_are_refused_until_the_stuck_ones_return() {
        let calls = Calls::new(Handle::current());
        let mut releases = Vec::new();
        for _ in 0..STUCK_MAX {
            releases.push(stick(&calls).await);
        }
        until_stuck(&calls, STUCK_MAX).await;
        assert_eq!(calls.call(LONG, || 7).await, Err(CallFailure::Stuck));
        drop(releases);
        until_stuck(&calls, 0).await;
        assert_eq!(calls.call(LONG, || 7).await, Ok(7));
    }

    #[tokio::test]
    async fn one_plugin_never_holds_more_threads_than_its_share() {
        let calls = Calls::new(Handle::current());
        let (release, held) = mpsc::channel::<()>();
        let held = Arc::new(parking_lot::Mutex::new(held));
        let hang = || {
            let held = Arc::clone(&held);
            calls.call(ENOUGH_TO_BEGIN, move || held.lock().recv().is_ok())
        };
        let outcomes = futures_util::future::join_all((0..3 * RUNNING_MAX).map(|_| hang())).await;
        assert!(outcomes.iter().all(|outcome| *outcome == Err(CallFailure::Timeout)));
        until_stuck(&calls, RUNNING_MAX).await;
        drop(release);
        until_stuck(&calls, 0).await;
    }

    #[tokio::test]
    async fn a_cancelled_caller_does_not_hide_a_stuck_call() {
        let calls = Calls::new(Handle::current());
        let (begun, begins) = tokio::sync::oneshot::channel::<()>();
        let (release, held) = mpsc::channel::<()>();
        let call = calls.call(Duration::from_millis(200), move || {
            let _ = begun.send(());
            held.recv().is_ok()
        });
        tokio::select! {
            outcome = call => panic!("it cannot have returned: {outcome:?}"),
            _ = begins => {}
        }
        assert_eq!(calls.stuck(), 0, "it is not late yet");
        until_stuck(&calls, 1).await;
        drop(release);
        until_stuck(&calls, 0).await;
    }

    #[tokio::test]
    async fn a_panic_is_reported_and_not_counted() {
        let calls = Calls::new(Handle::current());
        assert_eq!(calls.call(LONG, || panic!("on purpose")).await, Err::<(), _>(CallFailure::Panicked));
        assert_eq!(calls.stuck(), 0);
    }

    #[tokio::test]
    async fn what_is_disposed_of_late_counts_as_stuck() {
        struct Slow(mpsc::Receiver<()>);
        impl Drop for Slow {
            fn drop(&mut self) {
                let _ = self.0.recv();
            }
        }
        let calls = Calls::new(Handle::current());
        let (release, held) = mpsc::channel();
        calls.dispose(SHORT, Slow(held));
        until_stuck(&calls, 1).await;
        drop(release);
        until_stuck(&calls, 0).await;
    }
}
