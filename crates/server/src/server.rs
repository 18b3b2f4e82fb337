//! The protocol side of the server: the handshake, the lists of tools and resources, and calls.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use hyper::http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation,
        JsonObject, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
        PaginatedRequestParams, ProgressNotificationParam, ReadResourceRequestParams,
        ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
        ServerCapabilities, ServerConfig, Tool as ShownTool, ToolAnnotations,
    },
    service::{NotificationContext, Peer, RequestContext},
};
use serde_json::Value;
use tokio::{runtime::Handle, sync::Mutex, time::timeout};

use super::{
    access::Viewer,
    arguments::Arguments,
    control::{CallControl, Notify},
    failure::Failure,
    requests::{Outcome, RequestRecord, within},
    resources,
    roots::Trees,
    systems,
    tools::{Call, Memories, Tool, ToolAnswer},
    tree::Tree,
};

/// Time limit for a client to name its roots.
const MAX_ROOTS_WAIT: Duration = Duration::from_secs(1);

/// Instructions that a model reads first.
const INSTRUCTIONS: &str = "Lorehound searches this repository: code, docs, specs, tickets, commits. \
Call `search` first, with a question or names, or several at once. Its first line states how sure it is: stop \
at `found`, open one place at `likely`, ask what it suggests at `unsure`. `read` shows a place whole, `trace` who \
calls or implements it and which commits changed it, `context` all that a task or a ticket needs. Texts that \
were sent are named, not sent again. Answers are as fresh as the disk.";

/// One session.
#[derive(Debug, Clone)]
pub(crate) struct Server {
    trees: Arc<Trees>,
    tools: Arc<[systems::Named]>,
    /// The roots that the client named. The requester holds the lock.
    roots: Arc<Mutex<NamedRoots>>,
    /// True if the client reported changed roots since the last request.
    changed: Arc<AtomicBool>,
    /// True if the reader of the messages sets `changed`. Messages are handled in parallel, so that only
    /// the reader sees notifications and calls in their order.
    has_reader: bool,
    /// The texts that the session received.
    memories: Memories,
}

/// The roots that a client names.
#[derive(Debug, Default)]
enum NamedRoots {
    /// Not requested yet, or changed since.
    #[default]
    Unknown,
    /// The tree in which the server was started.
    Start,
    /// These addresses.
    Named(Vec<String>),
}

impl Server {
    /// A session with these trees.
    pub(crate) fn new(trees: Arc<Trees>) -> Server {
        let tools = systems::tools(&trees.options().systems).into();
        let memories = trees.options().remembers.then(Arc::default);
        Server {
            trees,
            tools,
            roots: Arc::default(),
            changed: Arc::default(),
            has_reader: false,
            memories,
        }
    }

    /// The flag that the reader of the messages sets when the roots changed.
    pub(crate) fn roots_changed_flag(&mut self) -> Arc<AtomicBool> {
        self.has_reader = true;
        Arc::clone(&self.changed)
    }

    /// The trees of this session. Their names are requested once, and again when the client reports a
    /// change; links in them are followed for each call.
    async fn roots(&self, peer: &Peer<RoleServer>) -> Result<Vec<Arc<Tree>>, Failure> {
        let mut roots = self.roots.lock().await;
        if self.changed.swap(false, Ordering::Relaxed) {
            *roots = NamedRoots::Unknown;
        }
        if matches!(*roots, NamedRoots::Unknown) {
            let named = if self.trees.is_fixed() { None } else { roots_of(peer).await };
            *roots = named.map_or(NamedRoots::Start, NamedRoots::Named);
        }
        match &*roots {
            NamedRoots::Named(uris) => self.trees.of_client(uris),
            NamedRoots::Unknown | NamedRoots::Start => self.trees.of_start(),
        }
    }

    /// Runs a tool on a thread of its own.
    async fn run<T: Send + 'static>(
        &self,
        arguments: Arguments,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(&Call<'_>) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        // Waiting for a client to name its roots is part of the call.
        let cancelled = context.ct.clone();
        let control = CallControl::new(move || cancelled.is_cancelled(), notify(context));
        let viewer = viewer_of(context)?;
        // A user reads what the operator chose, and no other directory of this machine.
        let is_fixed = viewer.name().is_some() || self.trees.is_several();
        let named = if is_fixed { None } else { Some(self.roots(&context.peer).await?) };
        let all = Arc::clone(&self.trees);
        let memories = self.memories.clone();
        let request = record_of(context);
        let ran = tokio::task::spawn_blocking(move || {
            // A cluster may have to be asked.
            let trees = named.map_or_else(|| all.of_viewer(&viewer), Ok)?;
            let skipped = if viewer.name().is_some() { Vec::new() } else { all.skipped() };
            let call = Call {
                arguments,
                all: &*all,
                trees: &trees,
                skipped: &skipped,
                control,
                memories: &memories,
            };
            within(request, || work(&call))
        });
        match ran.await {
            Ok(result) => result,
            Err(_) => Err(Failure::new("internal error, which is a bug of lore")
                .remedy("ask in other words; the server's standard error has the details")),
        }
    }
}

/// The record of the HTTP request that brought a message; `None` over pipes.
fn record_of(context: &RequestContext<RoleServer>) -> Option<Arc<RequestRecord>> {
    context.extensions.get::<Parts>()?.extensions.get().cloned()
}

/// The sender of a message; over pipes, the operator.
fn viewer_of(context: &RequestContext<RoleServer>) -> Result<Viewer, Failure> {
    let Some(parts) = context.extensions.get::<Parts>() else { return Ok(Viewer::operator()) };
    let viewer = parts.extensions.get().cloned();
    viewer.ok_or_else(|| {
        Failure::new("the sender of the request is not known, which is a bug of lore")
    })
}

/// The roots that a client names; `None` if it names none.
#[expect(deprecated, reason = "the next protocol drops roots; clients of this one have them")]
async fn roots_of(peer: &Peer<RoleServer>) -> Option<Vec<String>> {
    let has_roots = peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
    if !has_roots {
        return None;
    }
    let listed = timeout(MAX_ROOTS_WAIT, peer.list_roots()).await.ok()?.ok()?;
    Some(listed.roots.into_iter().map(|root| root.uri).collect())
}

/// Returns a receiver that sends progress to the client, if it requested that.
fn notify(context: &RequestContext<RoleServer>) -> Option<Notify> {
    let token = context.meta.get_progress_token()?;
    let (peer, runtime) = (context.peer.clone(), Handle::current());
    Some(Arc::new(move |done: u64, known: u64, what: &str| {
        let notice = ProgressNotificationParam::new(token.clone(), done as f64)
            .with_total(known as f64)
            .with_message(what.to_owned());
        let peer = peer.clone();
        // A client that cannot be notified any more has its answer already.
        runtime.spawn(async move { peer.notify_progress(notice).await });
    }))
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().build();
        let program =
            Implementation::new("lorehound", env!("CARGO_PKG_VERSION")).with_title("Lorehound");
        let mut instructions = INSTRUCTIONS.to_owned();
        if self.tools.iter().any(|tool| tool.name == "lore_search") {
            instructions = instructions.replace("`search`", "`lore_search`");
        }
        if let Some(failure) = self.trees.failure() {
            instructions =
                format!("{instructions} At present nothing can be read: {}", failure.text());
        }
        ServerConfig::new(capabilities).with_server_info(program).with_instructions(instructions)
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        if !self.has_reader {
            self.changed.store(true, Ordering::Relaxed);
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.iter().map(describe).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(named) = self.tools.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name).collect();
            let message =
                format!("there is no tool `{}`; the tools are {}", request.name, names.join(", "));
            if let Some(record) = record_of(&context) {
                record.end_call(Outcome::Invalid);
            }
            return Err(ErrorData::invalid_params(message, None));
        };
        let tool = named.tool;
        let record = record_of(&context);
        if let Some(record) = &record {
            record.begin_call(named.name);
            record.note_query(|| {
                Value::Object(request.arguments.clone().unwrap_or_default()).to_string()
            });
        }
        let (answer, failed) = match Arguments::read(&(tool.input)(), request.arguments) {
            Ok(arguments) => {
                let answer = self.run(arguments, &context, move |call| (tool.call)(call)).await;
                (answer, Outcome::Failed)
            }
            Err(failure) => (Err(failure), Outcome::Invalid),
        };
        if let Some(record) = record {
            record.end_call(if answer.is_ok() { Outcome::Ok } else { failed });
        }
        Ok(call_result(answer).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let status = Resource::new(resources::STATUS, "status")
            .with_title("State of the index")
            .with_mime_type("text/plain");
        Ok(ListResourcesResult::with_all_items(vec![status]))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let file = ResourceTemplate::new(resources::TEMPLATE, "file")
            .with_title("A file of the repository")
            .with_description("Its text, from the root of the tree; at most 8,000 tokens");
        Ok(ListResourceTemplatesResult::with_all_items(vec![file]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let not_found = |failure: &Failure| ErrorData::resource_not_found(failure.text(), None);
        let (tool, arguments) = resources::reader(&request.uri).ok_or_else(|| {
            let failure = Failure::new(format!("there is no resource `{}`", request.uri))
                .remedy(format!("there are {} and {}", resources::STATUS, resources::TEMPLATE));
            not_found(&failure)
        })?;
        let arguments = Arguments::read(&(tool.input)(), arguments.as_object().cloned())
            .map_err(|failure| not_found(&failure))?;
        let text = self
            .run(arguments, &context, move |call| resources::contents(call, tool))
            .await
            .map_err(|failure| not_found(&failure))?;
        let contents = ResourceContents::text(text, request.uri);
        Ok(ReadResourceResult::new(vec![contents]).into())
    }
}

/// Describes a tool to clients.
fn describe(named: &systems::Named) -> ShownTool {
    let tool: &Tool = named.tool;
    let annotations = ToolAnnotations::with_title(tool.title)
        .read_only(tool.is_read_only)
        .destructive(false)
        .idempotent(true)
        .open_world(false);
    let shown = ShownTool::new(named.name, Cow::Borrowed(tool.description), object((tool.input)()))
        .with_title(tool.title)
        .with_annotations(annotations);
    match tool.output {
        Some(output) => shown.with_raw_output_schema(object(output())),
        None => shown,
    }
}

fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(fields) => Arc::new(fields),
        _ => Arc::default(),
    }
}

/// Converts the answer of a tool, or its failure, into a message of the protocol.
fn call_result(answer: Result<ToolAnswer, Failure>) -> CallToolResult {
    match answer {
        Ok(ToolAnswer { text, structured }) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = structured;
            result
        }
        Err(failure) => CallToolResult::error(vec![ContentBlock::text(failure.text())]),
    }
}
