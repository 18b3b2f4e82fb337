//! Tests of the checks of each request.

use super::*;

const TOKEN: &str = "0123456789abcdef";

fn guard(ip: [u8; 4], protocol: bool, pages: bool) -> Guard {
    let address = SocketAddr::new(IpAddr::from(ip), 7411);
    Guard::new(address, TOKEN, protocol, pages, Users::default())
}

/// The status; 0 for a request of the protocol, 1 for one of a page, 2 for one of the metrics.
fn status(guard: &Guard, path: &str, headers: &[(&str, &str)]) -> u16 {
    let mut request = Request::builder().uri(path);
    for (name, value) in headers.iter().filter(|(_, value)| !value.is_empty()) {
        request = request.header(*name, *value);
    }
    match guard.check(&request.body(()).expect("a request")) {
        Passed::Protocol(_) => 0,
        Passed::Page(_) => 1,
        Passed::Metrics(_) => 2,
        Passed::Answered(response) => response.status().as_u16(),
    }
}

#[test]
fn who_may_not_ask_is_refused() {
    let guard = guard([127, 0, 0, 1], true, false);
    let status = |path: &str, changed: Option<(&str, &str)>| {
        let mut headers = vec![("host", "127.0.0.1:7411")];
        headers.push(("authorization", "Bearer 0123456789abcdef"));
        if let Some(changed) = changed {
            headers.retain(|(name, _)| *name != changed.0);
            headers.push(changed);
        }
        status(&guard, path, &headers)
    };
    assert_eq!(status("/mcp", None), 0);
    assert_eq!(status("/mcp", Some(("host", "localhost:7411"))), 0);
    assert_eq!(status("/mcp", Some(("host", "[::1]:7411"))), 0);
    assert_eq!(status("/mcp", Some(("origin", "http://localhost:7411"))), 0);
    assert_eq!(status("/mcp", Some(("host", "evil.example:7411"))), 403);
    assert_eq!(status("/mcp", Some(("host", "127.0.0.1"))), 403);
    assert_eq!(status("/mcp", Some(("host", ""))), 403);
    assert_eq!(status("/mcp", Some(("host", "10.0.0.7:7411"))), 403);
    assert_eq!(status("/mcp", Some(("origin", "https://evil.example"))), 403);
    assert_eq!(status("/mcp", Some(("origin", "null"))), 403);
    assert_eq!(status("/mcp", Some(("authorization", ""))), 401);
    assert_eq!(status("/mcp", Some(("authorization", "Bearer 0123456789abcdee"))), 401);
    assert_eq!(status("/mcp", Some(("authorization", "Basic 0123456789abcdef"))), 401);
    assert_eq!(status("/", None), 404);
}

#[test]
fn the_address_that_is_listened_at_is_a_host() {
    let guard = guard([127, 0, 0, 2], true, false);
    let headers = [
        ("host", "127.0.0.2:7411"),
        ("origin", "http://127.0.0.2:7411"),
        ("authorization", "Bearer 0123456789abcdef"),
    ];
    assert_eq!(status(&guard, "/mcp", &headers), 0);
}

#[test]
fn a_public_server_accepts_addresses_but_no_names() {
    let guard = guard([0, 0, 0, 0], false, true);
    let bearer = ("authorization", "Bearer 0123456789abcdef");
    assert_eq!(status(&guard, "/", &[("host", "10.0.0.7:7411"), bearer]), 1);
    assert_eq!(status(&guard, "/", &[("host", "[fe80::1]:7411"), bearer]), 1);
    assert_eq!(status(&guard, "/", &[("host", "10.0.0.7:80"), bearer]), 403);
    assert_eq!(status(&guard, "/", &[("host", "evil.example:7411"), bearer]), 403);
}

#[test]
fn the_link_with_the_token_gives_a_cookie_for_pages_alone() {
    let guard = guard([127, 0, 0, 1], true, true);
    let host = ("host", "127.0.0.1:7411");
    let link = "/search?q=a&token=0123456789abcdef&page=2";
    let request = Request::builder().uri(link).header(host.0, host.1);
    let Passed::Answered(response) = guard.check(&request.body(()).expect("a request")) else {
        panic!("the link is answered by a redirection");
    };
    assert_eq!(response.status(), StatusCode::SEE_OTHER);
    let text = |name| response.headers()[name].to_str().expect("text").to_owned();
    assert_eq!(text(header::LOCATION), "/search?q=a&page=2");
    let cookie = text(header::SET_COOKIE);
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains(TOKEN));
    let cookie = cookie.split(';').next().expect("a cookie");
    assert_eq!(status(&guard, "/", &[host, ("cookie", &format!("a=b; {cookie}"))]), 1);
    assert_eq!(status(&guard, "/mcp", &[host, ("cookie", cookie)]), 401);
    assert_eq!(status(&guard, "/", &[host, ("cookie", "lore-7411=0")]), 401);
    assert_eq!(status(&guard, "/?token=0123456789abcdee", &[host]), 401);
    assert_eq!(status(&guard, "/", &[host, ("accept", "text/html")]), 401);
    assert_eq!(status(&guard, "/", &[("host", "evil.example:7411"), ("cookie", cookie)]), 403);
    assert_eq!(
        status(&guard, "/", &[host, ("cookie", cookie), ("origin", "http://a.example")]),
        403
    );
}

#[test]
fn the_metrics_need_the_token_itself() {
    let host = ("host", "127.0.0.1:7411");
    let bearer = ("authorization", "Bearer 0123456789abcdef");
    for (protocol, pages) in [(true, true), (true, false), (false, true)] {
        let guard = guard([127, 0, 0, 1], protocol, pages);
        assert_eq!(status(&guard, "/metrics", &[host, bearer]), 2);
        assert_eq!(status(&guard, "/metrics", &[host]), 401);
        let cookie = guard.cookie(&Viewer::operator());
        let cookie = cookie.split(';').next().expect("a cookie").to_owned();
        assert_eq!(status(&guard, "/metrics", &[host, ("cookie", &cookie)]), 401);
        assert_eq!(status(&guard, "/metrics?token=0123456789abcdef", &[host]), 401);
        assert_eq!(status(&guard, "/metrics", &[("host", "evil.example:7411"), bearer]), 403);
    }
}

#[test]
fn users_have_tokens_and_cookies_of_their_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("access.toml");
    let hash = crate::access::token_hash("the token of ana");
    let text = format!("[[user]]\nname = \"ana\"\ntoken_sha256 = \"{hash}\"\nrepositories = []\n");
    std::fs::write(&path, text).expect("a file");
    let access = Access::open(&path, &|_| None).expect("a user");
    let public_urls = vec![PublicUrl::new("https://lore.example.com/").expect("an address")];
    let address = SocketAddr::new(IpAddr::from([127, 0, 0, 1]), 7411);
    let users = Users { access: Some(access), public_urls };
    let guard = Guard::new(address, TOKEN, true, true, users);
    let host = ("host", "lore.example.com");
    let viewer = |path: &str, headers: &[(&str, &str)]| {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        match guard.check(&request.body(()).expect("a request")) {
            Passed::Protocol(viewer) | Passed::Page(viewer) => {
                Some(viewer.name().unwrap_or("operator").to_owned())
            }
            _ => None,
        }
    };
    let ana = ("authorization", "Bearer the token of ana");
    let operator = ("authorization", "Bearer 0123456789abcdef");
    assert_eq!(viewer("/mcp", &[host, ana]).as_deref(), Some("ana"));
    assert_eq!(viewer("/mcp", &[host, operator]).as_deref(), Some("operator"));
    assert_eq!(viewer("/mcp", &[host, ("authorization", "Bearer other")]), None);
    assert_eq!(status(&guard, "/metrics", &[host, ana]), 401);
    assert_eq!(status(&guard, "/metrics", &[host, operator]), 2);
    assert_eq!(status(&guard, "/healthz", &[("host", "10.1.2.3:80")]), 200);
    let link = Request::builder().uri("/?token=the%20token%20of%20ana").header(host.0, host.1);
    let Passed::Answered(response) = guard.check(&link.body(()).expect("a request")) else {
        panic!("the link is answered by a redirection");
    };
    let cookie = response.headers()[header::SET_COOKIE].to_str().expect("text").to_owned();
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    let cookie = ("cookie", cookie.split(';').next().expect("a cookie"));
    assert_eq!(viewer("/", &[host, cookie]).as_deref(), Some("ana"));
    assert_eq!(
        viewer("/", &[host, cookie, ("origin", "https://lore.example.com")]).as_deref(),
        Some("ana")
    );
    assert_eq!(viewer("/", &[host, cookie, ("origin", "http://lore.example.com")]), None);
    assert_eq!(viewer("/mcp", &[host, cookie]), None);
}

#[test]
fn tokens_in_addresses_are_decoded() {
    assert_eq!(decoded("0123%26%23%25456789abcdef"), "0123&#%456789abcdef");
    assert_eq!(decoded("%zz%4"), "%zz%4");
}

#[test]
fn a_redirection_never_leaves_the_server() {
    let guard = guard([127, 0, 0, 1], false, true);
    let response = guard.welcome(&Viewer::operator(), "/a");
    assert_eq!(response.headers()[header::LOCATION], "/a");
    let request = Request::builder()
        .uri("//evil.example/?token=0123456789abcdef")
        .header("host", "127.0.0.1:7411");
    let Passed::Answered(response) = guard.check(&request.body(()).expect("a request")) else {
        panic!("the link is answered by a redirection");
    };
    let target = response.headers()[header::LOCATION].to_str().expect("text");
    assert!(target.starts_with('/') && !target.starts_with("//"), "{target}");
}

#[test]
fn pages_are_only_read() {
    let guard = guard([127, 0, 0, 1], false, true);
    let request = Request::builder()
        .method(Method::POST)
        .uri("/search")
        .header("host", "127.0.0.1:7411")
        .header("authorization", "Bearer 0123456789abcdef");
    let Passed::Answered(response) = guard.check(&request.body(()).expect("a request")) else {
        panic!("a POST is refused");
    };
    assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
}
