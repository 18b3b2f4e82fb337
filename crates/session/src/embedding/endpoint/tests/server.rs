//! A small HTTP server on this machine: it answers one reply after the other and notes what it got.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, PoisonError,
        mpsc::{self, Receiver},
    },
    thread,
    time::Duration,
};

/// The requests that the server received.
#[derive(Debug, Clone)]
pub(super) struct Request {
    /// The first line.
    pub(super) line: String,
    headers: Vec<(String, String)>,
    /// The body.
    pub(super) body: String,
}

impl Request {
    /// A header; its name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|header| header.0 == name).map(|header| header.1.as_str())
    }

    /// The texts to embed.
    pub(super) fn texts(&self) -> Vec<String> {
        let body: serde_json::Value = serde_json::from_str(&self.body).expect("JSON");
        let texts = body["input"].as_array().expect("texts").iter();
        texts.map(|text| text.as_str().expect("a text").to_owned()).collect()
    }
}

/// The response of the server.
#[derive(Clone)]
pub(super) struct Reply {
    status: u16,
    body: Body,
    headers: Vec<String>,
    chunked: bool,
    closing: bool,
    delay: Duration,
}

#[derive(Clone)]
enum Body {
    Fixed(String),
    Computed(fn(&str) -> String),
    /// The connection is closed without an answer.
    HangUp,
}

impl Reply {
    fn new(status: u16, body: Body) -> Reply {
        let (headers, delay) = (Vec::new(), Duration::ZERO);
        Reply { status, body, headers, chunked: false, closing: false, delay }
    }

    pub(super) fn status(status: u16, body: &str) -> Reply {
        Reply::new(status, Body::Fixed(body.to_owned()))
    }

    /// Success, with a body made from that of the request.
    pub(super) fn computed(body: fn(&str) -> String) -> Reply {
        Reply::new(200, Body::Computed(body))
    }

    pub(super) fn hang_up() -> Reply {
        Reply::new(0, Body::HangUp)
    }

    pub(super) fn with(mut self, header: &str) -> Reply {
        self.headers.push(header.to_owned());
        self
    }

    /// In chunks, as servers send what they do not know the length of.
    pub(super) fn chunked(mut self) -> Reply {
        self.chunked = true;
        self
    }

    /// Ends with the connection, without a length.
    pub(super) fn closing(mut self) -> Reply {
        self.closing = true;
        self
    }

    pub(super) fn after(mut self, delay: Duration) -> Reply {
        self.delay = delay;
        self
    }
}

/// A server with its replies. It ends with the test.
pub(super) struct Server {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
    // Dropped at the end of the test, which ends a delay.
    _alive: mpsc::Sender<()>,
}

impl Server {
    /// Starts one that gives these replies, and closes connections without an answer after them.
    pub(super) fn start(replies: Vec<Reply>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let noted = Arc::clone(&requests);
        let (alive, ended) = mpsc::channel();
        thread::spawn(move || {
            let mut replies = replies.into_iter();
            // One connection at a time, as the client makes them.
            for stream in listener.incoming() {
                // A client that goes away in the middle is a part of some tests.
                let _ = stream.and_then(|stream| serve(&stream, &mut replies, &noted, &ended));
            }
        });
        Server { address, requests, _alive: alive }
    }

    /// The base URL of its API.
    pub(super) fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// The requests so far.
    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Answers the requests of one connection.
fn serve(
    stream: &TcpStream,
    replies: &mut impl Iterator<Item = Reply>,
    noted: &Mutex<Vec<Request>>,
    ended: &Receiver<()>,
) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(request) = read(&mut reader)? {
        noted.lock().unwrap_or_else(PoisonError::into_inner).push(request.clone());
        let Some(reply) = replies.next() else { return Ok(()) };
        // Ends early with the test.
        let _ = ended.recv_timeout(reply.delay);
        let body = match reply.body {
            Body::Fixed(body) => body,
            Body::Computed(body) => body(&request.body),
            Body::HangUp => return Ok(()),
        };
        let mut head = Vec::new();
        write!(head, "HTTP/1.1 {} Whatever\r\nContent-Type: application/json\r\n", reply.status)?;
        for header in &reply.headers {
            write!(head, "{header}\r\n")?;
        }
        let mut bytes = Vec::new();
        if reply.chunked {
            write!(head, "Transfer-Encoding: chunked\r\n\r\n")?;
            for piece in body.as_bytes().chunks(1000) {
                write!(bytes, "{:x}\r\n", piece.len())?;
                bytes.extend(piece);
                bytes.extend(b"\r\n");
            }
            bytes.extend(b"0\r\n\r\n");
        } else if reply.closing {
            write!(head, "Connection: close\r\n\r\n")?;
            bytes.extend(body.as_bytes());
        } else {
            write!(head, "Content-Length: {}\r\n\r\n", body.len())?;
            bytes.extend(body.as_bytes());
        }
        let mut stream = stream;
        stream.write_all(&head)?;
        stream.write_all(&bytes)?;
        if reply.closing {
            return Ok(());
        }
    }
    Ok(())
}

/// The next request of a connection; `None` at its end.
fn read(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else { break };
        headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    let length = headers.iter().find(|header| header.0 == "content-length");
    let length = length.and_then(|header| header.1.parse().ok()).unwrap_or(0);
    let mut body = String::new();
    reader.take(length).read_to_string(&mut body)?;
    Ok(Some(Request { line: line.trim_end().to_owned(), headers, body }))
}
