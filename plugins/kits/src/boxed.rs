//! The type of a kit's answers: futures behind a pointer, so that their code stands once, in this crate, and not in
//! each plugin that awaits them.

use std::future::Future;
use std::pin::Pin;

use portolan_plugin_api::Error;

/// An answer under way.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;
