//! A collector of spans on loopback: it keeps what an exporter sends as OTLP over HTTP.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
pub use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message as _;
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

/// It ends with the value.
#[derive(Debug)]
pub struct Collector {
    address: SocketAddr,
    bodies: Arc<Mutex<Vec<Bytes>>>,
    _runtime: Runtime,
}

impl Collector {
    /// Listens at a free port.
    ///
    /// # Errors
    /// No free port.
    pub fn start() -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let (address, bodies) = (listener.local_addr()?, Arc::<Mutex<Vec<Bytes>>>::default());
        let kept = Arc::clone(&bodies);
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let kept = Arc::clone(&kept);
                let service = service_fn(move |request| take(request, Arc::clone(&kept)));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Ok(Self { address, bodies, _runtime: runtime })
    }

    /// Lines of a configuration that export spans to it.
    pub fn config(&self) -> String {
        format!("[spans]\ncollector = \"http://{}\"", self.address)
    }

    /// The spans that came so far.
    ///
    /// # Errors
    /// A body that is none of OTLP.
    pub fn spans(&self) -> Result<Vec<Span>> {
        let bodies = self.bodies.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut spans = Vec::new();
        for body in bodies {
            let request = ExportTraceServiceRequest::decode(body)?;
            let scopes = request.resource_spans.into_iter().flat_map(|resource| resource.scope_spans);
            spans.extend(scopes.flat_map(|scope| scope.spans));
        }
        Ok(spans)
    }
}

/// An attribute of a span as text.
pub fn attribute(span: &Span, name: &str) -> Option<String> {
    let value = span.attributes.iter().find(|attribute| attribute.key == name)?.value.as_ref()?.value.as_ref()?;
    Some(match value {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    })
}

async fn take(request: Request<Incoming>, kept: Arc<Mutex<Vec<Bytes>>>) -> Result<Response<Full<Bytes>>, Infallible> {
    let is_export = *request.method() == Method::POST && request.uri().path() == "/v1/traces";
    let mut response = Response::new(Full::default());
    match request.into_body().collect().await {
        Ok(body) if is_export => kept.lock().unwrap_or_else(PoisonError::into_inner).push(body.to_bytes()),
        _ => *response.status_mut() = StatusCode::NOT_FOUND,
    }
    Ok(response)
}
