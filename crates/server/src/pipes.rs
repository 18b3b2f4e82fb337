//! The server that a client starts, over standard input and output.

use std::{
    borrow::Cow,
    future::Future,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::Context as _;
use rmcp::{
    RoleServer, ServiceExt as _,
    model::{ClientNotification, JsonRpcMessage},
    service::{RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage},
    transport::{Transport, async_rw::AsyncRwTransport, stdio_pipes},
};

use super::{Options, roots::Trees, runtime, server::Server};

/// Longest message that is read, in bytes.
const MAX_LINE_BYTES: usize = 4 << 20;

/// Answers until the client closes its end, or the system asks to end.
pub fn over_pipes(options: Options) -> anyhow::Result<()> {
    let server = Server::new(Arc::new(Trees::new(Arc::new(options))));
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let asked = super::asked_to_end().context("could not hear of signals")?;
        tokio::select! {
            ended = serve(server) => ended,
            () = asked => Ok(()),
        }
    });
    // Neither a read that waits for a client nor an index that is being made holds the program up:
    // what was committed stays, and the next process does the rest.
    runtime.shutdown_background();
    ended
}

async fn serve(mut server: Server) -> anyhow::Result<()> {
    let (input, output) = stdio_pipes();
    let pipes = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_LINE_BYTES);
    let changed = server.roots_changed_flag();
    match server.serve(Patient { pipes, is_begun: false, changed }).await {
        Ok(running) => {
            running.waiting().await?;
            Ok(())
        }
        // A client that goes away before it has said anything.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Pipes that bear with what a client says before it has said hello: the library would end there.
struct Patient<T> {
    pipes: T,
    is_begun: bool,
    /// The roots changed: noted here, since a call that comes right behind must know it.
    changed: Arc<AtomicBool>,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for Patient<T> {
    type Error = T::Error;

    fn name() -> Cow<'static, str> {
        T::name()
    }

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.pipes.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.pipes.receive().await?;
            if let JsonRpcMessage::Notification(told) = &message
                && matches!(told.notification, ClientNotification::RootsListChangedNotification(_))
            {
                self.changed.store(true, Ordering::Relaxed);
            }
            let is_request = matches!(message, JsonRpcMessage::Request(_));
            if self.is_begun || is_request {
                self.is_begun |= is_request;
                return Some(message);
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        self.pipes.close()
    }
}
