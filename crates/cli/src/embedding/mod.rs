//! What makes vectors, as the settings choose it.

#[cfg_attr(not(test), expect(dead_code, reason = "searches are lexical; nothing asks for vectors"))]
mod endpoint;

pub(crate) use endpoint::Address;
#[expect(unused_imports, reason = "searches are lexical; nothing asks for vectors")]
pub(crate) use endpoint::Endpoint;
