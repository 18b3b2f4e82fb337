//! Any text in any language: chunks keep their laws. The first byte picks the language.

#![no_main]

use libfuzzer_sys::fuzz_target;
use lore_fuzz::{assert_chunks, assert_metadata, file};
use lore_syntax::{LANGUAGES, categorize, chunk, detect};

/// One file name for each language, one of no known language, and names whose content decides.
/// Languages with a grammar and prose formats are listed twice: they have more code to test.
const FILES: &[&str] = &[
    "a",
    "a.adoc",
    "a.c",
    "a.clj",
    "a.cmake",
    "a.cpp",
    "a.cr",
    "a.cs",
    "a.css",
    "a.csv",
    "a.d",
    "a.dart",
    "a.el",
    "a.elm",
    "a.erl",
    "a.ex",
    "a.fs",
    "a.gleam",
    "a.go",
    "a.graphql",
    "a.groovy",
    "a.h",
    "a.hs",
    "a.html",
    "a.ini",
    "a.java",
    "a.jl",
    "a.js",
    "a.json",
    "a.just",
    "a.kt",
    "a.lua",
    "a.m",
    "a.md",
    "a.mk",
    "a.ml",
    "a.mm",
    "a.nim",
    "a.nix",
    "a.org",
    "a.php",
    "a.pl",
    "a.prisma",
    "a.proto",
    "a.ps1",
    "a.py",
    "a.r",
    "a.rb",
    "a.rs",
    "a.rst",
    "a.scala",
    "a.sh",
    "a.sol",
    "a.sql",
    "a.svelte",
    "a.svg",
    "a.swift",
    "a.tf",
    "a.thrift",
    "a.toml",
    "a.ts",
    "a.tsx",
    "a.txt",
    "a.vim",
    "a.vue",
    "a.xml",
    "a.yml",
    "a.zig",
    "Dockerfile",
    "go.mod",
    "b.adoc",
    "b.c",
    "b.cpp",
    "b.go",
    "b.java",
    "b.js",
    "b.md",
    "b.org",
    "b.py",
    "b.rs",
    "b.rst",
    "b.ts",
    "b.tsx",
];

/// Fails if a language has no file in the list.
fn check_files() {
    assert!(FILES.len() <= 256);
    for language in LANGUAGES {
        let is_there =
            |file: &&str| detect(file, "").is_some_and(|found| found.name == language.name);
        assert!(FILES.iter().any(|file| is_there(&file)), "no file of {}", language.name);
    }
}

fuzz_target!(
    init: check_files(),
    |data: &[u8]| {
        let Some((first, rest)) = data.split_first() else { return };
        let path = FILES[usize::from(*first) % FILES.len()];
        let mut document = file(path, String::from_utf8_lossy(rest).into_owned());
        assert_chunks(&document, &chunk(&document));
        categorize(path, &document.text);
        // The same text with its first and its third line as metadata.
        let mut start = 0;
        for (number, line) in document.text.split_inclusive('\n').enumerate().take(3) {
            if number != 1 {
                document.metadata.push(start..start + line.len());
            }
            start += line.len();
        }
        assert_metadata(&document);
        assert_chunks(&document, &chunk(&document));
    }
);
