//! The wire form of a request in the log of `lore serve`: one object per line.

use schemars::JsonSchema;
use serde::Serialize;

/// A request that a server answered.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RequestWire<'a> {
    /// Version of the form of this object: 1.
    pub schema: u32,
    /// Arrival of the request, in UTC.
    pub time: String,
    /// Identifier of the request, 32 hexadecimal digits. Its trace has the same one.
    pub id: &'a str,
    /// HTTP method.
    pub method: &'a str,
    /// Name of the user; absent for the operator, and without a valid token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<&'a str>,
    /// Pattern of the address: `/mcp`, `/file/{*path}`, `other` for a page that does not exist, `none` for a
    /// request that was refused.
    pub route: &'a str,
    /// The tool that was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<&'a str>,
    /// HTTP status; absent if the client went away before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// `ok`, `failed`, `not_ready`, `cancelled`, `unauthorized`, `invalid` or `server_error`.
    pub outcome: &'a str,
    /// Time from the headers of the request to its answer, in milliseconds.
    pub milliseconds: f64,
    /// Bytes of the body that were sent.
    pub bytes: u64,
    /// Names of the trees that were read, at most 128.
    pub trees: &'a [String],
    /// Arguments of the tool as JSON, or the address of the page; only with `--log-queries`, in an audit log
    /// with `--audit-queries`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<&'a str>,
}

impl RequestWire<'_> {
    /// Returns the line, without a line end.
    pub fn line(&self) -> String {
        let rounded = RequestWire {
            schema: super::SCHEMA,
            milliseconds: (self.milliseconds * 1e3).round() / 1e3,
            ..self.clone()
        };
        serde_json::to_string(&rounded).unwrap_or_default()
    }
}
