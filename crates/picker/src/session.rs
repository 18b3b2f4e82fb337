//! The loop of the picker: events of the terminal, answers of the threads, frames.

use std::{
    error::Error,
    fmt, io,
    sync::mpsc::{self, Receiver, Sender},
    time::{Duration, Instant},
};

use lore_highlight::Theme;
use ratatui::crossterm::event::{self, Event};

use crate::{
    Answer, Document, Height, Item, Mode, Outcome, Report, Request,
    draw::Colors,
    preview::Preview,
    state::{Effect, Setup, State},
    terminal::Screen,
    worker::{Inbox, Worker},
};

/// Maximum time from a keystroke to the start of its search, and that for more than
/// [`MANY_PASSAGES`] passages.
const MAX_DELAY: Duration = Duration::from_millis(100);
const MAX_DELAY_OF_MANY: Duration = Duration::from_millis(300);

/// Number of passages from which searches may be slow.
const MANY_PASSAGES: u64 = 100_000;

/// Searches that take less start with every keystroke.
const FAST: Duration = Duration::from_millis(60);

/// Time between two looks at the answers while one is expected: short beside the time of a search.
const BUSY_INTERVAL: Duration = Duration::from_millis(3);

/// Time between two looks at the signals while nothing happens.
const IDLE_INTERVAL: Duration = Duration::from_millis(100);

/// Answers queries, on a thread of its own.
pub trait Finder: Send + 'static {
    /// Answers requests until there are no more.
    ///
    /// # Errors
    /// When no request can be answered. The picker ends with this error.
    fn serve(self, requests: Requests) -> Result<(), Cause>;
}

/// Reads the text behind an item, on a thread of its own.
pub trait Reader: Send + 'static {
    /// The text behind an item; a text with the reason where it cannot be read.
    fn read(&mut self, item: &Item) -> Document;
}

/// The error of a [`Finder`].
pub type Cause = Box<dyn Error + Send + Sync>;

/// The requests of the picker, for its [`Finder`].
pub struct Requests {
    inbox: Inbox<Request>,
    messages: Sender<Message>,
    started: Instant,
}

impl Requests {
    /// Waits for the newest request; `None` when the picker has ended.
    pub fn wait(&mut self) -> Option<Request> {
        let request = self.inbox.wait();
        self.started = Instant::now();
        request
    }

    /// Returns true once the answer to the last request is no longer wanted.
    pub fn is_stale(&self) -> bool {
        self.inbox.is_stale()
    }

    /// Answers the last request.
    pub fn answer(&self, answer: Answer) {
        // The picker may have ended: the answer is not needed then.
        let _ = self.messages.send(Message::Answer(answer, self.started.elapsed()));
    }

    /// A function that shows the state of long work.
    pub fn reporter(&self) -> impl Fn(Report) + Send + Sync + use<> {
        let messages = self.messages.clone();
        move |report| {
            let _ = messages.send(Message::Report(report));
        }
    }
}

/// Reason why the picker could not be shown, or ended without a choice.
#[derive(Debug)]
pub enum PickError {
    /// The process has no terminal, or it failed.
    Terminal(io::Error),
    /// The search failed.
    Finder(Cause),
}

impl fmt::Display for PickError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PickError::Terminal(error) => write!(formatter, "could not use the terminal: {error}"),
            PickError::Finder(error) => error.fmt(formatter),
        }
    }
}

impl Error for PickError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            PickError::Terminal(_) => None,
            PickError::Finder(error) => error.source(),
        }
    }
}

impl From<io::Error> for PickError {
    fn from(error: io::Error) -> PickError {
        PickError::Terminal(error)
    }
}

/// Choices before the picker starts.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The first query.
    pub query: String,
    /// The first mode.
    pub mode: Mode,
    /// Names of the sources that can be chosen, in order.
    pub sources: Vec<String>,
    /// Name of the source that is searched first; `None` for all.
    pub source: Option<String>,
    /// Earlier queries, oldest first.
    pub history: Vec<String>,
    /// True if several items can be selected.
    pub multi: bool,
    /// Height of the picker; `None` for the whole screen.
    pub height: Option<Height>,
    /// True if the mouse is used.
    pub mouse: bool,
    /// Colours.
    pub theme: Theme,
}

/// The choice of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Reason why the picker ended.
    pub outcome: Outcome,
    /// The chosen items; none after [`Outcome::Cancelled`].
    pub items: Vec<Item>,
    /// The query as it was last typed.
    pub query: String,
}

/// A message of a thread.
#[derive(Debug)]
enum Message {
    Answer(Answer, Duration),
    Failed(Cause),
    Report(Report),
    Preview(Preview),
}

/// Shows the picker until the user chooses or quits.
///
/// Returns while the threads of `finder` and `reader` may still work on their last request.
///
/// # Errors
/// When there is no terminal, or the finder fails.
pub fn run(
    options: Options,
    finder: impl Finder,
    reader: impl Reader,
) -> Result<Choice, PickError> {
    let mut screen = Screen::open(options.height, options.mouse)?;
    let colors = Colors { theme: options.theme };
    let (messages, inbox) = mpsc::channel();
    let query = options.query + &std::mem::take(&mut screen.typed_ahead);
    let setup = Setup {
        query,
        mode: options.mode,
        sources: options.sources,
        source: options.source,
        history: options.history,
        multi: options.multi,
    };
    let (state, effects) = State::new(setup, screen.size());
    // The first frame does not wait for the threads.
    screen.draw(&state, colors)?;
    let searches = start_finder(finder, messages.clone())?;
    let previews = start_reader(reader, messages)?;
    let mut session = Session {
        screen,
        colors,
        state,
        searches,
        previews,
        inbox,
        pending: None,
        took: Duration::ZERO,
        is_reading: false,
        is_dirty: true,
    };
    session.apply(effects)?;
    session.run()
}

fn start_finder(finder: impl Finder, messages: Sender<Message>) -> io::Result<Worker<Request>> {
    Worker::start("search", move |inbox| {
        let failures = messages.clone();
        if let Err(error) = finder.serve(Requests { inbox, messages, started: Instant::now() }) {
            let _ = failures.send(Message::Failed(error));
        }
    })
}

fn start_reader(mut reader: impl Reader, messages: Sender<Message>) -> io::Result<Worker<Item>> {
    Worker::start("preview", move |mut inbox: Inbox<Item>| {
        while let Some(item) = inbox.wait() {
            let document = reader.read(&item);
            if !inbox.is_stale() {
                let _ = messages.send(Message::Preview(Preview::new(&item, &document)));
            }
        }
    })
}

struct Session {
    screen: Screen,
    colors: Colors,
    state: State,
    searches: Worker<Request>,
    previews: Worker<Item>,
    inbox: Receiver<Message>,
    /// The newest request, and when it is sent.
    pending: Option<(Request, Instant)>,
    /// Time of the last search.
    took: Duration,
    /// The text behind an item is expected.
    is_reading: bool,
    is_dirty: bool,
}

impl Session {
    fn run(mut self) -> Result<Choice, PickError> {
        loop {
            self.send_pending();
            let is_finished = self.searches.is_finished();
            self.receive()?;
            if is_finished {
                return Err(PickError::Finder(
                    "the search ended because of an internal error".into(),
                ));
            }
            if self.is_dirty {
                self.screen.draw(&self.state, self.colors)?;
                self.is_dirty = false;
            }
            if self.screen.is_ended() {
                return Ok(self.choice(Outcome::Cancelled));
            }
            if !self.screen.has_event(self.interval())? {
                continue;
            }
            // Everything that was typed is applied before the next frame.
            loop {
                let event = self.translated(event::read()?)?;
                let effects = self.state.on_event(&event);
                self.is_dirty = true;
                if let Some(outcome) = self.apply(effects)? {
                    return Ok(self.choice(outcome));
                }
                if !self.screen.has_event(Duration::ZERO)? {
                    break;
                }
            }
        }
    }

    /// An event with positions and sizes of the picker instead of the screen.
    fn translated(&mut self, event: Event) -> io::Result<Event> {
        Ok(match event {
            Event::Resize(columns, rows) => {
                let (columns, rows) = self.screen.resize(columns, rows)?;
                Event::Resize(columns, rows)
            }
            Event::Mouse(mut mouse) => {
                mouse.row = mouse.row.saturating_sub(self.screen.top());
                Event::Mouse(mouse)
            }
            event => event,
        })
    }

    /// Time to wait for the next event.
    fn interval(&self) -> Duration {
        match &self.pending {
            Some((_, due)) => due.saturating_duration_since(Instant::now()).min(BUSY_INTERVAL),
            None if self.state.is_searching() || self.is_reading => BUSY_INTERVAL,
            None => IDLE_INTERVAL,
        }
    }

    fn send_pending(&mut self) {
        if let Some((_, due)) = &self.pending
            && *due <= Instant::now()
            && let Some((request, _)) = self.pending.take()
        {
            self.searches.send(request);
        }
    }

    /// Applies the messages that have arrived.
    fn receive(&mut self) -> Result<(), PickError> {
        while let Ok(message) = self.inbox.try_recv() {
            self.is_dirty = true;
            match message {
                Message::Answer(answer, took) => {
                    self.took = took;
                    let effects = self.state.on_answer(answer);
                    for effect in effects {
                        if let Effect::Read(item) = effect {
                            self.read(item);
                        }
                    }
                }
                Message::Failed(error) => return Err(PickError::Finder(error)),
                Message::Report(report) => self.state.on_report(report),
                Message::Preview(preview) => {
                    self.is_reading = false;
                    self.state.on_preview(preview);
                }
            }
        }
        Ok(())
    }

    fn read(&mut self, item: Item) {
        self.is_reading = true;
        self.previews.send(item);
    }

    /// Carries out effects. Returns the outcome if one of them leaves the picker.
    fn apply(&mut self, effects: Vec<Effect>) -> io::Result<Option<Outcome>> {
        for effect in effects {
            match effect {
                Effect::Search(request) => {
                    let reload = request.reload
                        || self.pending.as_ref().is_some_and(|(waiting, _)| waiting.reload);
                    let request = Request { reload, ..request };
                    self.pending = Some((request, Instant::now() + self.delay()));
                }
                Effect::Read(item) => self.read(item),
                Effect::Copy(text) => self.screen.copy(&text)?,
                Effect::Redraw => self.screen.clear()?,
                Effect::Leave(outcome) => return Ok(Some(outcome)),
            }
        }
        Ok(None)
    }

    /// Time from a keystroke to its search. A fast search starts at once; its thread takes only the newest
    /// request anyway. A slow one waits for the end of the word.
    fn delay(&self) -> Duration {
        let most = match self.state.report {
            Report::Ready(passages) if passages > MANY_PASSAGES => MAX_DELAY_OF_MANY,
            _ => MAX_DELAY,
        };
        if self.took < FAST { Duration::ZERO } else { (self.took / 2).min(most) }
    }

    fn choice(&self, outcome: Outcome) -> Choice {
        let items = match outcome {
            Outcome::Accepted => self.state.chosen(),
            Outcome::Quickfix if self.state.selected.is_empty() => self.state.items.clone(),
            Outcome::Quickfix => self.state.selected.clone(),
            Outcome::Cancelled => Vec::new(),
        };
        Choice { outcome, items, query: self.state.line.text().to_owned() }
    }
}
