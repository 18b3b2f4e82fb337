//! The exporter: OTLP over HTTP, with the libraries of OpenTelemetry and the client of this crate.
//!
//! **Invariant:** opens connections only to the one collector that the user's own settings name.

use std::{
    fmt,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use lore_console::report;
use lore_settings::address::Address;
use opentelemetry::{
    InstrumentationScope, KeyValue, StringValue, Value,
    trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState},
};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::{
    Resource,
    trace::{
        BatchSpanProcessor, IdGenerator as _, RandomIdGenerator, SpanData, SpanEvents, SpanLinks,
        SpanProcessor as _,
    },
};
use ureq::Agent;

use super::{Attribute, Exports, Span, Trace};
use crate::http_client;

/// Time limit of one request to the collector.
const MAX_EXPORT: Duration = Duration::from_secs(10);

/// Time limit for the last traces at the end of the server.
const MAX_FLUSH: Duration = Duration::from_secs(2);

/// Maximum size of an answer of the collector, in bytes.
const MAX_ANSWER_BYTES: u64 = 64 << 10;

/// Sends traces to a collector.
pub struct Exporter {
    processor: BatchSpanProcessor,
    scope: InstrumentationScope,
    ids: RandomIdGenerator,
    counts: Arc<Counts>,
}

impl fmt::Debug for Exporter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Exporter").field("counts", &self.counts).finish_non_exhaustive()
    }
}

impl Exporter {
    /// Starts the thread that sends traces. Opens no connection yet.
    pub fn start(address: &Address) -> anyhow::Result<Exporter> {
        let counts = Arc::new(Counts::default());
        let client = Client {
            agent: http_client::agent("*/*", Some(MAX_EXPORT)),
            counts: Arc::clone(&counts),
            url: address.url(),
        };
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(address.url())
            .with_timeout(MAX_EXPORT)
            .build()
            .context("could not send traces")?;
        let mut processor = BatchSpanProcessor::builder(exporter).build();
        let version = env!("CARGO_PKG_VERSION");
        let resource = Resource::builder()
            .with_service_name("lorehound")
            .with_attribute(KeyValue::new("service.version", version))
            .build();
        processor.set_resource(&resource);
        let scope = InstrumentationScope::builder("lorehound").with_version(version).build();
        Ok(Exporter { processor, scope, ids: RandomIdGenerator::default(), counts })
    }

    /// Adds a trace to the next batch, or drops it if too many are waiting.
    pub fn send(&self, trace: Trace) {
        let id = TraceId::from_bytes(trace.id);
        let root = self.ids.new_span_id();
        for stage in trace.stages {
            let span = self.ids.new_span_id();
            self.processor.on_end(self.data(stage, SpanKind::Internal, (id, span, root)));
        }
        let no_parent = SpanId::INVALID;
        self.processor.on_end(self.data(trace.request, SpanKind::Server, (id, root, no_parent)));
    }

    /// Results of the requests so far.
    pub fn exports(&self) -> Exports {
        Exports {
            accepted: self.counts.accepted.load(Ordering::Relaxed),
            failed: self.counts.failed.load(Ordering::Relaxed),
        }
    }

    /// Sends the last traces, and waits a moment for that.
    pub fn finish(&self) {
        // A collector that does not answer gets no more time.
        let _ = self.processor.shutdown_with_timeout(MAX_FLUSH);
    }

    fn data(
        &self,
        span: Span,
        kind: SpanKind,
        (trace, own, parent): (TraceId, SpanId, SpanId),
    ) -> SpanData {
        let state = TraceState::default();
        SpanData {
            span_context: SpanContext::new(trace, own, TraceFlags::SAMPLED, false, state),
            parent_span_id: parent,
            parent_span_is_remote: false,
            span_kind: kind,
            name: span.name,
            start_time: span.started,
            end_time: span.ended,
            attributes: span.attributes.into_iter().map(attribute).collect(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: if span.is_error { Status::error("") } else { Status::Unset },
            instrumentation_scope: self.scope.clone(),
        }
    }
}

fn attribute((name, value): (&'static str, Attribute)) -> KeyValue {
    match value {
        Attribute::Text(text) => KeyValue::new(name, text),
        Attribute::Number(number) => KeyValue::new(name, number),
        Attribute::Texts(texts) => {
            let texts: Vec<StringValue> = texts.into_iter().map(StringValue::from).collect();
            KeyValue::new(name, Value::Array(texts.into()))
        }
    }
}

/// Results of the requests, and whether the last one failed.
#[derive(Debug, Default)]
struct Counts {
    accepted: AtomicU64,
    failed: AtomicU64,
    is_failing: AtomicBool,
}

/// The client that the library sends requests with. Its thread waits for the answer.
#[derive(Debug)]
struct Client {
    agent: Agent,
    counts: Arc<Counts>,
    url: String,
}

impl Client {
    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, ureq::Error> {
        let (parts, body) = request.into_parts();
        let answer = self.agent.run(Request::from_parts(parts, &body[..]))?;
        let (parts, mut body) = answer.into_parts();
        let bytes = body.with_config().limit(MAX_ANSWER_BYTES).read_to_vec()?;
        Ok(Response::from_parts(parts, bytes.into()))
    }

    /// Counts a request, and warns about the first one of a row that failed.
    fn count(&self, result: &Result<Response<Bytes>, ureq::Error>) {
        let reason = match result {
            Ok(answer) if answer.status().is_success() => None,
            Ok(answer) => Some(format!("it returned {}", answer.status())),
            Err(error) => Some(error.to_string()),
        };
        let Some(reason) = reason else {
            self.counts.accepted.fetch_add(1, Ordering::Relaxed);
            self.counts.is_failing.store(false, Ordering::Relaxed);
            return;
        };
        self.counts.failed.fetch_add(1, Ordering::Relaxed);
        if !self.counts.is_failing.swap(true, Ordering::Relaxed) {
            report::warning(&format!("could not send traces to {}: {reason}", self.url));
        }
    }
}

impl HttpClient for Client {
    // The form that the macro of the library gives to an asynchronous function.
    fn send_bytes<'own, 'future>(
        &'own self,
        request: Request<Bytes>,
    ) -> Pin<Box<dyn Future<Output = Result<Response<Bytes>, HttpError>> + Send + 'future>>
    where
        'own: 'future,
        Self: 'future,
    {
        Box::pin(async move {
            let result = self.send(request);
            self.count(&result);
            result.map_err(HttpError::from)
        })
    }
}
