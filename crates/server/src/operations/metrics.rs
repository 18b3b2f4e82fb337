//! The metrics of `/metrics`, in the text form of Prometheus.
//!
//! **Invariant:** label values come from fixed sets: patterns of addresses, names of tools, outcomes, and the
//! names of the trees that the server was started for.

use std::{fmt, sync::Arc};

use lore_session::traces::Exporter;
use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _, prometheus_text},
    metrics::{
        MetricType,
        counter::{ConstCounter, Counter},
        family::Family,
        gauge::{ConstGauge, Gauge},
        histogram::Histogram,
        info::Info,
    },
    registry::Registry,
};

use crate::{requests::FinishedRequest, roots::Trees, tree::Tree};

/// Media type of the text.
pub(crate) const CONTENT_TYPE: &str = prometheus_text::CONTENT_TYPE;

/// Upper bounds of the buckets of durations, in seconds.
const BUCKETS: [f64; 13] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Start of each name.
const PREFIX: &str = "lorehound";

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: Arc<str>,
    tool: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    route: Arc<str>,
    tool: &'static str,
    outcome: &'static str,
}

/// All metrics of a server.
pub(super) struct Metrics {
    registry: Registry,
    requests: Family<OutcomeLabels, Counter>,
    durations: Family<RequestLabels, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    dropped_lines: Counter,
}

impl Metrics {
    /// The metrics of these trees. `build` is the version, with the commit in parentheses if it is known.
    pub(super) fn new(build: &str, trees: Arc<Trees>, traces: Option<Arc<Exporter>>) -> Metrics {
        let mut registry = Registry::with_prefix(PREFIX);
        let requests = Family::default();
        registry.register("requests", "Requests that were answered", requests.clone());
        let durations: Family<_, _, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(BUCKETS));
        registry.register(
            "request_duration_seconds",
            "Time from the headers of a request to its answer",
            durations.clone(),
        );
        let in_flight = Gauge::default();
        registry.register(
            "requests_in_flight",
            "Requests that are being answered",
            in_flight.clone(),
        );
        let dropped_lines = Counter::default();
        registry.register(
            "log_lines_dropped",
            "Lines of the log that were dropped because their reader was slow",
            dropped_lines.clone(),
        );
        let (version, commit) = version_and_commit(build);
        registry.register(
            "build",
            "Version of the program",
            Info::new([("version", version), ("commit", commit)]),
        );
        registry.register_collector(Box::new(AtScrape { trees, traces }));
        Metrics { registry, requests, durations, in_flight, dropped_lines }
    }

    /// The counter of dropped lines of the log.
    pub(super) fn dropped_lines(&self) -> Counter {
        self.dropped_lines.clone()
    }

    /// Counts a request that is being answered.
    pub(super) fn begin(&self) {
        self.in_flight.inc();
    }

    /// Counts a request that was answered.
    pub(super) fn end(&self, request: &FinishedRequest, is_stream: bool) {
        let (route, tool) = (Arc::clone(&request.route), request.tool.unwrap_or_default());
        if !is_stream {
            self.in_flight.dec();
            let labels = RequestLabels { route: Arc::clone(&route), tool };
            self.durations.get_or_create(&labels).observe(request.duration.as_secs_f64());
        }
        let outcome = request.outcome.as_str();
        self.requests.get_or_create(&OutcomeLabels { route, tool, outcome }).inc();
    }

    /// Writes all metrics.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = prometheus_text::encode(&mut text, &self.registry);
        text
    }
}

/// Splits `0.1.0 (0123456789ab 2026-01-31)` into the version and the commit, which may be empty.
fn version_and_commit(build: &str) -> (String, String) {
    let (version, rest) = build.split_once(' ').unwrap_or((build, ""));
    let commit = rest.trim_start_matches('(').trim_end_matches(')');
    let commit = commit.split(' ').next().unwrap_or_default();
    (version.to_owned(), commit.to_owned())
}

/// Values that are read when the metrics are requested.
struct AtScrape {
    trees: Arc<Trees>,
    traces: Option<Arc<Exporter>>,
}

impl fmt::Debug for AtScrape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("AtScrape")
    }
}

impl Collector for AtScrape {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        if let Some(bytes) = lore_engine::own_memory() {
            let about = "Memory that the process allocated, without mapped files";
            gauge(&mut encoder, "memory_bytes", about)?.add_plain(bytes)?;
        }
        let about = "Trees that are open: those of the start, and those that clients named";
        gauge(&mut encoder, "trees_open", about)?.add_plain(self.trees.open_count() as u64)?;
        if let Some(traces) = &self.traces {
            let exports = traces.exports();
            let about = "Requests with traces to the collector";
            let kind = MetricType::Counter;
            let mut rows = encoder.encode_descriptor("trace_exports", about, None, kind)?;
            for (outcome, count) in [("ok", exports.accepted), ("failed", exports.failed)] {
                let labels = [("outcome", outcome)];
                ConstCounter::new(count).encode(rows.encode_family(&labels)?)?;
            }
        }
        let trees = self.trees.open_of_start();
        let mut rows = |name: &str, about: &str, value: &dyn Fn(&Tree) -> Option<f64>| {
            let mut family = gauge(&mut encoder, name, about)?;
            trees.iter().try_for_each(|(label, tree)| match value(tree) {
                Some(value) => family.add(label, value),
                None => Ok(()),
            })
        };
        let flag = |flag: bool| if flag { 1.0 } else { 0.0 };
        rows("tree_ready", "1 if the index of the tree was complete once", &|tree| {
            Some(flag(tree.progress().is_some_and(|(is_ready, _)| is_ready)))
        })?;
        rows("tree_watched", "1 if the system reports every change of the tree", &|tree| {
            Some(flag(tree.last_check().is_some_and(|check| check.is_watched)))
        })?;
        let about = "Time since the index of the tree was last compared with the files";
        rows("tree_check_age_seconds", about, &|tree| {
            tree.last_check().map(|check| check.age.as_secs_f64())
        })?;
        rows("tree_documents", "Documents of all sources of the tree", &|tree| {
            tree.last_check()?.documents.map(|documents| documents as f64)
        })
    }
}

/// Begins a gauge. Its samples follow.
fn gauge<'e>(
    encoder: &'e mut DescriptorEncoder<'_>,
    name: &'e str,
    about: &str,
) -> Result<GaugeRows<'e>, fmt::Error> {
    encoder.encode_descriptor(name, about, None, MetricType::Gauge).map(GaugeRows)
}

/// The samples of a gauge.
struct GaugeRows<'e>(prometheus_client::encoding::MetricEncoder<'e>);

impl GaugeRows<'_> {
    /// Adds the sample of a tree.
    fn add(&mut self, tree: &str, value: f64) -> fmt::Result {
        ConstGauge::new(value).encode(self.0.encode_family(&[("tree", tree)])?)
    }

    /// Adds the only sample.
    fn add_plain(self, value: u64) -> fmt::Result {
        ConstGauge::new(value).encode(self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use hyper::Method;

    use super::*;
    use crate::requests::{Outcome, RequestRecord};

    fn metrics() -> Metrics {
        Metrics::new("0.1.0 (0123456789ab 2026-01-31)", Arc::new(Trees::new(Arc::default())), None)
    }

    fn request(tool: Option<&'static str>, milliseconds: u64) -> FinishedRequest {
        let record = RequestRecord::new(Method::POST, false);
        record.set_route(Arc::from("/mcp"));
        if let Some(tool) = tool {
            record.begin_call(tool);
        }
        record.end_call(Outcome::Ok);
        FinishedRequest { duration: Duration::from_millis(milliseconds), ..record.finish() }
    }

    #[test]
    fn requests_are_counted_by_route_tool_and_outcome() {
        let metrics = metrics();
        metrics.begin();
        metrics.begin();
        metrics.end(&request(Some("search"), 4), false);
        let text = metrics.text();
        let has = |line: &str| assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        has(r#"lorehound_requests_total{route="/mcp",tool="search",outcome="ok"} 1"#);
        has(r#"lorehound_request_duration_seconds_count{route="/mcp",tool="search"} 1"#);
        has(
            r#"lorehound_request_duration_seconds_bucket{route="/mcp",tool="search",le="0.0025"} 0"#,
        );
        has(
            r#"lorehound_request_duration_seconds_bucket{route="/mcp",tool="search",le="0.005"} 1"#,
        );
        has("lorehound_requests_in_flight 1");
        has(r#"lorehound_build_info{version="0.1.0",commit="0123456789ab"} 1"#);
    }

    #[test]
    fn streams_have_no_duration() {
        let metrics = metrics();
        metrics.end(&request(None, 60_000), true);
        let text = metrics.text();
        assert!(text.contains(r#"lorehound_requests_total{route="/mcp",tool="",outcome="ok"} 1"#));
        assert!(!text.contains("duration_seconds_count"), "{text}");
        assert!(text.contains("lorehound_requests_in_flight 0"), "{text}");
    }

    #[test]
    fn builds_without_a_commit_have_an_empty_one() {
        assert_eq!(version_and_commit("0.1.0"), ("0.1.0".to_owned(), String::new()));
    }
}
