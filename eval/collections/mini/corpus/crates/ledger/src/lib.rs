//! The ledger: every event ever, in PostgreSQL, append-only.

mod migrate;
mod store;

pub use migrate::pending_migrations;
pub use store::{LedgerStore, StoreError};
