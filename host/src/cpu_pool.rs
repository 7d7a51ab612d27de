//! Threads for computations that take long: decoding a large transaction, writing a large body.
//!
//! They have a lower priority than the runtime's workers, so that short work waits neither for a worker nor for a core.
//! Invariant: the pool leaves a core to the workers, a task holds no permit while it waits for a reply, and a client
//! waits behind at most one task of each other client.

use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, available_parallelism};

use parking_lot::Mutex;
use rustix::process::setpriority_process;
use tokio::runtime::Handle;
use tokio::sync::{Notify, Semaphore, oneshot};

use portolan_base::client_share::ClientShare;

/// Maximum number of threads, however many cores there are: enough for four bodies of the largest size.
const THREADS_MAX: usize = 4;

/// `nice` value: if cores are short, workers get ten times as much CPU time.
const PRIORITY: i32 = 10;

/// Runs tasks on threads of its own. There is one per process; its threads end with it.
#[derive(Clone, Debug)]
pub(crate) struct CpuPool {
    permits: Arc<Semaphore>,
    tasks: mpsc::Sender<Task>,
}

type Task = Box<dyn FnOnce() + Send>;

/// A task of the pool panicked.
#[derive(Debug, thiserror::Error)]
#[error("a task of the CPU pool panicked")]
pub(crate) struct CpuTaskPanicked;

impl CpuPool {
    /// Starts the threads.
    ///
    /// # Errors
    /// The system cannot start a thread.
    pub(crate) fn start() -> io::Result<Self> {
        let cores = available_parallelism().map_or(1, NonZero::get);
        Self::with_threads(cores.saturating_sub(1).clamp(1, THREADS_MAX))
    }

    fn with_threads(threads: usize) -> io::Result<Self> {
        let (tasks, next) = mpsc::channel();
        let next = Arc::new(Mutex::new(next));
        for _ in 0..threads {
            let next = Arc::clone(&next);
            thread::Builder::new().name("cpu-pool".into()).spawn(move || work_on(&next))?;
        }
        Ok(Self { permits: Arc::new(Semaphore::new(threads)), tasks })
    }

    /// Runs a task for a client. Once begun, it runs to its end even if nobody waits for it any more.
    ///
    /// # Errors
    /// It panicked.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        client: &ClientShare,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, CpuTaskPanicked> {
        // The semaphores are never closed.
        let _own_permit = client.cpu_pool.acquire().await.ok();
        let permit = Arc::clone(&self.permits).acquire_owned().await.ok();
        let (done, outcome) = oneshot::channel();
        let runtime = Handle::current();
        let task = Box::new(move || {
            let _entered = runtime.enter();
            let value = work();
            drop(permit);
            // The caller may be gone.
            let _ = done.send(value);
        });
        self.tasks.send(task).map_err(|_| CpuTaskPanicked)?;
        outcome.await.map_err(|_| CpuTaskPanicked)
    }

    /// Drives a future to its end; each poll is a task.
    ///
    /// # Errors
    /// It panicked.
    pub(crate) async fn drive<F>(&self, client: &ClientShare, work: F) -> Result<F::Output, CpuTaskPanicked>
    where
        F: Future<Output: Send> + Send + 'static,
    {
        let (mut work, woken) = (Box::pin(work), Arc::<Woken>::default());
        loop {
            let waker = Waker::from(Arc::clone(&woken));
            match self.run(client, move || step(work, &waker)).await? {
                Ok(done) => return Ok(done),
                Err(waits) => work = waits,
            }
            woken.0.notified().await;
        }
    }
}

/// Runs tasks until all senders are gone.
fn work_on(next: &Mutex<mpsc::Receiver<Task>>) {
    // If this fails, small answers only wait longer.
    let _ = setpriority_process(None, PRIORITY);
    let take = || next.lock().recv();
    while let Ok(task) = take() {
        // The caller learns of a panic from the channel; the hook of `log.rs` logs it.
        let _ = catch_unwind(AssertUnwindSafe(task));
    }
}

/// Polls the future and returns it if it is pending; a completed one is freed here.
fn step<F: Future>(mut work: Pin<Box<F>>, waker: &Waker) -> Result<F::Output, Pin<Box<F>>> {
    match work.as_mut().poll(&mut Context::from_waker(waker)) {
        Poll::Ready(done) => Ok(done),
        Poll::Pending => Err(work),
    }
}

/// Notified when the future can be polled again.
#[derive(Default)]
struct Woken(Notify);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::thread::{ThreadId, current};

    use futures_util::future::{join, join_all, join3, poll_immediate};
    use tokio::sync::{Barrier, oneshot};

    use super::*;

    fn one_thread() -> CpuPool {
        CpuPool::with_threads(1).unwrap()
    }

    fn client() -> Arc<ClientShare> {
        ClientShare::new(None)
    }

    #[tokio::test]
    async fn steps_are_taken_off_the_thread_that_waits() {
        let step = async || current().id();
        let steps: Vec<ThreadId> = one_thread()
            .drive(&client(), async move {
                let first = step().await;
                tokio::task::yield_now().await;
                vec![first, step().await]
            })
            .await
            .unwrap();
        assert!(steps.iter().all(|thread| *thread != current().id()));
    }

    #[tokio::test]
    async fn what_waits_holds_no_permit() {
        let (cpu_pool, all) = (one_thread(), Arc::new(Barrier::new(9)));
        // None of them ends before all of them have begun.
        let client = client();
        let waiting = (0..9).map(|number| {
            let all = Arc::clone(&all);
            cpu_pool.drive(&client, async move {
                all.wait().await;
                number
            })
        });
        let done: Vec<_> = join_all(waiting).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(done, (0..9).collect::<Vec<_>>());
        assert_eq!(cpu_pool.permits.available_permits(), 1);
    }

    #[tokio::test]
    async fn no_more_tasks_run_at_once_than_there_are_threads() {
        let (cpu_pool, own, other) = (one_thread(), client(), client());
        let (begun, has_begun) = oneshot::channel();
        let (end, ended) = mpsc::channel::<()>();
        let first = cpu_pool.run(&own, move || {
            begun.send(()).unwrap();
            ended.recv().unwrap();
        });
        let second = async {
            has_begun.await.unwrap();
            let mut second = Box::pin(cpu_pool.run(&other, || 2));
            assert!(poll_immediate(&mut second).await.is_none());
            assert_eq!(cpu_pool.permits.available_permits(), 0);
            end.send(()).unwrap();
            second.await.unwrap()
        };
        assert_eq!(join(first, second).await.1, 2);
    }

    #[tokio::test]
    async fn what_nobody_waits_for_is_dropped_and_a_panic_gives_its_permit_back() {
        let (cpu_pool, own) = (one_thread(), client());
        let (alive, dropped) = oneshot::channel::<()>();
        let mut abandoned = Box::pin(cpu_pool.drive(&own, async move {
            let _alive = alive;
            std::future::pending::<()>().await;
        }));
        assert!(poll_immediate(&mut abandoned).await.is_none());
        drop(abandoned);
        assert!(dropped.await.is_err());
        assert!(cpu_pool.drive(&own, async { panic!("no") }).await.is_err());
        assert_eq!(cpu_pool.run(&own, || 1).await.unwrap(), 1);
    }

    #[tokio::test]
    async fn a_client_waits_behind_one_task_of_each_other() {
        let (cpu_pool, crowd, other) = (one_thread(), client(), client());
        let done = Arc::new(Mutex::new(Vec::new()));
        let task = |name: &'static str| {
            let done = Arc::clone(&done);
            move || done.lock().push(name)
        };
        // Runs until all others wait, however slowly this thread runs.
        let ((go_on, waits), crowds) = (mpsc::channel::<()>(), task("crowd"));
        let first = cpu_pool.run(&crowd, move || {
            waits.recv().unwrap();
            crowds();
        });
        let of_crowd = join_all((0..4).map(|_| cpu_pool.run(&crowd, task("crowd"))));
        let of_other = cpu_pool.run(&other, task("other"));
        let mut all = Box::pin(join3(first, of_crowd, of_other));
        assert!(poll_immediate(&mut all).await.is_none());
        go_on.send(()).unwrap();
        let (first, of_crowd, of_other) = all.await;
        assert!(first.is_ok() && of_crowd.iter().all(Result::is_ok) && of_other.is_ok());
        assert_eq!(done.lock().iter().position(|name| *name == "other"), Some(1));
    }
}
