//! Who answers: a gateway over HTTP, or one in this process.

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderValue, IF_NONE_MATCH};

use super::ClientError;
use super::change_stream::{ChangeSource, ChangeStream};
use super::remote::RemoteGateway;
use super::reply::Reply;
use super::spinner::Spinner;
use crate::cli::{DEFAULT_URL, Flags, SourceFlags, Topic, URL_VARIABLE};
use crate::config::Environment;
use crate::gateway::TRIES;
use crate::http;
use crate::lone_gateway::{ANSWER_TIME, LOAD_TIME, LoneGateway, LoneGatewayError};
use crate::terminal;

/// What may be there in the next answer, which has what this one learned.
const PASSING_REASONS: [&str; 2] = ["reason=timeout", "reason=over-budget"];

/// A gateway that answers.
pub(super) enum AnswerSource {
    Remote(Box<RemoteGateway>),
    Lone(LoneGateway),
}

impl AnswerSource {
    /// # Errors
    /// The flags are wrong, or the gateway in this process does not start.
    pub(super) async fn start(
        flags: &SourceFlags,
        needs_plugins: bool,
        environment: &Environment,
        spinner: &Spinner,
    ) -> Result<Self, ClientError> {
        if flags.rpc.is_empty() && flags.config.is_none() {
            if flags.plugins.is_some() {
                return Err(ClientError::Misuse(
                    "--plugins needs --rpc or --config, which say that no server answers".into(),
                ));
            }
            let url = flags.url.as_deref().or_else(|| environment.get(URL_VARIABLE)).unwrap_or(DEFAULT_URL);
            return Ok(Self::Remote(Box::new(RemoteGateway::at(url)?)));
        }
        lone(flags, needs_plugins, environment, spinner).await.map(Self::Lone)
    }

    /// Words for what is waited for.
    pub(super) fn waits_for(&self) -> String {
        match self {
            Self::Remote(remote) => format!("waiting for {}", remote.name()),
            Self::Lone(_) => "reading the networks".to_owned(),
        }
    }

    /// Opens a stream of changes; `None` if the gateway has none there.
    pub(super) async fn changes(&self, path: &str) -> Option<ChangeStream> {
        let source = match self {
            Self::Remote(remote) => ChangeSource::Remote(remote.events(path).await?),
            Self::Lone(LoneGateway { gateway, .. }) => {
                ChangeSource::Own(http::watch(gateway, ANSWER_TIME, path.parse().ok()?).await?)
            }
        };
        Some(ChangeStream::new(source))
    }

    /// Requests a path with its parameters.
    ///
    /// # Errors
    /// There is no answer, or a problem.
    pub(super) async fn get(&self, path: &str, tag: Option<HeaderValue>) -> Result<Reply, ClientError> {
        let mut headers = HeaderMap::new();
        headers.extend(tag.map(|tag| (IF_NONE_MATCH, tag)));
        match self {
            Self::Remote(remote) => Reply::of(remote.get(path, headers).await?, remote.name()),
            Self::Lone(LoneGateway { gateway, .. }) => {
                let uri: Uri = path.parse().map_err(|error| ClientError::Misuse(format!("{path}: {error}")))?;
                let mut tries = 1;
                loop {
                    let response = http::answer(gateway, ANSWER_TIME, uri.clone(), headers.clone()).await;
                    let reply = Reply::of(response, "the gateway in this process")?;
                    let is_passing =
                        matches!(&reply, Reply::Document(document) if is_passing(document.partial.as_deref()));
                    if !is_passing || tries >= TRIES {
                        return Ok(reply);
                    }
                    tries += 1;
                }
            }
        }
    }
}

fn is_passing(partial: Option<&str>) -> bool {
    partial.is_some_and(|partial| PASSING_REASONS.iter().any(|reason| partial.contains(reason)))
}

/// Starts a gateway in this process, and says so.
async fn lone(
    flags: &SourceFlags,
    needs_plugins: bool,
    environment: &Environment,
    spinner: &Spinner,
) -> Result<LoneGateway, ClientError> {
    let serve = Flags {
        config: flags.config.clone(),
        plugins: flags.plugins.clone(),
        rpc: flags.rpc.clone(),
        ..Flags::default()
    };
    let lone = LoneGateway::start(serve, environment, |_| {}).await.map_err(|error| match error {
        LoneGatewayError::Config(error) => ClientError::Misuse(error.to_string()),
        error => ClientError::Failed(error.to_string()),
    })?;
    spinner.show("loading plugins".to_owned());
    let is_loaded = lone.is_loaded().await;
    spinner.clear();
    if !is_loaded {
        return Err(ClientError::NothingRead(format!("the plugins were not loaded in {LOAD_TIME:?}")));
    }
    let rows = lone.gateway.admin().registry.status();
    for row in rows.iter().filter(|row| row.state != "active") {
        let reason = row.reason.as_deref().unwrap_or_default();
        terminal::note(&format_args!("the plugin {} is {}: {}", row.file, row.state, terminal::shown(reason)));
    }
    let networks = lone.gateway.networks_with_endpoint();
    let networks: Vec<&str> = networks.iter().map(|network| network.slug.as_str()).collect();
    let active = rows.iter().filter(|row| row.state == "active").count();
    if active == 0 && needs_plugins {
        let reason = "no plugin is loaded, and only plugins know protocols: --plugins names the folder of their dylibs";
        return Err(ClientError::Misuse(reason.into()));
    }
    let networks = if networks.is_empty() { "no network".to_owned() } else { networks.join(", ") };
    let plugins = if active == 1 { "plugin" } else { "plugins" };
    terminal::note(&format_args!("answering without a server: {active} {plugins}, endpoints of {networks}"));
    Ok(lone)
}

/// Returns true if an answer about the topic without plugins would be empty for all accounts.
pub(super) fn needs_plugins(topic: Topic) -> bool {
    match topic {
        Topic::Claimables | Topic::Positions | Topic::Plan | Topic::Protocols | Topic::Coverage => true,
        Topic::Balances | Topic::Approvals | Topic::Events | Topic::Name | Topic::Networks => false,
    }
}
