//! What to do when an index that could be opened turns out to be damaged while it is read: opening
//! trusts the stamps of files, so damage that keeps them shows only in an answer.

use lore_index::{IndexError, Place};

use crate::{CachePlace, Engine, EngineConfig, EngineError, snapshot::backend};

impl Engine {
    /// Asks, and asks once more where what was read is damaged. The second time every byte of that
    /// index is verified, so that it is made anew if it is to blame, which its warnings tell. Where
    /// nothing may be written the second answer comes from memory.
    pub(crate) fn recover<T>(
        &self,
        ask: impl Fn(&EngineConfig) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let path = match ask(&self.config) {
            Err(EngineError::Index(IndexError::Damaged { path, .. })) => path,
            answered => return answered,
        };
        if self.config.write && backend().distrust(&Place::Folder(path)).is_ok() {
            return ask(&self.config);
        }
        let in_memory = EngineConfig { cache: CachePlace::Memory, ..self.config.clone() };
        ask(&in_memory)
    }
}
