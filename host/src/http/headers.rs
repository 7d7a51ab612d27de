//! The headers of requests and answers, in words.
//!
//! Invariant: the description of the API and the reference are made from these rows, and the end-to-end tests find no
//! other header in an answer.

/// A header of requests or of answers.
#[derive(Debug)]
pub(crate) struct Header {
    pub(crate) name: &'static str,
    /// What it says. Markdown, whose links are relative to `docs/reference/`.
    pub(crate) about: &'static str,
    /// Where it is.
    pub(crate) on: HeaderUse,
    /// True if pages of other origins may read it.
    pub(crate) is_exposed: bool,
}

/// The messages that have a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HeaderUse {
    /// Requests that choose to.
    Requests,
    /// Every answer.
    Answers,
    /// Answers with a body.
    Bodies,
    /// Answers of rows, not problems.
    Rows,
    /// Answers about an account or a transaction.
    AboutAccounts,
    /// Answers to requests with a name.
    Named,
    /// Answers to requests with a currency.
    InCurrency,
    /// Drawings and other files.
    Files,
    /// Problems.
    Problems,
    /// Redirects to pages.
    Redirects,
    /// The problems `overloaded` and `too-many-requests`.
    Overloaded,
    /// Answers to clients with limits.
    Limited,
    /// OPTIONS, and the problem `method-not-allowed`.
    Methods,
    /// OPTIONS.
    Preflights,
}

impl HeaderUse {
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Requests => "requests",
            Self::Answers => "every answer",
            Self::Bodies => "every answer with a body",
            Self::Rows => "answers",
            Self::AboutAccounts => "answers about an account or a transaction",
            Self::Named => "answers to requests with a name",
            Self::InCurrency => "answers to requests with `currency`",
            Self::Files => "drawings and pages",
            Self::Problems => "problems",
            Self::Redirects => "308, for a page with a slash too few or too many",
            Self::Overloaded => "503 `overloaded`, and 429",
            Self::Limited => "answers to clients that have limits",
            Self::Methods => "405, and OPTIONS",
            Self::Preflights => "OPTIONS",
        }
    }
}

/// Headers of requests.
pub(crate) static REQUEST_HEADERS: [Header; 7] = [
    of_requests("authorization", "`Bearer` and an [API key](../operate/clients.md#api-keys)"),
    of_requests("x-api-key", "an API key, instead of `authorization`"),
    of_requests(
        "accept",
        "`application/json;amounts=string` for [amounts as strings](../use/amounts.md). Of several JSON ranges the one \
         with the highest `q` counts, and the first among equals",
    ),
    of_requests("x-request-id", "the id of the request: 1 to 128 letters, digits and `._:-+/=@`"),
    of_requests("traceparent", "the W3C trace of the request, for the operator's log and spans"),
    of_requests(
        "accept-encoding",
        "`zstd`, `br`, `gzip`, with weights: [how the body is compressed](../use/caching.md)",
    ),
    of_requests("if-none-match", "tags of bodies that the client has: 304 if the body is one of them"),
];

/// Headers of answers.
pub(crate) static ANSWER_HEADERS: [Header; 28] = [
    exposed(
        "portolan-blocks",
        "`ethereum=21000000, polygon=70000000`: the block of each network that was read",
        HeaderUse::AboutAccounts,
    ),
    exposed("portolan-partial", "[what is missing](../use/partial.md); absent if nothing is", HeaderUse::Rows),
    exposed(
        "portolan-currency",
        "`EUR=1.1`: [the price of one unit](../use/prices.md#other-currencies) in dollars; `EUR` if it could not be \
         read",
        HeaderUse::InCurrency,
    ),
    exposed(
        "portolan-account",
        "the address that the name in the path, or in `?account=`, resolved to",
        HeaderUse::Named,
    ),
    exposed("x-request-id", "the id of the request", HeaderUse::Answers),
    own(
        "content-type",
        "`application/json`, `application/problem+json`, or what a page or a drawing is",
        HeaderUse::Bodies,
    ),
    own("content-length", "bytes of the body as it is sent", HeaderUse::Bodies),
    own("cache-control", "[how long it holds](../use/caching.md#how-long-an-answer-holds)", HeaderUse::Answers),
    exposed("content-encoding", "`zstd`, `br` or `gzip`: bodies from 1,400 bytes", HeaderUse::Bodies),
    own("vary", "`accept, accept-encoding`: the headers of the request that the body depends on", HeaderUse::Bodies),
    exposed("etag", "the tag of the body; absent if something is missing", HeaderUse::Rows),
    exposed("date", "the time of the answer", HeaderUse::Answers),
    exposed("server-timing", "milliseconds of `total`, `read`, `write` and `compress`", HeaderUse::Answers),
    own("timing-allow-origin", "`*`", HeaderUse::Answers),
    exposed("retry-after", "seconds to wait", HeaderUse::Overloaded),
    exposed(
        "ratelimit-policy",
        "[the limits of the client](../operate/clients.md#limits), if it has any",
        HeaderUse::Limited,
    ),
    exposed("ratelimit", "what is left of them", HeaderUse::Limited),
    exposed("link", "[what the problem means](problems.md), as `rel=\"help\"`", HeaderUse::Problems),
    own("location", "where the page is, relative to the request", HeaderUse::Redirects),
    own("allow", "`GET, HEAD, OPTIONS`", HeaderUse::Methods),
    own(
        "content-security-policy",
        "`default-src 'none'; sandbox`; for pages, the gateway's own files and the digests of inline scripts",
        HeaderUse::Files,
    ),
    own("cross-origin-resource-policy", "`cross-origin`; pages have none", HeaderUse::Files),
    own("x-content-type-options", "`nosniff`", HeaderUse::Answers),
    own("access-control-allow-origin", "`*`", HeaderUse::Answers),
    own("access-control-expose-headers", "the headers that pages of other origins may read", HeaderUse::Answers),
    own("access-control-allow-methods", "`GET, HEAD, OPTIONS`", HeaderUse::Preflights),
    own("access-control-allow-headers", "`*, authorization`", HeaderUse::Preflights),
    own("access-control-max-age", "`86400` seconds", HeaderUse::Preflights),
];

const fn of_requests(name: &'static str, about: &'static str) -> Header {
    own(name, about, HeaderUse::Requests)
}

const fn own(name: &'static str, about: &'static str, on: HeaderUse) -> Header {
    Header { name, about, on, is_exposed: false }
}

const fn exposed(name: &'static str, about: &'static str, on: HeaderUse) -> Header {
    Header { name, about, on, is_exposed: true }
}
