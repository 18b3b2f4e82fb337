//! Signals of who stands beside a document: what its neighbours among the candidates say for it.

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
    /// Other files of its folder are answers: a folder is about something.
    Siblings, "siblings", siblings
}
neighbour_signal! {
    /// Another file of the same unit is an answer: what a header declares or a partial type adds is
    /// the main file's, too.
    Unit, "unit", unit
}
neighbour_signal! {
    /// Answers use what only this file defines.
    Users, "users", users
}
