//! `Server-Timing`: how long an answer took, and its parts that are known anyway.

use std::fmt::Write;
use std::time::Duration;

use hyper::header::{HeaderName, HeaderValue};
use tokio::time::Instant;

const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// Time that one answer takes.
#[derive(Debug)]
pub(in crate::http) struct Timing {
    began: Instant,
    last: Instant,
    parts: Vec<(&'static str, Duration)>,
}

impl Timing {
    pub(in crate::http) fn start() -> Self {
        let began = Instant::now();
        Self { began, last: began, parts: Vec::new() }
    }

    /// Ends a part, which began where the one before it ended.
    pub(in crate::http) fn lap(&mut self, part: &'static str) {
        let now = Instant::now();
        self.parts.push((part, now - self.last));
        self.last = now;
    }

    /// Returns the header: `total;dur=12.345, read;dur=11.2`, in milliseconds.
    pub(in crate::http) fn header(&self) -> Option<(HeaderName, HeaderValue)> {
        let mut text = metric("total", self.began.elapsed());
        for (part, took) in &self.parts {
            // Writing to a text never fails.
            let _ = write!(text, ", {}", metric(part, *took));
        }
        Some((SERVER_TIMING, HeaderValue::from_str(&text).ok()?))
    }
}

fn metric(name: &str, took: Duration) -> String {
    format!("{name};dur={:.3}", took.as_secs_f64() * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn parts_follow_each_other_and_the_total_is_all_of_them() {
        let mut timing = Timing::start();
        tokio::time::advance(Duration::from_millis(250)).await;
        timing.lap("read");
        tokio::time::advance(Duration::from_micros(1_500)).await;
        timing.lap("write");
        let (_, header) = timing.header().unwrap();
        assert_eq!(header, "total;dur=251.500, read;dur=250.000, write;dur=1.500");
    }
}
