//! The headers that an answer has of its own: how long it holds, its blocks, and what it lacks.

use hyper::header::{CACHE_CONTROL, HeaderMap, HeaderValue};

use crate::gateway::GatewayResponse;
use crate::gateway::problem::Problem;
use crate::http::problem::unwritable;
use crate::http::public::caching;
use crate::http::view;
use crate::http::view::form::Form;

/// Returns the headers of an answer.
///
/// # Errors
/// A text that no header can hold.
pub(super) fn own_headers(
    GatewayResponse { answer, named, lifetime, .. }: &GatewayResponse,
    form: Form,
) -> Result<HeaderMap, Problem> {
    let mut headers = HeaderMap::new();
    let control = match answer {
        _ if form.full || !answer.missing.is_empty() => caching::NO_STORE,
        _ if !answer.about_account => caching::LIST,
        _ => caching::control(*lifetime),
    };
    headers.insert(CACHE_CONTROL, control);
    let own = [
        (view::ACCOUNT, view::account(*named)),
        (view::BLOCKS, view::blocks(answer)),
        (view::CURRENCY, view::currency(answer)),
        (view::PARTIAL, view::partial(&answer.missing)),
    ];
    for (name, text) in own {
        if let Some(text) = text {
            headers.insert(name, HeaderValue::from_str(&text).map_err(|error| unwritable(&error))?);
        }
    }
    Ok(headers)
}
