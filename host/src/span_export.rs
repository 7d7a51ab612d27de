//! Export of spans to a collector, as OTLP over HTTP.
//!
//! Invariant: the queue is bounded, and spans are dropped if the collector is slow. No answer waits for the export,
//! and the end of the process waits for a bounded time. Sizes of queue and batches, sampling and headers are set by
//! the standard variables of OpenTelemetry's SDK.

use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use hyper::{HeaderMap, Request, Response};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{HeaderExtractor, HttpClient, HttpError};
use opentelemetry_otlp::{ExporterBuildError, Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tracing::level_filters::LevelFilter;
use tracing::{Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

use crate::log::RareLog;

/// Time limit for sending one batch.
const SEND_WITHIN: Duration = Duration::from_secs(10);
/// Time limit for sending the rest when the process ends.
const FLUSH_WITHIN: Duration = Duration::from_secs(3);

/// Exports spans until it is stopped.
#[derive(Debug)]
pub(crate) struct SpanExport(SdkTracerProvider);

impl SpanExport {
    /// Starts the export to the collector at this URL, with `/v1/traces` added to its path.
    ///
    /// # Errors
    /// The SDK's variables are invalid.
    pub(crate) fn start(collector: &Url, runtime: &Handle) -> Result<Self, ExporterBuildError> {
        let endpoint = format!("{}/v1/traces", collector.as_str().trim_end_matches('/'));
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Sender::new(runtime.clone()))
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(endpoint)
            .build()?;
        let version = opentelemetry::KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
        let resource = Resource::builder().with_service_name("portolan").with_attribute(version).build();
        let provider = SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource).build();
        Ok(Self(provider))
    }

    /// Returns the layer that takes the process's own spans, without events.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + Send + Sync + use<S>
    where
        S: Subscriber + for<'a> LookupSpan<'a> + Send + Sync,
    {
        let own = filter_fn(|metadata| metadata.is_span() && metadata.target().starts_with("portolan"));
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("portolan"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_level(false)
            .with_tracked_inactivity(false)
            .with_context_activation(false)
            .with_filter(own.with_max_level_hint(LevelFilter::DEBUG))
    }

    /// Sends the remaining spans. Blocks until done.
    pub(crate) fn stop(self) {
        if let Err(error) = self.0.shutdown_with_timeout(FLUSH_WITHIN) {
            tracing::warn!(%error, "the last spans are not exported");
        }
    }
}

/// Makes a span a child of the one that the request's `traceparent` names.
pub(crate) fn adopt(span: &Span, headers: &HeaderMap) {
    let parent = TraceContextPropagator::new().extract(&HeaderExtractor(headers));
    // A span that is not exported has no parent.
    let _ = span.set_parent(parent);
}

/// Sends batches on the process's runtime; the SDK's thread has none.
#[derive(Debug)]
struct Sender {
    client: HyperClient<HttpsConnector<HttpConnector>>,
    runtime: Handle,
    failed: RareLog,
}

impl Sender {
    fn new(runtime: Handle) -> Self {
        let tls = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1().build();
        Self { client: HyperClient::new(tls, SEND_WITHIN, None), runtime, failed: RareLog::default() }
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move { client.send_bytes(request).await }).await?;
        let reason = match &sent {
            Ok(response) if response.status().is_success() => return sent,
            Ok(response) => format!("HTTP status {}", response.status().as_u16()),
            Err(error) => error.to_string(),
        };
        self.failed.warn(|failed, seconds| {
            tracing::warn!(failed, seconds, reason, "batches of spans are not exported, and are dropped");
        });
        sent
    }
}

impl HttpClient for Sender {
    fn send_bytes<'a, 'b>(&'a self, request: Request<Bytes>) -> BoxFuture<'b, Result<Response<Bytes>, HttpError>>
    where
        'a: 'b,
        Self: 'b,
    {
        self.send(request).boxed()
    }
}
