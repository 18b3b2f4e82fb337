//! The trace of a request: a span for all of it, and one for each stage.
//!
//! Attributes have the names of OpenTelemetry's conventions where there is one. None contains the text of a query.

use std::{
    borrow::Cow,
    time::{Instant, SystemTime},
};

use lore_session::traces::{Attribute, Span, Trace};

use crate::requests::{FinishedRequest, Outcome};

/// Returns the trace of a request.
pub(super) fn trace(request: &FinishedRequest) -> Trace {
    let name = match request.tool {
        Some(tool) => format!("tools/call {tool}"),
        None => format!("{} {}", request.method, request.route),
    };
    let text = |text: &str| Attribute::Text(text.to_owned());
    let mut attributes = vec![
        ("http.request.method", text(request.method.as_str())),
        ("http.route", text(&request.route)),
        ("lorehound.outcome", text(request.outcome.as_str())),
        ("http.response.body.size", Attribute::Number(request.bytes.cast_signed())),
    ];
    if let Some(status) = request.status {
        attributes.push(("http.response.status_code", Attribute::Number(status.as_u16().into())));
    }
    if let Some(tool) = request.tool {
        attributes.push(("gen_ai.tool.name", text(tool)));
    }
    if !request.trees.is_empty() {
        attributes.push(("lorehound.trees", Attribute::Texts(request.trees.clone())));
    }
    let at = |time: Instant| -> SystemTime {
        request.arrived + time.saturating_duration_since(request.started)
    };
    let stages = request.stages.iter().map(|stage| Span {
        name: Cow::Borrowed(stage.name),
        started: at(stage.started),
        ended: at(stage.ended),
        is_error: false,
        attributes: Vec::new(),
    });
    Trace {
        id: request.id,
        stages: stages.collect(),
        request: Span {
            name: name.into(),
            started: request.arrived,
            ended: request.arrived + request.duration,
            is_error: matches!(request.outcome, Outcome::Failed | Outcome::ServerError),
            attributes,
        },
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use hyper::Method;

    use super::*;
    use crate::requests::{QUERY, RequestRecord, stage, within};

    #[test]
    fn a_trace_has_the_stages_of_its_request() {
        let record = Arc::new(RequestRecord::new(Method::POST, true));
        record.set_route(Arc::from("/mcp"));
        record.begin_call("search");
        record.note_query(|| "zanzibar".to_owned());
        within(Some(Arc::clone(&record)), || stage(QUERY, Instant::now()));
        record.end_call(Outcome::Failed);
        let trace = trace(&record.finish());
        assert_eq!(trace.request.name, "tools/call search");
        assert!(trace.request.is_error && trace.id != [0; 16]);
        let names: Vec<&str> = trace.stages.iter().map(|stage| &*stage.name).collect();
        assert_eq!(names, ["query", "render"]);
        for stage in &trace.stages {
            assert!(trace.request.started <= stage.started && stage.started <= stage.ended);
            assert!(stage.ended <= trace.request.ended);
        }
        assert!(!format!("{trace:?}").contains("zanzibar"));
    }
}
