//! The payload of a commit in tantivy's `meta.json`: it names the state file and the format.

use lore_schema::SourceName;
use tantivy::index::SegmentId;
use xxhash_rust::xxh3::xxh3_64;

use super::{file_names::state_file, schema::FORMAT, vocabulary::vocabulary};

/// Start of every payload, before the format number.
const MAGIC: &str = "lorehound index ";

/// Start of the identity of a part of a first build. Versions without parts accept any identity, and
/// find the missing units as new ones.
const PART_MARK: &str = "part-";

/// The description of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Payload {
    pub(super) generation: u64,
    /// Length of the state in bytes.
    pub(super) state_bytes: u64,
    /// Checksum of the state.
    pub(super) state_checksum: u64,
    pub(super) source: String,
    pub(super) fingerprint: String,
    /// True until the first build of the index is finished: units may be missing.
    pub(super) is_partial: bool,
    /// Random, to tell apart commits of the same generation: an index may be erased and rebuilt.
    identity: String,
    vocabulary: u64,
}

/// The reason why a payload is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    Damaged(String),
    Incompatible(String),
}

impl Payload {
    /// Returns the payload of a new commit.
    pub(super) fn new(
        generation: u64,
        state: &[u8],
        source: SourceName,
        fingerprint: &str,
        is_partial: bool,
    ) -> Payload {
        Payload {
            generation,
            is_partial,
            state_bytes: state.len() as u64,
            state_checksum: xxh3_64(state),
            source: source.as_str().to_owned(),
            fingerprint: fingerprint.to_owned(),
            identity: SegmentId::generate_random().uuid_string(),
            vocabulary: vocabulary(),
        }
    }

    /// Name of the state file.
    pub(super) fn state_file(&self) -> String {
        state_file(self.generation)
    }

    /// Returns true if these bytes are the state.
    pub(super) fn describes(&self, state: &[u8]) -> bool {
        self.state_bytes == state.len() as u64 && self.state_checksum == xxh3_64(state)
    }

    /// Encodes as lines. The fingerprint is last, because it may contain line ends.
    pub(super) fn encode(&self) -> String {
        let Payload { generation, state_bytes, state_checksum, source, .. } = self;
        let Payload { fingerprint, identity, vocabulary, .. } = self;
        let mark = if self.is_partial { PART_MARK } else { "" };
        let body = format!(
            "{generation}\n{mark}{identity}\n{state_bytes}\n{state_checksum:016x}\n{vocabulary:016x}\n{source}\n{fingerprint}"
        );
        format!("{MAGIC}{FORMAT}\n{:016x}\n{body}", xxh3_64(body.as_bytes()))
    }

    /// Decodes the lines and compares them with the expected source and fingerprint.
    pub(super) fn decode(
        text: &str,
        source: SourceName,
        fingerprint: &str,
    ) -> Result<Payload, Refusal> {
        let damaged = || Refusal::Damaged("the description of the commit is incomplete".to_owned());
        let (head, rest) = text.split_once('\n').ok_or_else(damaged)?;
        let format = head.strip_prefix(MAGIC).ok_or_else(damaged)?;
        if format != FORMAT.to_string() {
            let reason = format!("format {format}, this version writes {FORMAT}");
            return Err(Refusal::Incompatible(reason));
        }
        let (checksum, body) = rest.split_once('\n').ok_or_else(damaged)?;
        if format!("{:016x}", xxh3_64(body.as_bytes())) != checksum {
            return Err(damaged());
        }
        let mut lines = body.splitn(7, '\n');
        let mut next = || lines.next().ok_or_else(damaged);
        let generation = next()?.parse().map_err(|_| damaged())?;
        let identity = next()?;
        let part = identity.strip_prefix(PART_MARK);
        let payload = Payload {
            generation,
            is_partial: part.is_some(),
            identity: part.unwrap_or(identity).to_owned(),
            state_bytes: next()?.parse().map_err(|_| damaged())?,
            state_checksum: u64::from_str_radix(next()?, 16).map_err(|_| damaged())?,
            vocabulary: u64::from_str_radix(next()?, 16).map_err(|_| damaged())?,
            source: next()?.to_owned(),
            fingerprint: next()?.to_owned(),
        };
        if payload.vocabulary != vocabulary() {
            let reason = "another list of fields, kinds or categories".to_owned();
            return Err(Refusal::Incompatible(reason));
        }
        if payload.source != source.as_str() {
            let reason = format!("it contains {}, not {source}", payload.source);
            return Err(Refusal::Incompatible(reason));
        }
        if payload.fingerprint != fingerprint {
            return Err(Refusal::Incompatible("another text analysis".to_owned()));
        }
        Ok(payload)
    }
}

#[cfg(test)]
mod tests {
    use lore_schema::SourceName;

    use super::{Payload, Refusal};

    #[test]
    fn payloads_round_trip() {
        for is_partial in [false, true] {
            let analysis = "analysis 3\nwith a line";
            let payload = Payload::new(7, b"state", SourceName::Git, analysis, is_partial);
            let decoded = Payload::decode(&payload.encode(), SourceName::Git, analysis);
            assert_eq!(decoded, Ok(payload.clone()));
            assert!(payload.describes(b"state"));
            assert!(!payload.describes(b"other"));
        }
    }

    #[test]
    fn other_sources_formats_and_damage_are_refused() {
        let text = Payload::new(7, b"state", SourceName::Git, "a", false).encode();
        let refused = |text: &str, source, fingerprint| {
            matches!(Payload::decode(text, source, fingerprint), Err(Refusal::Incompatible(_)))
        };
        assert!(refused(&text, SourceName::Git, "b"));
        assert!(refused(&text, SourceName::Code, "a"));
        assert!(refused(
            &text.replacen(&format!("index {}\n", super::super::schema::FORMAT), "index 0\n", 1),
            SourceName::Git,
            "a"
        ));
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let flipped = String::from_utf8(bytes).expect("ASCII");
            assert!(Payload::decode(&flipped, SourceName::Git, "a").is_err(), "byte {at}");
            assert!(Payload::decode(&text[..at], SourceName::Git, "a").is_err(), "cut at {at}");
        }
    }
}
