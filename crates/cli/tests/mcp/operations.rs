//! Operations of the HTTP server: its metrics and its log.

use std::{
    collections::BTreeMap,
    io::{BufReader, Lines},
    process::ChildStderr,
};

use serde_json::{Value, json};

use crate::{
    http::{Served, TOKEN},
    workspace::Workspace,
};

/// The samples of a text in the form of Prometheus, by name with labels. Fails for a line of another form.
fn samples(text: &str) -> BTreeMap<String, String> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'0'..=b'9'))
    };
    let mut kinds = BTreeMap::new();
    let mut samples = BTreeMap::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# ") {
            let words: Vec<&str> = rest.splitn(3, ' ').collect();
            assert!(matches!(words[0], "HELP" | "TYPE") && is_name(words[1]), "{line}");
            if words[0] == "TYPE" {
                assert!(["counter", "gauge", "histogram"].contains(&words[2]), "{line}");
                assert_eq!(kinds.insert(words[1], words[2]), None, "{line}");
            }
            continue;
        }
        let (key, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("no value: {line}"));
        assert!(value.parse::<f64>().is_ok(), "no number: {line}");
        let (name, labels) = key.split_once('{').unwrap_or((key, "}"));
        let base = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
        assert!(
            kinds.contains_key(name) || base.is_some_and(|it| kinds[it] == "histogram"),
            "{line}"
        );
        let labels = labels.strip_suffix('}').expect("an end of the labels");
        for label in labels.split("\",").filter(|label| !label.is_empty()) {
            let (name, value) = label.split_once("=\"").unwrap_or_else(|| panic!("{line}"));
            assert!(is_name(name) && !value.trim_end_matches('"').contains('"'), "{line}");
        }
        assert_eq!(samples.insert(key.to_owned(), value.to_owned()), None, "{line}");
    }
    samples
}

/// Requests the metrics.
fn metrics(served: &Served) -> (BTreeMap<String, String>, String) {
    let (status, head, body) = served.get("/metrics");
    assert_eq!(status, 200, "{head}");
    assert!(head.to_lowercase().contains("content-type: text/plain; version=0.0.4"), "{head}");
    (samples(&body), body)
}

#[test]
fn metrics_count_requests_by_route_tool_and_outcome() {
    let workspace = Workspace::shop();
    let served = Served::start(&workspace, Some(TOKEN));
    let more = served.session();
    let (_, calls) = served.call(&more, "search", &json!({"query": "retry a zanzibar refund"}));
    for (tool, arguments) in
        [("search", json!({"query": ""})), ("search", json!({"limit": "x"})), ("bake", json!({}))]
    {
        let call = json!({"jsonrpc": "2.0", "id": 99, "method": "tools/call", "params":
            {"name": tool, "arguments": arguments}});
        served.message(&more, &call);
    }
    assert_eq!(served.get("/file/src/refund.rs").0, 200);
    assert_eq!(served.get("/no/such/page").0, 404);
    let stranger = format!("GET /status HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", served.port);
    assert_eq!(served.request(&stranger, "").0, 401);
    let (samples, text) = metrics(&served);
    let requests = |route: &str, tool: &str, outcome: &str| {
        let labels = format!(r#"{{route="{route}",tool="{tool}",outcome="{outcome}"}}"#);
        samples
            .get(&format!("lorehound_requests_total{labels}"))
            .map_or(0, |value| value.parse::<u64>().expect("a count"))
    };
    let not_ready = requests("/mcp", "search", "not_ready");
    assert_eq!(requests("/mcp", "search", "ok") + not_ready, calls, "{text}");
    assert_eq!(requests("/mcp", "search", "failed"), 1, "{text}");
    assert_eq!(requests("/mcp", "search", "invalid"), 1, "{text}");
    assert_eq!(requests("/mcp", "", "invalid"), 1, "{text}");
    assert_eq!(requests("/file/{*path}", "", "ok"), 1, "{text}");
    assert_eq!(requests("other", "", "invalid"), 1, "{text}");
    assert_eq!(requests("none", "", "unauthorized"), 1, "{text}");
    let of_search = r#"{route="/mcp",tool="search"}"#;
    let count = &samples[&format!("lorehound_request_duration_seconds_count{of_search}")];
    assert_eq!(*count, (calls + 2).to_string(), "{text}");
    let last = r#"{route="/mcp",tool="search",le="+Inf"}"#;
    assert_eq!(&samples[&format!("lorehound_request_duration_seconds_bucket{last}")], count);
    assert_ne!(samples[&format!("lorehound_request_duration_seconds_sum{of_search}")], "0");
    // The request for the metrics itself.
    assert_eq!(samples["lorehound_requests_in_flight"], "1", "{text}");
}

#[test]
fn metrics_describe_trees_and_contain_no_text_of_users() {
    let workspace = Workspace::shop();
    let served = Served::start(&workspace, Some(TOKEN));
    let (before, _) = metrics(&served);
    assert!(!before.keys().any(|key| key.starts_with("lorehound_tree_documents")), "{before:?}");
    let more = served.session();
    served.call(&more, "search", &json!({"query": "retry a zanzibar refund"}));
    served.call(&more, "read", &json!({"target": "src/refund.rs"}));
    served.get("/search?q=zanzibar");
    let (samples, text) = metrics(&served);
    let name = workspace.tree().file_name().expect("a name").to_string_lossy().into_owned();
    let of_tree = |metric: &str| {
        let value = &samples[&format!("lorehound_tree_{metric}{{tree=\"{name}\"}}")];
        value.parse::<f64>().expect("a number")
    };
    assert!(0.5 < of_tree("ready"), "{text}");
    assert!(0.0 < of_tree("documents"), "{text}");
    assert!((0.0..60.0).contains(&of_tree("check_age_seconds")), "{text}");
    assert!((0.0..=1.0).contains(&of_tree("watched")), "{text}");
    assert_eq!(samples["lorehound_trees_open"], "1", "{text}");
    if cfg!(target_os = "linux") {
        let bytes = samples["lorehound_memory_bytes"].parse::<u64>().expect("a number");
        assert!(1_000_000 < bytes, "{text}");
    }
    let version = format!("lorehound_build_info{{version=\"{}\"", env!("CARGO_PKG_VERSION"));
    assert!(samples.keys().any(|key| key.starts_with(&version)), "{text}");
    let root = workspace.tree().display().to_string();
    for secret in ["zanzibar", "refund", TOKEN, root.as_str()] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[test]
fn metrics_need_the_token() {
    let workspace = Workspace::shop();
    let served = Served::start_with(&workspace, Some(TOKEN), &["--no-page"]);
    let head =
        |more: &str| format!("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{more}", served.port);
    for more in ["", "Authorization: Bearer wrong\r\n", "Cookie: lore=1\r\n"] {
        let (status, _, body) = served.request(&head(more), "");
        assert_eq!((status, body.contains("lorehound_")), (401, false), "{more}");
    }
    assert_eq!(served.get("/metrics").0, 200);
    let post = head(&format!("Authorization: Bearer {TOKEN}\r\n")).replace("GET", "POST");
    assert_eq!(served.request(&post, "").0, 405);
}

/// Sends requests with a rare word, and returns the lines of the log that they wrote.
fn logged(served: &Served, messages: Lines<BufReader<ChildStderr>>) -> Vec<String> {
    let more = served.session();
    served.call(&more, "search", &json!({"query": "retry a zanzibar refund"}));
    assert_eq!(served.get("/search?q=zanzibar").0, 200);
    // Its line is the last one.
    let stranger = format!("GET /status HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n", served.port);
    assert_eq!(served.request(&stranger, "").0, 401);
    let mut lines = Vec::new();
    for line in messages {
        lines.push(line.expect("Unicode"));
        if lines.last().is_some_and(|line| line.contains("unauthorized")) {
            return lines;
        }
    }
    panic!("no line of the last request: {lines:?}");
}

/// The lines that are JSON.
fn objects(lines: &[String]) -> Vec<Value> {
    let lines = lines.iter().filter(|line| line.starts_with('{'));
    lines.map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"))).collect()
}

#[test]
fn the_log_has_an_object_for_each_request_and_no_query() {
    let workspace = Workspace::shop();
    let (served, messages) =
        Served::start_with_messages(&workspace, Some(TOKEN), &["--log", "json"]);
    let lines = logged(&served, messages);
    let objects = objects(&lines);
    let name = workspace.tree().file_name().expect("a name").to_string_lossy().into_owned();
    let of = |key: &str, value: &str| -> Vec<&Value> {
        objects.iter().filter(|object| object[key] == value).collect()
    };
    let called = of("tool", "search").into_iter().find(|object| object["outcome"] == "ok");
    let called = called.unwrap_or_else(|| panic!("{lines:?}"));
    assert_eq!(
        (&called["route"], &called["method"], &called["status"], &called["trees"]),
        (&json!("/mcp"), &json!("POST"), &json!(200), &json!([name]))
    );
    assert!(called["bytes"].as_u64().is_some_and(|bytes| 100 < bytes), "{called}");
    assert!(called["milliseconds"].as_f64().is_some_and(|time| 0.0 < time), "{called}");
    assert!(called["time"].as_str().is_some_and(|time| time.ends_with('Z')), "{called}");
    assert!(called["id"].as_str().is_some_and(|id| id.len() == 32), "{called}");
    let page = of("route", "/search");
    assert_eq!((page.len(), &page[0]["status"]), (1, &json!(200)), "{lines:?}");
    assert_eq!(of("outcome", "unauthorized")[0]["route"], "none");
    let mut ids: Vec<String> = objects.iter().map(|object| object["id"].to_string()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), objects.len(), "{lines:?}");
    for secret in ["zanzibar", "refund", TOKEN] {
        assert!(!lines.concat().contains(secret), "{secret}: {lines:?}");
    }
}

#[test]
fn the_log_has_queries_if_the_user_adds_them() {
    let workspace = Workspace::shop();
    let (served, messages) =
        Served::start_with_messages(&workspace, Some(TOKEN), &["--log", "json", "--log-queries"]);
    let lines = logged(&served, messages);
    let queries: Vec<String> =
        objects(&lines).iter().filter_map(|it| Some(it["query"].as_str()?.to_owned())).collect();
    let arguments = json!({"query": "retry a zanzibar refund"}).to_string();
    assert!(queries.contains(&arguments), "{queries:?}");
    assert!(queries.contains(&"/search?q=zanzibar".to_owned()), "{queries:?}");
    assert!(!lines.concat().contains(TOKEN));
}

#[test]
fn the_log_can_be_text_and_is_off_by_default() {
    let workspace = Workspace::shop();
    let (served, messages) =
        Served::start_with_messages(&workspace, Some(TOKEN), &["--log", "text"]);
    let lines = logged(&served, messages);
    let line = lines.iter().find(|line| line.contains(" /search - 200 ok "));
    let line = line.unwrap_or_else(|| panic!("{lines:?}"));
    assert!(line.contains("Z ") && line.contains(" GET "), "{line}");
    assert!(!lines.concat().contains("zanzibar"), "{lines:?}");
    let (served, messages) = Served::start_with_messages(&workspace, Some(TOKEN), &[]);
    served.get("/search?q=zanzibar");
    drop(served);
    let rest: Vec<String> = messages.map_while(Result::ok).collect();
    assert!(!rest.concat().contains("/search"), "{rest:?}");
}
