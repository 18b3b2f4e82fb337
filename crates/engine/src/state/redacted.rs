//! Number of secrets removed from the texts of an index by rule, and the documents concerned.

use std::collections::BTreeMap;

use lore_index::{DocumentSet, IndexError, Reader};
use lore_schema::Field;

use crate::{SecretCount, query::facets};

/// Maximum number of different secret counts that are read.
const MAX_SECRET_TERMS: usize = 100_000;

/// Counts the secrets removed from the texts of one source.
pub(crate) fn counts(reader: &dyn Reader) -> Result<BTreeMap<String, SecretCount>, IndexError> {
    let mut secrets = BTreeMap::<String, SecretCount>::new();
    for term in reader.terms(Field::Facets, facets::SECRETS, MAX_SECRET_TERMS)? {
        let counted = term.strip_prefix(facets::SECRETS).and_then(|term| term.split_once('*'));
        let Some((rule, Ok(each))) = counted.map(|(rule, each)| (rule, each.parse::<u64>())) else {
            continue;
        };
        let documents = reader.document_frequency(Field::Facets, &term)?;
        let count = secrets.entry(rule.to_owned()).or_default();
        count.documents += documents;
        count.secrets += documents * each;
    }
    Ok(secrets)
}

/// Returns the documents of one source from whose text a secret was removed.
pub(crate) fn documents(reader: &dyn Reader) -> Result<DocumentSet, IndexError> {
    let mut found = Vec::new();
    for rule in lore_sources::secret_rule_names() {
        let term = facets::value_term(facets::SECRET, rule);
        let holders = reader.holders(Field::Facets, &term, usize::MAX)?;
        found.extend(holders.into_iter().map(|holder| holder.document));
    }
    Ok(DocumentSet::of(found))
}
