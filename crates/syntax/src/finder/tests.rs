//! Tests of definitions on single lines, by language.

use lore_schema::Visibility;

use crate::{comments, detect::named, finder, language::Structure, line_table::LineTable};

/// Checks that a text has exactly these definitions: `kind receiver.name`, with `+` before public
/// and `-` before private definitions.
fn check(language: &str, text: &str, expected: &[&str]) {
    let language = named(language).expect("a known language");
    let shapes = match language.structure {
        Structure::Lines(shapes) => shapes,
        // The shapes of a build without the grammar.
        Structure::Grammar(grammar) => grammar.shapes,
        Structure::Prose(_) => panic!("{} is prose", language.name),
    };
    let lines = LineTable::new(text);
    let outline = finder::outline(text, &lines, shapes, comments::scan(text, &language.comments));
    let found: Vec<String> = outline
        .definitions
        .iter()
        .map(|found| {
            let sign = match found.visibility {
                Visibility::Public => "+",
                Visibility::Private => "-",
                Visibility::Unknown => "",
            };
            let receiver = found.receiver.as_ref().map_or(String::new(), |name| format!("{name}."));
            format!("{sign}{} {receiver}{}", found.kind.as_str(), found.name)
        })
        .collect();
    assert_eq!(found, expected, "{}:\n{text}", language.name);
}

#[test]
fn finds_definitions_by_line() {
    check(
        "bash",
        "nvm_is() {\n  local x\n}\nfunction two {\n}\n# three() {\necho four()\n",
        &["function nvm_is", "function two"],
    );
    check(
        "ruby",
        "module A\n  class B::C < D\n    def self.run!(x)\n    end\n    def <=>(o)\n  end\nend\n",
        &["module A", "class B.C", "method run!"],
    );
    check(
        "lua",
        "local function a() end\nfunction M.b(x)\nM.c = function() end\nlocal d = 1\nreturn function() end\n",
        &["-function a", "function M.b", "function M.c"],
    );
    check(
        "kotlin",
        "data class A(val x: Int)\n  override suspend fun open(b: Int) {}\nenum class C\nfun String.d() = 1\nobject : E {\nprivate fun <T> f(): T\n",
        &["class A", "method open", "class C", "function String.d", "-function f"],
    );
    check(
        "swift",
        "public final class A: B {\n  class func c() {}\n  @objc private func d() {}\n}\nextension A: E {\n}\nprotocol F {}\n",
        &["+class A", "method c", "-method d", "impl A", "interface F"],
    );
    check(
        "csharp",
        "namespace A.B;\npublic sealed class C\n{\n  public C(int x)\n  public async Task<List<int>> D<T>(int x)\n  private static readonly Foo e = new Foo();\n  case F(x):\n  return G(x);\n}\n",
        &["module A.B", "+class C", "+method C", "+method D"],
    );
    check(
        "php",
        "<?php\nnamespace A;\nfinal class B {\n  public static function c() {\n}\n$d = function () {};\n",
        &["module A", "class B", "+method c"],
    );
    check(
        "scala",
        "case class A(x: Int)\nobject B extends C\n  private[http] def d: Int\n  implicit def e(x: Int) = 1\nsealed trait F\n",
        &["class A", "class B", "-method d", "method e", "interface F"],
    );
    check(
        "haskell",
        "module A.B where\ndata C = D\nclass Monad m => E m where\nf, g :: Int -> Int\nf x = h :: Int\n  where k :: Int\nnewtype L a = L a\n",
        &["module A.B", "type C", "interface Monad", "function f", "type L"],
    );
    check(
        "elixir",
        "defmodule A.B do\n  @doc \"x\"\n  def c(x), do: 1\n  defp d(x) do\n  defmacro e(x) do\nend\n",
        &["module A.B", "function c", "-function d", "macro e"],
    );
    check(
        "zig",
        "pub fn a(x: u8) void {\nconst B = struct {\npub const C = enum(u8) {\nconst d = 1;\n    fn e() void {}\n",
        &["+function a", "struct B", "+enum C", "method e"],
    );
    check(
        "sql",
        "CREATE TABLE IF NOT EXISTS a.b (\ncreate or replace function c() returns int\ncreate\n",
        &["type a.b", "function c"],
    );
    check(
        "hcl",
        "resource \"aws_x\" \"a\" {\nmodule \"b\" {\nlocals {\n  c = \"d\"\n",
        &["variable a", "module b"],
    );
    check("erlang", "start(X) ->\n    stop(X) ->\n-module(a).\n", &["function start"]);
    check(
        "clojure",
        "(ns a.b)\n(defn c [x]\n(def d 1)\n",
        &["module a.b", "function c", "variable d"],
    );
    check(
        "protobuf",
        "message A {\n  enum B {\nservice C {\n  rpc D (E) returns (F);\n",
        &["struct A", "enum B", "interface C", "method D"],
    );
    check(
        "make",
        "all: a b\nCC := gcc\n.PHONY: all\nclean:\n\trm: x\n",
        &["function all", "function clean"],
    );
    check("objective-c", "@interface A : B\n- (void)c:(int)d;\n@end\n", &["class A", "method c"]);
    check(
        "ocaml",
        "let rec a x = 1\n  let b = 2\nmodule C = struct\nlet () = d\n",
        &["function a", "module C"],
    );
    check("r", "a <- function(x) 1\nb = function(x) 2\nc <- d(x)\n", &["function a", "function b"]);
    check("yaml", "class: A\ndef b: c\n", &[]);
}
