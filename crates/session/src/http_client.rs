//! The HTTP client of everything that this crate sends: no proxy, no redirect, the certificates of the machine.

use std::{sync::Arc, time::Duration};

use ureq::{
    Agent,
    tls::{RootCerts, TlsConfig},
};

/// Returns a client that accepts this media type. `timeout` limits each request that sets no other limit.
pub(crate) fn agent(accept: &str, timeout: Option<Duration>) -> Agent {
    // Named, since a library may not choose one for the whole process.
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = TlsConfig::builder()
        .root_certs(RootCerts::PlatformVerifier)
        .unversioned_rustls_crypto_provider(provider)
        .build();
    Agent::config_builder()
        .tls_config(tls)
        .user_agent(concat!("lorehound/", env!("CARGO_PKG_VERSION")))
        .accept(accept)
        .http_status_as_error(false)
        .max_redirects(0)
        .proxy(None)
        .timeout_global(timeout)
        .build()
        .into()
}
