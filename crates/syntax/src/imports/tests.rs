//! Tests of import parsers, with one table for each family.

use super::*;

fn check(style: Style, statement: &str, expected: &str) {
    let lines = LineTable::new(statement);
    let imports = read(statement, &lines, style, std::iter::once(0..statement.len()).collect());
    let shown: Vec<String> = imports
        .iter()
        .map(|import| {
            let name = import.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
            let alias = import.alias.as_deref().map(|name| format!(" as {name}"));
            let sign = if import.reexported { "+" } else { "" };
            format!("{sign}{}{name}{}", import.module, alias.unwrap_or_default())
        })
        .collect();
    assert_eq!(shown.join(", "), expected, "{statement}");
}

#[test]
fn rust() {
    let check = |statement, expected| check(Style::Rust, statement, expected);
    check("use crate::store::Disk;", "crate::store Disk");
    check("pub use self::a::{b, c as d, e::*};", "+self::a b, +self::a c as d, +self::a::e *");
    check("use a::{self, b::{c, d}};", "a, a::b c, a::b d");
    check("use a::b::{self as x};", "a b as x");
    check("use super::*;", "super *");
    check("use serde;", "serde");
    check("pub(crate) use super::pool::Pool;", "+super::pool Pool");
    check("pub extern crate alloc as memory;", "+alloc as memory");
    check("use a::{", "");
}

#[test]
fn python() {
    let check = |statement, expected| check(Style::Python, statement, expected);
    check("import os.path", "os.path");
    check("import numpy as np, sys", "numpy as np, sys");
    check("from .store import Disk as D, Row", "+.store Disk as D, +.store Row");
    check("from . import (\n  a,  # first\n  b,\n)", "+. a, +. b");
    check("from app.models import *", "+app.models *");
    check("from", "");
}

#[test]
fn ecmascript() {
    let check = |statement, expected| check(Style::Ecmascript, statement, expected);
    check("import a, { b, c as d } from './m.js';", "./m.js default as a, ./m.js b, ./m.js c as d");
    check("import * as z from \"zod\"", "zod as z");
    check("import type { T } from './t'", "./t T");
    check("export * from './all'", "+./all *");
    check("export { a as b } from './m'", "+./m a as b");
    check("const { a, b: c } = require('./m')", "./m a, ./m b as c");
    check("const fs = require('fs')", "fs as fs");
    check("fs = require('fs')", "fs as fs");
    check("module.exports = require('./lib')", "+./lib *");
    check("exports.Router = require('./router')", "+./router as Router");
    check("const { a } = await import('./lazy')", "./lazy a");
    check("import('./lazy')", "./lazy");
    check("import './side-effect'", "./side-effect");
    check("import x", "");
}

#[test]
fn go() {
    let check = |statement, expected| check(Style::Go, statement, expected);
    check("import \"net/http\"", "net/http");
    check(
        "import (\n\t\"a/b\"\n\tc \"d/e\" // why\n\t_ \"f\"\n\t. \"g\"\n)",
        "a/b, d/e as c, f, g *",
    );
}

#[test]
fn dotted_names() {
    let check = |statement, expected| check(Style::DottedName, statement, expected);
    check("import java.util.List;", "java.util List");
    check("import static a.b.C.d;", "a.b.C d");
    check("import a.b.*;", "a.b *");
    check("import a.b.C as D", "a.b C as D");
    check("import a.b.{C, D => E, _}", "a.b C, a.b D as E, a.b *");
    check("use App\\Models\\User as U;", "App\\Models User as U");
    check("use App\\{A, B as C};", "App A, App B as C");
    check("alias MyApp.{Repo, User}", "MyApp Repo, MyApp User");
    check("alias MyApp.Repo, as: R", "MyApp Repo as R");
}

#[test]
fn dotted_modules() {
    let check = |statement, expected| check(Style::DottedModule, statement, expected);
    check("using System.Text;", "System.Text *");
    check("using T = System.Text.Rune;", "System.Text.Rune * as T");
    check("import Foundation", "Foundation *");
    check("@testable import Store", "Store *");
    check("import struct Store.Disk", "Store Disk");
    check("import qualified Data.Map as M", "Data.Map as M");
    check("import Data.List (sort, nub)", "Data.List sort, Data.List nub");
    check("using Base: show, push!", "Base show, Base push");
    check("open Core", "Core *");
}

#[test]
fn listed() {
    let check = |style, statement, expected| self::check(style, statement, expected);
    check(Style::Elixir, "alias MyApp.{Repo, Accounts.User}", "MyApp Repo, MyApp.Accounts User");
    check(Style::Elixir, "alias MyApp.Repo, as: R", "MyApp Repo as R");
    check(
        Style::Elixir,
        "import Ecto.Query, only: [from: 2, or: 2]",
        "Ecto.Query from, Ecto.Query or",
    );
    check(Style::Elixir, "import Ecto.Query", "Ecto.Query *");
    check(Style::Elixir, "use MyApp.Web, :context", "MyApp.Web");
    check(Style::Elixir, "require Logger", "Logger");
    check(Style::Erlang, "-import(lists, [map/2, foldl/3]).", "lists map, lists foldl");
    check(Style::Erlang, "-include_lib(\"a/include/b.hrl\").", "a/include/b.hrl *");
    check(Style::Haskell, "import qualified Data.Map as M", "Data.Map as M");
    check(Style::Haskell, "import A.B (C (..), foldl', (<+>), d)", "A.B C, A.B foldl', A.B d");
    check(Style::Haskell, "import Data.Maybe hiding (fromJust)", "Data.Maybe *");
    check(Style::Perl, "use List::Util qw(sum max);", "List::Util sum, List::Util max");
    check(Style::Perl, "use A::B 1.02;", "A::B *");
    check(Style::Perl, "use A::B ();", "A::B");
    check(Style::Perl, "use parent -norequire, 'A', 'B';", "A, B");
    check(Style::Clojure, "[a.b-c :as d :refer [e f?]]", "a.b-c as d, a.b-c e, a.b-c f");
    check(Style::Clojure, "(java.util List Map)", "java.util List, java.util Map");
    check(Style::Clojure, "[a.b :refer :all]", "a.b *");
    check(Style::Clojure, "a.b", "a.b");
}

#[test]
fn files() {
    let check = |statement, expected| check(Style::Quoted, statement, expected);
    check("#include \"store/disk.h\"", "store/disk.h *");
    check("#include <vector>", "vector *");
    check("require_relative 'store'", "store *");
    check("source ./lib/common.sh", "./lib/common.sh *");
    check("import 'package:app/store.dart' as store;", "package:app/store.dart as store");
    check("export 'src/route.dart';", "+src/route.dart *");
    check("local json = require(\"shop.json\")", "shop.json as json");
    check("local write = require 'shop.io'.write", "shop.io write");
    check("pub const std = @import(\"std\");", "+std as std");
    check("const Entry = @import(\"a.zig\").Entry;", "a.zig Entry");
    check("const Allocator = std.mem.Allocator;", "std.mem Allocator");
}
