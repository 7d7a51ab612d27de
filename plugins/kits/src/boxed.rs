//! Type of a kit's answers: boxed futures, so that their code is compiled once, in this crate, and not in each plugin.

use std::future::Future;
use std::pin::Pin;

use portolan_plugin_api::Error;

/// Future of an answer.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;
