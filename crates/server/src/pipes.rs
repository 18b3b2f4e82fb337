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

/// Maximum length of a message, in bytes.
const MAX_LINE_BYTES: usize = 4 << 20;

/// Answers until the client closes its end, or the system requests the end of the program.
pub fn over_pipes(options: Options) -> anyhow::Result<()> {
    let server = Server::new(Arc::new(Trees::new(Arc::new(options))));
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let stopped = super::stop_requested().context("could not wait for signals")?;
        tokio::select! {
            ended = serve(server) => ended,
            () = stopped => Ok(()),
        }
    });
    // Does not wait for a pending read or a running index: committed changes are on disk, and the next
    // process does the rest.
    runtime.shutdown_background();
    ended
}

async fn serve(mut server: Server) -> anyhow::Result<()> {
    let (input, output) = stdio_pipes();
    let pipes = AsyncRwTransport::new_server(input, output).with_max_line_length(MAX_LINE_BYTES);
    let changed = server.roots_changed_flag();
    match server.serve(LenientPipes { pipes, is_begun: false, changed }).await {
        Ok(running) => {
            running.waiting().await?;
            Ok(())
        }
        // The client closed the connection before its first message.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Pipes that drop everything before the first request, at which the library would end.
struct LenientPipes<T> {
    pipes: T,
    /// True after the first request.
    is_begun: bool,
    /// True if the client reported changed roots. Set here, in the order of the messages, so that a call
    /// right after the notification sees it.
    changed: Arc<AtomicBool>,
}

impl<T: Transport<RoleServer>> Transport<RoleServer> for LenientPipes<T> {
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
            if let JsonRpcMessage::Notification(notice) = &message
                && matches!(
                    notice.notification,
                    ClientNotification::RootsListChangedNotification(_)
                )
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
