//! The data of the event `answer`: the plain answer, with its status and its own headers.

use std::collections::BTreeMap;

use hyper::StatusCode;
use hyper::header::HeaderMap;
use portolan_base::client_share::ClientShare;
use portolan_base::sanitize::output;

use crate::cpu_pool::CpuPool;
use crate::gateway::GatewayResponse;
use crate::gateway::problem::Problem;
use crate::http::problem::unwritable;
use crate::http::public::answer_headers::own_headers;
use crate::http::public::body::BodyWriter;

/// Writes the data; the member `body` is the plain answer's body, byte for byte.
///
/// # Errors
/// The body is too long, late or cannot be serialized.
pub(super) async fn data(
    writer: BodyWriter,
    cpu_pool: &CpuPool,
    client: &ClientShare,
    mut response: GatewayResponse,
) -> Result<Vec<u8>, Problem> {
    let headers = own_headers(&response, writer.form)?;
    let _admitted = response.admitted.take();
    let body = writer.write(cpu_pool, client, response).await?.bytes;
    let headers = output::json(&texts(&headers)).map_err(|error| unwritable(&error))?;
    let status = StatusCode::OK.as_u16();
    Ok([format!("{{\"status\":{status},\"headers\":").as_bytes(), &headers, b",\"body\":", &body, b"}"].concat())
}

fn texts(headers: &HeaderMap) -> BTreeMap<&str, &str> {
    headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?))).collect()
}
