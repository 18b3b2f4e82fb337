//! The format for agents: text of few tokens that shows or counts every hit.

use std::io::{self, Write};

use super::{Answer, Format, Style};
use crate::pack::{PackRequest, pack};

/// The answer of [`pack`] within the default budget. Its name is [`NAME`].
pub(super) struct Agent;

/// The name of the format.
pub const NAME: &str = "agent";

impl Format for Agent {
    fn name(&self) -> &'static str {
        NAME
    }

    fn write(&self, answer: &Answer<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
        let holders = answer.response.holders.clone().unwrap_or_default();
        let request = PackRequest::default();
        let packed = pack(answer.response, &holders, &request, None).map_err(io::Error::other)?;
        out.write_all(packed.text.as_bytes())
    }

    fn explains_absence(&self) -> bool {
        true
    }
}
