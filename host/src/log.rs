//! Logs to stderr, as text or JSON. Invariant: dependencies never log below `info`, whatever the filter says, because
//! their debug lines may hold RPC URLs.

use std::io;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use portolan_base::sanitize::output;
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Level, Metadata};
use tracing_subscriber::filter::{DynFilterFn, EnvFilter, FilterExt, ParseError};
use tracing_subscriber::layer::{Context, Layered, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

/// Format of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// Starts logging for the process, panics included. `spans` exports spans.
pub(crate) fn start(format: LogFormat, filter: EnvFilter, spans: Option<impl Layer<Registry> + Send + Sync>) {
    let layer = fmt::layer().with_writer(|| CleanLines(io::stderr()));
    match format {
        LogFormat::Text => subscribe(layer.with_ansi(io::IsTerminal::is_terminal(&io::stderr())), filter, spans),
        LogFormat::Json => subscribe(layer.json().flatten_event(true), filter, spans),
    }
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, reason = panic.payload_as_str(), "panicked");
    }));
}

/// Default interval of log lines about a repeated event.
const RARE: Duration = Duration::from_secs(10);

/// Counts a repeated event and logs it at most once per interval, by default ten seconds.
#[derive(Debug)]
pub(crate) struct RareLog {
    every: Duration,
    counted: Mutex<RareCount>,
}

#[derive(Debug, Default)]
struct RareCount {
    logged: Option<Instant>,
    count: u64,
}

impl Default for RareLog {
    fn default() -> Self {
        Self::every(RARE)
    }
}

impl RareLog {
    /// Creates a log with at most one line per interval.
    pub(crate) fn every(every: Duration) -> Self {
        Self { every, counted: Mutex::default() }
    }

    /// Returns true if the next event is logged.
    pub(crate) fn is_due(&self) -> bool {
        self.counted.lock().logged.is_none_or(|logged| logged.elapsed() >= self.every)
    }

    /// Counts one event. If a line is due, `log` gets the number of events and the seconds since the last line.
    pub(crate) fn warn(&self, log: impl FnOnce(u64, u64)) {
        let (count, seconds) = {
            let (mut counted, now) = (self.counted.lock(), Instant::now());
            counted.count += 1;
            let since = counted.logged.map(|logged| now.duration_since(logged));
            if since.is_some_and(|since| since < self.every) {
                return;
            }
            counted.logged = Some(now);
            (std::mem::take(&mut counted.count), since.unwrap_or_default().as_secs())
        };
        log(count, seconds);
    }
}

/// Cleans lines before they are written. The layer passes each line whole.
struct CleanLines<W>(W);

impl<W: io::Write> io::Write for CleanLines<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(output::line(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Parses a filter in the syntax of tracing's `EnvFilter`; `info` if there is none.
pub(crate) fn filter(text: Option<&str>) -> Result<EnvFilter, ParseError> {
    EnvFilter::builder().with_default_directive(LevelFilter::INFO.into()).parse(text.unwrap_or_default())
}

fn subscribe<L, S>(layer: L, filter: EnvFilter, spans: Option<S>)
where
    L: Layer<Layered<Option<S>, Registry>> + Send + Sync,
    S: Layer<Registry> + Send + Sync,
{
    let lines = layer.with_filter(filter.and(of_crates()));
    tracing_subscriber::registry().with(spans).with(lines).init();
}

/// Passes Portolan's own events, and those of dependencies from `info` up. Clients can make the HTTP crates log again
/// and again, so these get one line in ten seconds.
fn of_crates<S>()
-> DynFilterFn<S, impl Fn(&Metadata<'_>, &Context<'_, S>) -> bool, impl Fn(&'static Metadata<'static>) -> Interest> {
    let is_logged = |event: &Metadata<'_>| event.target().starts_with("portolan") || *event.level() <= Level::INFO;
    let is_of_http = |event: &Metadata<'_>| ["h2", "hyper"].iter().any(|name| event.target().starts_with(name));
    let of_http = RareLog::default();
    let passes = move |event: &Metadata<'_>, _: &Context<'_, S>| {
        let mut is_due = is_logged(event);
        if is_due && is_of_http(event) {
            is_due = false;
            of_http.warn(|_, _| is_due = true);
        }
        is_due
    };
    let interest = move |event: &'static Metadata<'static>| match event {
        event if !is_logged(event) => Interest::never(),
        event if is_of_http(event) => Interest::sometimes(),
        _ => Interest::always(),
    };
    DynFilterFn::new(passes).with_callsite_filter(interest)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn what_clients_make_crates_warn_of_is_one_line_and_what_portolan_logs_is_all() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let layer = fmt::layer().without_time().with_writer({
            let lines = Arc::clone(&lines);
            move || Lines(Arc::clone(&lines))
        });
        let subscriber = tracing_subscriber::registry().with(layer.with_filter(of_crates()));
        tracing::subscriber::with_default(subscriber, || {
            for _ in 0..50 {
                tracing::warn!(target: "h2::proto", "reset");
                tracing::debug!(target: "h2::proto", "a detail");
                tracing::warn!(target: "portolan::http", "ours");
            }
            tracing::warn!(target: "notify", "another's");
        });
        let text = String::from_utf8(lines.lock().clone()).unwrap();
        let count = |part: &str| text.lines().filter(|line| line.contains(part)).count();
        assert_eq!([count("reset"), count("a detail"), count("ours"), count("another's")], [1, 0, 50, 1], "{text}");
    }

    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn what_happens_again_and_again_is_counted_and_told_once_in_its_time() {
        let told = |every: Duration| {
            let (rare, mut counts) = (RareLog::every(every), Vec::new());
            (0..3).for_each(|_| rare.warn(|count, _| counts.push(count)));
            counts
        };
        assert_eq!(told(Duration::from_secs(60)), [1]);
        assert_eq!(told(Duration::ZERO), [1, 1, 1]);
    }
}
