//! `--watch`: prints the answer again whenever it changes, until SIGINT or SIGTERM.
//!
//! A gateway that has a stream of changes says when. Invariant: without one, requests are at least a second apart, and
//! at most a minute. An answer that holds for ever ends it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use portolan_base::rfc3339;
use tokio::time::{sleep, timeout};

use super::change_stream::ChangeStream;
use super::print::{Printer, is_closed};
use super::reply::{AnswerDocument, Holds};
use super::{ClientError, Requester, WHOLE, interrupted};
use crate::terminal;

/// Bounds of the time between requests.
const SHORTEST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(60);
/// Time between requests if the gateway does not know when its next block comes.
const UNKNOWN: Duration = Duration::from_secs(5);
/// A closed output is noticed so soon.
const LOOK: Duration = Duration::from_secs(1);

/// Watches; returns the exit code of the last answer.
///
/// # Errors
/// The request is wrong, or the output is closed.
pub(super) async fn run(requester: &mut Requester<'_>, printer: &mut Printer) -> Result<u8, ClientError> {
    let mut code = Ok(WHOLE);
    let watching = async {
        let mut changes = requester.changes().await;
        let mut printed: Option<Vec<AnswerDocument>> = None;
        let mut said = None;
        let mut pause = SHORTEST;
        loop {
            match requester.documents().await {
                Ok(documents) => {
                    if printed.as_ref().is_none_or(|printed| are_other(printed, &documents)) {
                        if printed.is_some() {
                            terminal::note(&now());
                        }
                        code = Ok(printer.print(&documents)?);
                    }
                    let holds = documents.iter().map(|document| document.holds);
                    match pause_of(holds) {
                        Some(next) => pause = next,
                        None => return Ok(()),
                    }
                    (printed, said) = (Some(documents), None);
                }
                Err(error @ ClientError::NothingRead(_)) => {
                    if said.as_ref() != Some(&error) {
                        terminal::warn(&format_args!("{} {error}", now()), printer.color());
                    }
                    pause = (pause * 2).min(LONGEST);
                    code = Err(error.clone());
                    said = Some(error);
                }
                Err(error) => return Err(error),
            }
            // A request that failed is made again, whatever the stream says.
            if said.is_some() || !is_changed(&mut changes).await? {
                rest(pause).await?;
            }
        }
    };
    let ended = tokio::select! {
        ended = watching => ended,
        () = interrupted() => Ok(()),
    };
    ended?;
    // It was said already.
    Ok(code.unwrap_or_else(|error| error.code()))
}

/// Waits for a change; returns false at once if no stream says so, or none any more.
async fn is_changed(changes: &mut Option<ChangeStream>) -> Result<bool, ClientError> {
    while let Some(stream) = changes {
        match timeout(LOOK, stream.changed()).await {
            Ok(true) => return Ok(true),
            Ok(false) => *changes = None,
            Err(_) if is_closed() => return Err(ClientError::Closed),
            Err(_) => {}
        }
    }
    Ok(false)
}

/// Waits, and fails as soon as nobody reads the output any more.
async fn rest(pause: Duration) -> Result<(), ClientError> {
    let mut left = pause;
    while !left.is_zero() {
        if is_closed() {
            return Err(ClientError::Closed);
        }
        let part = left.min(LOOK);
        sleep(part).await;
        left -= part;
    }
    Ok(())
}

/// Returns true if the data or what is missing has changed; blocks that only went on have changed nothing.
fn are_other(before: &[AnswerDocument], now: &[AnswerDocument]) -> bool {
    let data = |documents: &[AnswerDocument]| -> Vec<_> {
        documents.iter().map(|document| (document.body.clone(), document.partial.clone())).collect()
    };
    data(before) != data(now)
}

/// Returns the time until the next request; `None` if all documents hold for ever.
fn pause_of(holds: impl Iterator<Item = Holds>) -> Option<Duration> {
    let pauses = holds.filter_map(|holds| match holds {
        Holds::Ever => None,
        Holds::Unknown => Some(UNKNOWN),
        Holds::For(time) => Some(time.clamp(SHORTEST, LONGEST)),
    });
    pauses.min()
}

fn now() -> String {
    rfc3339::of_unix_s(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_lifetime_says_when_to_request_again() {
        let s = Duration::from_secs;
        let cases: [(&[Holds], Option<Duration>); 6] = [
            (&[Holds::For(s(12))], Some(s(12))),
            (&[Holds::For(s(12)), Holds::Unknown], Some(s(5))),
            (&[Holds::For(s(0))], Some(s(1))),
            (&[Holds::For(s(3_600))], Some(s(60))),
            (&[Holds::Ever, Holds::For(s(2))], Some(s(2))),
            (&[Holds::Ever, Holds::Ever], None),
        ];
        for (holds, expected) in cases {
            assert_eq!(pause_of(holds.iter().copied()), expected, "{holds:?}");
        }
    }
}
