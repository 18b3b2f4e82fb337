//! The sessions of the HTTP server, bounded in number.
//!
//! The library keeps the sessions; this module drops one before a further one is added. Its client
//! receives the status 404, after which it starts a new session.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use rmcp::{
    model::{ClientJsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::{
        SessionId,
        session::{
            EventStream, SessionManager,
            local::{LocalSessionManager, LocalSessionManagerError},
        },
    },
};
use tokio::time::timeout;

/// Maximum number of sessions. More than connections with the token, so that one of them is idle.
pub(super) const MAX_SESSIONS: usize = 128;

/// Time in which a client whose connection broke can request a complete answer again. Answers of
/// several kilobytes are kept meanwhile.
const MAX_REPLAY: Duration = Duration::from_secs(1);

/// Time limit for the end of a session that is dropped.
const MAX_CLOSE: Duration = Duration::from_millis(200);

/// The sessions of a server.
#[derive(Debug)]
pub(super) struct Sessions {
    kept: LocalSessionManager,
    /// Held while a session is added, so that the bound is exact.
    adding: tokio::sync::Mutex<()>,
    uses: Mutex<Uses>,
}

#[derive(Debug, Default)]
struct Uses {
    /// Number of uses so far, which orders them.
    count: u64,
    sessions: HashMap<SessionId, Use>,
}

#[derive(Debug, Default)]
struct Use {
    /// Name of the user; `None` for the operator, or before the answer to the first request.
    owner: Option<String>,
    last: u64,
    /// Number of requests that are being answered.
    running: usize,
}

impl Default for Sessions {
    fn default() -> Self {
        let mut kept = LocalSessionManager::default();
        kept.session_config.completed_cache_ttl = MAX_REPLAY;
        Sessions { kept, adding: tokio::sync::Mutex::default(), uses: Mutex::default() }
    }
}

impl Sessions {
    /// Marks a session as used until the returned value is dropped. An unknown session has no effect.
    pub(super) fn run(self: &Arc<Self>, id: &str) -> Running {
        self.uses().change(id, |used| used.running += 1);
        Running { sessions: Arc::clone(self), id: SessionId::from(id) }
    }

    /// Sets the user of a new session.
    pub(super) fn set_owner(&self, id: &str, owner: Option<String>) {
        self.uses().change(id, |used| used.owner = owner);
    }

    /// Returns true if a session is that of this user, or does not exist.
    pub(super) fn is_of(&self, id: &str, owner: Option<&str>) -> bool {
        self.uses().sessions.get(id).is_none_or(|used| used.owner.as_deref() == owner)
    }

    /// The idle session that was used least recently; if all are in use, the one of these.
    fn oldest(&self) -> Option<SessionId> {
        let uses = self.uses();
        let oldest = uses.sessions.iter().min_by_key(|(_, used)| (used.running != 0, used.last));
        oldest.map(|(id, _)| SessionId::clone(id))
    }

    fn uses(&self) -> MutexGuard<'_, Uses> {
        self.uses.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Uses {
    fn change(&mut self, id: &str, change: impl FnOnce(&mut Use)) {
        self.count += 1;
        if let Some(used) = self.sessions.get_mut(id) {
            used.last = self.count;
            change(used);
        }
    }
}

/// A request that is being answered.
#[derive(Debug)]
pub(super) struct Running {
    sessions: Arc<Sessions>,
    id: SessionId,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.sessions.uses().change(&self.id, |used| used.running = used.running.saturating_sub(1));
    }
}

#[expect(
    refining_impl_trait_internal,
    reason = "the trait of streams is in a crate that is not used otherwise"
)]
impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let _adding = self.adding.lock().await;
        while MAX_SESSIONS <= self.uses().sessions.len() {
            let Some(oldest) = self.oldest() else { break };
            // The session is forgotten before its end is waited for: a client that does not read its
            // answers can delay that.
            let _ = timeout(MAX_CLOSE, self.close_session(&oldest)).await;
        }
        let (id, transport) = self.kept.create_session().await?;
        let mut uses = self.uses();
        uses.count += 1;
        let used = Use { owner: None, last: uses.count, running: 0 };
        uses.sessions.insert(SessionId::clone(&id), used);
        drop(uses);
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.kept.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.kept.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.uses().sessions.remove(id);
        self.kept.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<EventStream, Self::Error> {
        Ok(Box::pin(self.kept.create_stream(id, message).await?))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.kept.accept_message(id, message).await
    }

    async fn create_standalone_stream(&self, id: &SessionId) -> Result<EventStream, Self::Error> {
        Ok(Box::pin(self.kept.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<EventStream, Self::Error> {
        Ok(Box::pin(self.kept.resume(id, last_event_id).await?))
    }
}
