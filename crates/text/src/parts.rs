//! Splits names into parts.

use crate::{Form, analyzer};

/// The folded parts of a name, in order: `get`, `user` for `getUser` and `GET_USER`.
pub fn parts(name: &str) -> Vec<String> {
    let mut parts = Vec::new();
    analyzer("code").analyze(name, &mut |token| {
        if token.form == Form::Part {
            parts.push(token.term.to_owned());
        }
    });
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_any_case_have_the_same_parts() {
        for name in ["getUser", "GET_USER", "get-user"] {
            assert_eq!(parts(name), ["get", "user"], "{name}");
        }
        assert_eq!(parts("__"), [""; 0]);
    }
}
