//! `portolan mcp`: serves one assistant over standard input and output.

use std::sync::Arc;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use rmcp::ServiceExt as _;
use rmcp::transport::stdio;

use super::source::AnswerSource;
use super::spinner::Spinner;
use super::{AnswerDocument, ClientError, Reply};
use crate::cli::SourceFlags;
use crate::config::Environment;
use crate::http::public::mcp::{AnswerReply, JobEnded, McpHandler, ToolSource};

/// Serves until the input ends.
pub(super) async fn run(flags: &SourceFlags, environment: &Environment, spinner: &Spinner) -> Result<(), ClientError> {
    let source = AnswerSource::start(flags, true, environment, spinner).await?;
    let failed = |what: &dyn std::fmt::Display| ClientError::Failed(format!("the assistant is not served: {what}"));
    let serving = McpHandler::new(AssistantSource(Arc::new(source))).serve(stdio()).await;
    serving.map_err(|error| failed(&error))?.waiting().await.map_err(|error| failed(&error))?;
    Ok(())
}

/// The gateway that answers, over HTTP or in this process.
struct AssistantSource(Arc<AnswerSource>);

impl ToolSource for AssistantSource {
    fn get<'a>(&'a self, path: &'a str, _: Option<JobEnded<'a>>) -> BoxFuture<'a, AnswerReply> {
        async move {
            match self.0.get(path, None).await {
                Ok(Reply::Document(AnswerDocument { body, partial, blocks, account, .. })) => {
                    AnswerReply::Answer { body, partial, blocks, account }
                }
                Ok(Reply::NotModified { .. }) => AnswerReply::Refused("the gateway sent no body".to_owned()),
                Err(error) => AnswerReply::Refused(error.to_string()),
            }
        }
        .boxed()
    }
}
