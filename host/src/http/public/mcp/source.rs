//! Who answers the tools' requests: the gateway that serves `/mcp`, one over HTTP, or one in this process.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper::StatusCode;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// Is called with a sentence for each job of an answer that ended.
pub(crate) type JobEnded<'a> = &'a (dyn Fn(String) + Send + Sync);

/// Requests paths of the API.
pub(crate) trait ToolSource: Send + Sync + 'static {
    /// Requests a path with its parameters, and says which jobs ended where the source sees that.
    fn get<'a>(&'a self, path: &'a str, ended: Option<JobEnded<'a>>) -> BoxFuture<'a, AnswerReply>;
}

/// A reply to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum AnswerReply {
    Answer {
        body: Bytes,
        /// The header `portolan-partial`.
        partial: Option<String>,
        /// The header `portolan-blocks`.
        blocks: Option<String>,
        /// The header `portolan-account`: the address that a name led to.
        account: Option<String>,
    },
    /// The reason why there is no answer, in a sentence for the caller.
    Refused(String),
}

/// An event of a streamed answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum StreamedReply {
    /// A job ended; in a sentence.
    Job(String),
    Last(AnswerReply),
}

/// A problem document, as far as it is for people.
#[derive(Deserialize)]
struct ProblemText {
    title: String,
    #[serde(default)]
    detail: String,
}

/// The data of an event `answer`.
#[derive(Deserialize)]
struct AnswerEvent<'a> {
    headers: Value,
    #[serde(borrow)]
    body: &'a RawValue,
}

/// The data of an event `job`.
#[derive(Deserialize)]
struct JobEvent {
    protocol: String,
    network: String,
    failure: Option<String>,
    rows: Vec<serde::de::IgnoredAny>,
}

impl AnswerReply {
    /// Reads an answer, or a problem document.
    pub(crate) fn of(status: StatusCode, header: impl Fn(&str) -> Option<String>, body: Bytes) -> Self {
        if status != StatusCode::OK {
            return Self::problem(&body);
        }
        let [partial, blocks, account] = ["portolan-partial", "portolan-blocks", "portolan-account"].map(header);
        Self::Answer { body, partial, blocks, account }
    }

    fn problem(body: &[u8]) -> Self {
        Self::Refused(match serde_json::from_slice(body) {
            Ok(ProblemText { title, detail }) => format!("{title}: {detail}"),
            Err(_) => "the gateway refused the request without a reason".to_owned(),
        })
    }
}

impl StreamedReply {
    /// Reads an event; `None` for comments and unknown ones.
    pub(crate) fn of(event: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(event).ok()?;
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let data = field("data: ")?;
        match field("event: ")? {
            "job" => {
                let JobEvent { protocol, network, failure, rows } = serde_json::from_str(data).ok()?;
                let outcome = failure.unwrap_or_else(|| format!("{} found", rows.len()));
                Some(Self::Job(format!("{protocol} on {network}: {outcome}")))
            }
            "answer" => {
                let AnswerEvent { headers, body } = serde_json::from_str(data).ok()?;
                let header = |name: &str| headers[name].as_str().map(str::to_owned);
                let body = Bytes::copy_from_slice(body.get().as_bytes());
                Some(Self::Last(AnswerReply::of(StatusCode::OK, header, body)))
            }
            "problem" => Some(Self::Last(AnswerReply::problem(data.as_bytes()))),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_streamed_answer_is_the_plain_one() {
        let job = "event: job\ndata: {\"protocol\":\"a\",\"network\":\"b\",\"question\":\"q\",\"failure\":null,\"rows\":[1,{}]}\n\n";
        assert_eq!(StreamedReply::of(job.as_bytes()), Some(StreamedReply::Job("a on b: 2 found".into())));
        let failed = job.replace("null", "\"timeout\"");
        assert_eq!(StreamedReply::of(failed.as_bytes()), Some(StreamedReply::Job("a on b: timeout".into())));
        let answer =
            "event: answer\ndata: {\"status\":200,\"headers\":{\"portolan-blocks\":\"a=1\"},\"body\":[1.50]}\n\n";
        let body = Bytes::from_static(b"[1.50]");
        let expected = AnswerReply::Answer { body, partial: None, blocks: Some("a=1".into()), account: None };
        assert_eq!(StreamedReply::of(answer.as_bytes()), Some(StreamedReply::Last(expected)));
        let problem = "event: problem\ndata: {\"title\":\"T\",\"detail\":\"d\"}\n\n";
        let expected = Some(StreamedReply::Last(AnswerReply::Refused("T: d".into())));
        assert_eq!(StreamedReply::of(problem.as_bytes()), expected);
        assert_eq!(StreamedReply::of(b":\n\n"), None);
    }
}
