//! Signals of the support of neighbours among the candidates.

use super::{Side, Signal};
use crate::rank::{DocumentCandidate, Question};

macro_rules! neighbour_signal {
    ($(#[$doc:meta])* $type:ident, $name:literal, $field:ident) => {
        $(#[$doc])*
        pub(crate) struct $type;

        impl Signal for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn value(&self, _: &Question<'_>, candidate: &DocumentCandidate) -> f32 {
                candidate.neighbours.$field
            }

            fn side(&self) -> Side {
                Side::Document
            }

            fn is_relative(&self) -> bool {
                true
            }
        }
    };
}

neighbour_signal! {
    /// Other files of its folder are answers: files of a folder share a subject.
    Siblings, "siblings", siblings
}
neighbour_signal! {
    /// Another file of the same unit is an answer: the declarations of a header or a partial type
    /// belong to the main file, too.
    Unit, "unit", unit
}
neighbour_signal! {
    /// Answers use names that only this file defines.
    Users, "users", users
}
