//! Syntax of the languages of generated trees: rows of patterns.
//!
//! In a pattern, `$` and a letter are a placeholder: `$n` the name of the definition, `$T`
//! and `$U` types, `$a`, `$b` and `$c` variables, `$f` a function that is called, `$m` a module, `$s`
//! a sentence, `$d` a number.

use super::words::Case;

/// One language.
#[derive(Debug)]
pub(super) struct Shape {
    /// Ending of its files.
    pub(super) extension: &'static str,
    /// Percentage of files in this language.
    pub(super) share: usize,
    /// Case of the names of functions and variables.
    pub(super) case: Case,
    /// Lines at the top of a file; those with `$m` are repeated.
    pub(super) import: &'static str,
    /// A type with two fields.
    pub(super) kind: &'static str,
    /// Lines before and after the functions of a type.
    pub(super) members: (&'static str, &'static str),
    /// Indentation of each line of a function.
    pub(super) indent: &'static str,
    /// Lines of a comment: before all, before each, after all.
    pub(super) comment: (&'static str, &'static str, &'static str),
    /// The first line of a function.
    pub(super) open: &'static str,
    /// Statements in functions; lines are separated by line ends.
    pub(super) statements: &'static [&'static str],
    /// The last lines of a function.
    pub(super) close: &'static str,
}

/// The languages of code; the other files are Markdown.
pub(super) const SHAPES: &[Shape] = &[
    Shape {
        extension: "rs",
        share: 22,
        case: Case::Snake,
        import: "use crate::$m::$T;",
        kind: "/// $s.\n#[derive(Debug, Clone)]\npub struct $T {\n    $a: $U,\n    pub $b: usize,\n}",
        members: ("impl $T {", "}"),
        indent: "    ",
        comment: ("", "/// ", ""),
        open: "pub fn $n(&mut self, $a: &$T, $b: usize) -> Result<$U, Error> {",
        statements: &[
            "    let $c = $f($a, $b)?;",
            "    let mut $b = self.$c.$f(&$a);",
            "    if $a.$b() > $d {\n        return Err(Error::new(\"$s\"));\n    }",
            "    for $c in $a.$b.iter().take($d) {\n        self.$f($c)?;\n    }",
            "    match self.$a {\n        Some($c) => $f($c, $d),\n        None => return $f($b),\n    }",
            "    // $s.\n    self.$a = $T::new($b, $d);",
        ],
        close: "    Ok($f($c))\n}",
    },
    Shape {
        extension: "py",
        share: 22,
        case: Case::Snake,
        import: "from app.$m import $T, $f",
        kind: "class $T($U):\n    \"\"\"$s.\"\"\"\n\n    $a: $U\n    $b: int = $d",
        members: ("", ""),
        indent: "    ",
        comment: ("", "# ", ""),
        open: "def $n(self, $a: $T, $b: int = $d) -> $U:",
        statements: &[
            "    $c = $f($a, $b)",
            "    $b = self.$c.$f($a)",
            "    if $a.$b > $d:\n        raise $T(\"$s\")",
            "    for $c in $a.$b[:$d]:\n        self.$f($c)",
            "    # $s.\n    self.$a = {\"$b\": $b, \"$c\": $d}",
            "    with $f($a) as $c:\n        $c.$b($d)",
        ],
        close: "    return $f($c)",
    },
    Shape {
        extension: "ts",
        share: 18,
        case: Case::Camel,
        import: "import { $T, $f } from \"../$m/$a\";",
        kind: "/** $s. */\nexport interface $T extends $U {\n  $a: $U;\n  $b?: number;\n}",
        members: ("export class $TService {", "}"),
        indent: "  ",
        comment: ("/**", " * ", " */"),
        open: "async $n($a: $T, $b: number = $d): Promise<$U> {",
        statements: &[
            "  const $c = await $f($a, $b);",
            "  const $b = this.$c.$f($a);",
            "  if ($a.$b > $d) {\n    throw new Error(\"$s\");\n  }",
            "  for (const $c of $a.$b.slice(0, $d)) {\n    this.$f($c);\n  }",
            "  // $s.\n  this.$a = { $b, $c: $d };",
            "  $a.map(($c) => $f($c.$b));",
        ],
        close: "  return $f($c);\n}",
    },
    Shape {
        extension: "go",
        share: 14,
        case: Case::Camel,
        import: "import \"example.org/app/$m\"",
        kind: "// $T: $s.\ntype $T struct {\n\t$a $U\n\t$b int\n}",
        members: ("", ""),
        indent: "",
        comment: ("", "// ", ""),
        open: "func (s *$T) $n($a *$T, $b int) ($U, error) {",
        statements: &[
            "\t$c, err := $f($a, $b)\n\tif err != nil {\n\t\treturn nil, err\n\t}",
            "\t$b := s.$c.$f($a)",
            "\tif $a.$b > $d {\n\t\treturn nil, errors.New(\"$s\")\n\t}",
            "\tfor _, $c := range $a.$b {\n\t\ts.$f($c, $d)\n\t}",
            "\t// $s.\n\ts.$a = &$T{$d}",
        ],
        close: "\treturn $f($c), nil\n}",
    },
    Shape {
        extension: "java",
        share: 8,
        case: Case::Camel,
        import: "import org.example.app.$m.$T;",
        kind: "",
        members: (
            "public class $T extends $U {\n    private $U $a;\n    private int $b = $d;",
            "}",
        ),
        indent: "    ",
        comment: ("/**", " * ", " */"),
        open: "public $U $n($T $a, int $b) throws IOException {",
        statements: &[
            "    $T $c = $f($a, $b);",
            "    int $b = this.$c.$f($a);",
            "    if ($a.$b() > $d) {\n        throw new $T(\"$s\");\n    }",
            "    for ($U $c : $a.$b()) {\n        this.$f($c, $d);\n    }",
            "    // $s.\n    this.$a = new $T($b, $d);",
        ],
        close: "    return $f($c);\n}",
    },
    Shape {
        extension: "c",
        share: 6,
        case: Case::Snake,
        import: "#include \"$m/$a.h\"",
        kind: "/* $s. */\nstruct $n_state {\n\tstruct $a_list *$b;\n\tint $c;\n};",
        members: ("", ""),
        indent: "",
        comment: ("/*", " * ", " */"),
        open: "static int $n(struct $a_list *$a, size_t $b)\n{",
        statements: &[
            "\tint $c = $f($a, $b);",
            "\tif ($c < $d) {\n\t\tpr_err(\"$s\");\n\t\treturn -EINVAL;\n\t}",
            "\tfor (size_t i = 0; i < $b; i++) {\n\t\t$f(&$a[i], $d);\n\t}",
            "\t/* $s. */\n\t$a->$b = $f($c);",
            "\tmemset($a, $d, sizeof(*$a));",
        ],
        close: "\treturn $f($c);\n}",
    },
];

/// Replaces the placeholders of a pattern. Unknown placeholders stay as they are.
pub(super) fn fill(pattern: &str, mut value: impl FnMut(char) -> Option<String>) -> String {
    let mut text = String::with_capacity(pattern.len() * 2);
    let mut rest = pattern;
    while let Some((before, after)) = rest.split_once('$') {
        text.push_str(before);
        let place = after.chars().next();
        if let Some(value) = place.and_then(&mut value) {
            text.push_str(&value);
            rest = &after[place.map_or(0, char::len_utf8)..];
        } else {
            text.push('$');
            rest = after;
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_of_every_pattern_is_known_and_shares_leave_room_for_prose() {
        for shape in SHAPES {
            let (head, tail) = shape.members;
            let once = [shape.import, shape.kind, head, tail, shape.open, shape.close];
            for pattern in once.iter().chain(shape.statements) {
                let filled =
                    fill(pattern, |place| "nTUabcfmsd".contains(place).then(|| "x".to_owned()));
                assert!(!filled.contains('$'), "{}: {filled}", shape.extension);
            }
        }
        let code: usize = SHAPES.iter().map(|shape| shape.share).sum();
        assert!((80..100).contains(&code), "{code}");
    }

    #[test]
    fn unknown_placeholders_stay() {
        let value = |place| (place == 'a').then(|| "Ä".to_owned());
        assert_eq!(fill("$a-$z-$", value), "Ä-$z-$");
    }
}
