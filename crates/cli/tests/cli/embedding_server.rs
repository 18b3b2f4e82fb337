//! A local embedding server whose vectors have two topics: money and books.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
};

use serde_json::{Value, json};

/// Prefixes of words about money.
const MONEY: &[&str] = &["money", "payment", "refund", "reimburse", "returned"];

/// Prefixes of words about books.
const BOOKS: &[&str] = &["book", "library", "reader", "shelf", "shelves"];

/// A server that answers until it is stopped.
pub(crate) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn start() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let stopped = Arc::new(AtomicBool::new(false));
        let (noted, stop) = (Arc::clone(&requests), Arc::clone(&stopped));
        let thread = thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::SeqCst) {
                    return;
                }
                // A client that disconnects fails its own test.
                let _ = stream.and_then(|stream| serve(&stream, &noted));
            }
        });
        Server { address, requests, stopped, thread: Some(thread) }
    }

    /// The base URL of its API.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests so far, with headers.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Closes the port: later connections are refused.
    pub(crate) fn stop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the server up, so that it stops.
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it does not panic");
        }
    }
}

/// Answers one request and closes the connection, so that a stopped server has no connections.
fn serve(stream: &TcpStream, requests: &Mutex<Vec<String>>) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    let mut length = 0;
    loop {
        let start = head.len();
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
        let line = head[start..].trim_end().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or(0);
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    let answer = answer(&body).to_string();
    requests.lock().unwrap_or_else(PoisonError::into_inner).push(head + &body);
    let mut stream = stream;
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{answer}",
        answer.len()
    )
}

fn answer(body: &str) -> Value {
    let request: Value = serde_json::from_str(body).expect("JSON");
    let texts = request["input"].as_array().expect("texts").iter();
    let vectors = texts.enumerate().map(|(index, text)| {
        let vector = vector(text.as_str().expect("a text"));
        json!({"object": "embedding", "index": index, "embedding": vector})
    });
    json!({"object": "list", "data": vectors.collect::<Vec<_>>(), "model": request["model"]})
}

/// Numbers of words about money, about books, and about anything else.
fn vector(text: &str) -> [f32; 3] {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphabetic()).collect();
    let of = |beginnings: &[&str]| {
        let is_of = |word: &&&str| beginnings.iter().any(|start| word.starts_with(start));
        words.iter().filter(is_of).map(|_| 1.0).sum()
    };
    [of(MONEY), of(BOOKS), 0.1]
}
