//! The commands that request an answer: from a gateway over HTTP, or from one in this process.
//!
//! Invariant: data goes to stdout and all else to stderr. Both ways give the same documents, so that only [`source`]
//! knows which one it is.

mod assistant;
mod change_stream;
mod export;
mod print;
mod remote;
mod reply;
mod sheet;
mod source;
mod spinner;
mod watch;

use futures_util::future::try_join_all;
use hyper::header::HeaderValue;
use tokio::signal::unix::{SignalKind, signal};

use self::change_stream::ChangeStream;
use self::print::Printer;
use self::reply::{AnswerDocument, Reply};
use self::source::AnswerSource;
use self::spinner::Spinner;
use crate::cli::{AnswerCommand, ColorWhen, SourceFlags};
use crate::config::Environment;
use crate::terminal;

/// Exit codes of the commands; their help has them in words.
const WHOLE: u8 = 0;
const FAILED: u8 = 1;
const MISUSE: u8 = 2;
const PARTIAL: u8 = 3;
const NOTHING_READ: u8 = 4;
/// Shells report it for a command that SIGINT ended.
const INTERRUPTED: u8 = 130;

/// Reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ClientError {
    /// The command line, the configuration or the request is wrong.
    #[error("{0}")]
    Misuse(String),
    /// The name or the transaction does not exist, or the output cannot be written.
    #[error("{0}")]
    Failed(String),
    /// Nobody answers, or nothing could be read. The next try may succeed.
    #[error("{0}")]
    NothingRead(String),
    /// Nobody reads the output any more.
    #[error("the output is closed")]
    Closed,
    #[error("interrupted")]
    Interrupted,
}

impl ClientError {
    fn code(&self) -> u8 {
        match self {
            Self::Misuse(_) => MISUSE,
            Self::Failed(_) => FAILED,
            Self::NothingRead(_) => NOTHING_READ,
            Self::Closed => WHOLE,
            Self::Interrupted => INTERRUPTED,
        }
    }
}

/// Runs the command; returns its exit code.
pub(crate) async fn run(command: &AnswerCommand, environment: &Environment) -> u8 {
    let spinner = Spinner::default();
    let ended = answer(command, environment, &spinner).await;
    spinner.clear();
    ended.unwrap_or_else(|error| {
        if !matches!(error, ClientError::Closed | ClientError::Interrupted) {
            terminal::warn(&error, command.output.color.color);
        }
        error.code()
    })
}

/// Serves an assistant; returns the exit code.
pub(crate) async fn serve_assistant(flags: &SourceFlags, environment: &Environment) -> u8 {
    let spinner = Spinner::default();
    let ended = unless_interrupted(assistant::run(flags, environment, &spinner)).await;
    spinner.clear();
    match ended {
        Ok(()) | Err(ClientError::Interrupted) => WHOLE,
        Err(error) => {
            terminal::warn(&error, ColorWhen::default());
            error.code()
        }
    }
}

async fn answer(command: &AnswerCommand, environment: &Environment, spinner: &Spinner) -> Result<u8, ClientError> {
    let mut requester = unless_interrupted(Requester::start(command, environment, spinner)).await?;
    let mut printer = Printer::of(command);
    if command.output.watch {
        return watch::run(&mut requester, &mut printer).await;
    }
    printer.print(&unless_interrupted(requester.documents()).await?)
}

/// Ends early at SIGINT or SIGTERM, so that what was begun is cleaned up.
async fn unless_interrupted<T>(work: impl Future<Output = Result<T, ClientError>>) -> Result<T, ClientError> {
    tokio::select! {
        ended = work => ended,
        () = interrupted() => Err(ClientError::Interrupted),
    }
}

/// Waits for SIGINT or SIGTERM.
async fn interrupted() {
    match (signal(SignalKind::interrupt()), signal(SignalKind::terminate())) {
        (Ok(mut interrupt), Ok(mut terminate)) => {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
            }
        }
        // Then the signals end the process as they always do.
        _ => std::future::pending().await,
    }
}

/// Requests the documents of one command.
struct Requester<'a> {
    requests: Vec<String>,
    /// The path of the stream that says when their documents change, if there is one.
    watch: Option<String>,
    source: AnswerSource,
    spinner: &'a Spinner,
    /// The last document of each request.
    last: Vec<AnswerDocument>,
}

impl<'a> Requester<'a> {
    async fn start(
        command: &AnswerCommand,
        environment: &Environment,
        spinner: &'a Spinner,
    ) -> Result<Self, ClientError> {
        let source =
            AnswerSource::start(&command.source, source::needs_plugins(command.topic), environment, spinner).await?;
        let requests = command.requests(Printer::of(command).amounts());
        Ok(Self { requests, watch: command.watch_request(), source, spinner, last: Vec::new() })
    }

    /// Opens the stream that says when the documents change; `None` if the gateway has none for them.
    async fn changes(&self) -> Option<ChangeStream> {
        self.source.changes(self.watch.as_deref()?).await
    }

    /// Returns the document of each request, which is the last one if that still holds.
    async fn documents(&mut self) -> Result<Vec<AnswerDocument>, ClientError> {
        // A watch says nothing while it waits for changes.
        if self.last.is_empty() {
            self.spinner.show(self.source.waits_for());
        }
        let tag = |place: usize| self.last.get(place).and_then(|document: &AnswerDocument| document.tag.clone());
        let requests: Vec<(&String, Option<HeaderValue>)> =
            self.requests.iter().enumerate().map(|(place, path)| (path, tag(place))).collect();
        let replies = try_join_all(requests.into_iter().map(|(path, tag)| self.source.get(path, tag))).await;
        self.spinner.clear();
        let mut documents = Vec::new();
        for (place, reply) in replies?.into_iter().enumerate() {
            documents.push(match (reply, self.last.get(place)) {
                (Reply::Document(document), _) => document,
                (Reply::NotModified { holds }, Some(last)) => AnswerDocument { holds, ..last.clone() },
                (Reply::NotModified { .. }, None) => {
                    return Err(ClientError::NothingRead(
                        "the gateway sent no body, as to a client that has it".into(),
                    ));
                }
            });
        }
        self.last.clone_from(&documents);
        Ok(documents)
    }
}
