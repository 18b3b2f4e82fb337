#!/usr/bin/env python3
"""Checks the archives and what is made from them: Homebrew, Scoop, winget, Nix, cargo-binstall and the container.

    python3 packaging/test_manifests.py

The programs are fakes, so nothing is compiled, and no network is used. Checks that need Ruby, Nix or buildah print
`NOT CHECKED` where these are missing. The last line is `N passed, N failed`.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
MANIFEST = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
VERSION, REPOSITORY = MANIFEST["version"], MANIFEST["repository"]
TARGETS = [each["target"] for each in json.loads((HERE / "npm/platforms.json").read_text())]
COMPLETIONS = ["lore.bash", "_lore", "lore.fish", "_lore.ps1", "lore.elv", "lore.nu"]
SHA256 = re.compile(r"[0-9a-f]{64}")


def run(*words: object, **options: object) -> str:
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    call = [str(word) for word in words]
    done = subprocess.run(call, capture_output=True, text=True, env=environment, **options)
    if done.returncode:
        raise AssertionError(f"{call}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def needs(program: str, what: str) -> None:
    """Skips a test, and says so, where a program is missing."""
    if not shutil.which(program):
        print(f"NOT CHECKED: {what}. {program} is not installed.")
        raise unittest.SkipTest(program)


def archive_name(target: str) -> str:
    return f"lorehound-{VERSION}-{target}" + (".zip" if "windows" in target else ".tar.gz")


class Packages(unittest.TestCase):
    """One set of fake archives for all tests."""

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="lore-packages-"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.out, cls.made = cls.folder / "out", cls.folder / "made"
        extras = cls.folder / "extras"
        for name in ["man/lore.1", "man/lore-index.1", *(f"completions/{name}" for name in COMPLETIONS)]:
            (extras / name).parent.mkdir(parents=True, exist_ok=True)
            (extras / name).write_text(f"{name}\n")
        for target in TARGETS:
            program = cls.folder / f"lore-{target}"
            program.write_text(f"the program of {target}\n")
            for out in (cls.out, cls.folder / "again"):
                run("python3", HERE / "archive.py", target, program, out, "--extras", extras)
        run(HERE / "checksums.sh", cls.out)
        run("python3", HERE / "manifests.py", cls.out / "SHA256SUMS", cls.made)

    def sum_of(self, target: str) -> str:
        return hashlib.sha256((self.out / archive_name(target)).read_bytes()).hexdigest()

    def url_of(self, target: str) -> str:
        return f"{REPOSITORY}/releases/download/v{VERSION}/{archive_name(target)}"

    def files_of(self, target: str) -> dict[str, int]:
        """Paths of an archive, with their modes."""
        path = self.out / archive_name(target)
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as archive:
                return {entry.filename: entry.external_attr >> 16 & 0o777 for entry in archive.infolist()}
        with tarfile.open(path) as archive:
            return {entry.name: entry.mode for entry in archive.getmembers()}

    def test_archives_are_equal_when_built_again(self) -> None:
        for target in TARGETS:
            again = (self.folder / "again" / archive_name(target)).read_bytes()
            self.assertEqual(again, (self.out / archive_name(target)).read_bytes(), target)

    def test_archives_contain_program_texts_man_pages_and_completions(self) -> None:
        for target in TARGETS:
            program = "lore.exe" if "windows" in target else "lore"
            names = [program, "README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE", "man/lore.1", "man/lore-index.1"]
            names += [f"completions/{name}" for name in COMPLETIONS]
            top = f"lorehound-{VERSION}-{target}"
            expected = {f"{top}/{name}": 0o755 if name == program else 0o644 for name in names}
            self.assertEqual(self.files_of(target), expected)

    def test_checksums_can_be_verified(self) -> None:
        run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=self.out)
        listed = (self.out / "SHA256SUMS").read_text().splitlines()
        self.assertEqual([line.split()[1] for line in listed], sorted(map(archive_name, TARGETS)))

    def test_missing_archives_are_an_error(self) -> None:
        sums = self.folder / "few"
        sums.write_text(f"{'0' * 64}  {archive_name(TARGETS[0])}\n")
        with self.assertRaisesRegex(AssertionError, "SHA256SUMS does not contain"):
            run("python3", HERE / "manifests.py", sums, self.folder / "few-made")

    def test_no_hole_is_left(self) -> None:
        for path in self.made.rglob("*.*"):
            self.assertNotRegex(path.read_text(), r"@(version|repository|date|url|sha256)", path.name)
            self.assertNotIn("template", path.read_text(), path.name)

    def test_homebrew_formula(self) -> None:
        text = (self.made / "lorehound.rb").read_text()
        pairs = re.findall(r'url "([^"]+)"\n\s+sha256 "([^"]+)"', text)
        targets = [f"{cpu}-{system}" for system in ("apple-darwin", "unknown-linux-musl") for cpu in ("aarch64", "x86_64")]
        self.assertEqual(pairs, [(self.url_of(target), self.sum_of(target)) for target in targets])
        # The paths that it installs, in the folder that Homebrew unpacks.
        files = self.files_of(targets[0])
        installed = re.findall(r'install "([^"]+)"', text)
        self.assertEqual(len(installed), 4)
        for path in installed:
            self.assertIn(f"lorehound-{VERSION}-{targets[0]}/{path}", files)
        needs("ruby", "the syntax of the Homebrew formula")
        self.assertEqual(run("ruby", "-c", self.made / "lorehound.rb").strip(), "Syntax OK")
        self.assertEqual(run("ruby", "-c", HERE / "homebrew/lorehound.rb").strip(), "Syntax OK")

    def test_scoop_manifest(self) -> None:
        manifest = json.loads((self.made / "lorehound.json").read_text())
        self.assertLessEqual({"version", "homepage", "license"}, set(manifest), "required")
        known = {"version", "description", "homepage", "license", "architecture", "bin", "checkver", "autoupdate"}
        self.assertLessEqual(set(manifest), known)
        self.assertRegex(manifest["version"], r"^[\w.+-]+$")
        for name, target in {"64bit": "x86_64-pc-windows-msvc", "arm64": "aarch64-pc-windows-msvc"}.items():
            each = manifest["architecture"][name]
            self.assertEqual(each["url"], self.url_of(target))
            self.assertEqual(each["hash"], self.sum_of(target))
            self.assertIn(f"{each['extract_dir']}/{manifest['bin']}", self.files_of(target))
            later = manifest["autoupdate"]["architecture"][name]
            for key in ("url", "extract_dir"):
                self.assertEqual(later[key].replace("$version", VERSION), each[key])

    def winget(self, kind: str) -> dict[str, object]:
        needs("ruby", "the manifest of winget")
        path = self.made / f"winget/Lorehound.Lorehound{kind}.yaml"
        program = "puts JSON.dump(YAML.safe_load(File.read(ARGV[0])))"
        return json.loads(run("ruby", "-ryaml", "-rjson", "-e", program, path))

    def test_winget_files_agree_and_have_their_required_keys(self) -> None:
        # The rules of the schema 1.6.0: required keys, kinds and forms of values.
        required = {
            "": ["PackageIdentifier", "PackageVersion", "DefaultLocale"],
            ".installer": ["PackageIdentifier", "PackageVersion", "Installers"],
            ".locale.en-US": ["PackageIdentifier", "PackageVersion", "PackageLocale", "Publisher", "PackageName", "License", "ShortDescription"],
        }
        kinds = {"": "version", ".installer": "installer", ".locale.en-US": "defaultLocale"}
        for kind, keys in required.items():
            manifest = self.winget(kind)
            self.assertLessEqual({*keys, "ManifestType", "ManifestVersion"}, set(manifest))
            self.assertEqual(manifest["ManifestType"], kinds[kind])
            self.assertEqual(manifest["ManifestVersion"], "1.6.0")
            self.assertEqual(manifest["PackageVersion"], VERSION)
            self.assertRegex(manifest["PackageIdentifier"], r"^[^.\s\\/:*?\"<>|]{1,32}(\.[^.\s\\/:*?\"<>|]{1,32}){1,7}$")

    def test_winget_installers(self) -> None:
        manifest = self.winget(".installer")
        self.assertEqual((manifest["InstallerType"], manifest["NestedInstallerType"]), ("zip", "portable"))
        self.assertRegex(manifest["ReleaseDate"], r"^\d{4}-\d{2}-\d{2}$")
        targets = {"x64": "x86_64-pc-windows-msvc", "arm64": "aarch64-pc-windows-msvc"}
        self.assertEqual([each["Architecture"] for each in manifest["Installers"]], list(targets))
        for each in manifest["Installers"]:
            target = targets[each["Architecture"]]
            self.assertEqual(each["InstallerUrl"], self.url_of(target))
            self.assertEqual(each["InstallerSha256"], self.sum_of(target).upper())
            [nested] = each["NestedInstallerFiles"]
            self.assertEqual(nested["PortableCommandAlias"], "lore")
            self.assertIn(nested["RelativeFilePath"].replace("\\", "/"), self.files_of(target))

    def test_winget_texts_have_their_lengths(self) -> None:
        manifest = self.winget(".locale.en-US")
        self.assertLessEqual(3, len(manifest["ShortDescription"]))
        self.assertLessEqual(len(manifest["ShortDescription"]), 256)
        self.assertRegex(manifest["Moniker"], r"^\S{1,40}$")
        self.assertLessEqual(len(manifest["Tags"]), 16)
        self.assertEqual(len(set(manifest["Tags"])), len(manifest["Tags"]))

    def test_binstall_names_the_archives(self) -> None:
        package = tomllib.loads((ROOT / "crates/cli/Cargo.toml").read_text())["package"]
        self.assertEqual(package["repository"], {"workspace": True})
        general = package["metadata"]["binstall"]
        for target in TARGETS:
            rules = {**general, **general.get("overrides", {}).get(target, {})}
            values = {"repo": REPOSITORY, "version": VERSION, "target": target, "bin": "lore"}
            values["binary-ext"] = ".exe" if "windows" in target else ""
            fill = lambda text: re.sub(r"\{ ([\w-]+) \}", lambda hole: values[hole[1]], text)
            self.assertEqual(fill(rules["pkg-url"]), self.url_of(target))
            self.assertEqual(rules["pkg-fmt"], "zip" if "windows" in target else "tgz")
            self.assertIn(fill(rules["bin-dir"]), self.files_of(target))

    def test_flake_can_be_parsed(self) -> None:
        needs("nix-instantiate", "the syntax of flake.nix")
        run("nix-instantiate", "--parse", ROOT / "flake.nix")

    def test_container_runs_a_static_program_as_an_ordinary_user(self) -> None:
        needs("cc", "the container")
        needs("buildah", "the container")
        source, program = self.folder / "fake.c", self.folder / "fake"
        source.write_text(
            "#include <stdio.h>\n#include <unistd.h>\n"
            'int main(int n, char **w) { char at[99]; printf("%d %s %s %d", getuid(), getcwd(at, 99), w[1], access("/cache", W_OK)); }\n'
        )
        run("cc", "-static", "-o", program, source)
        image = f"localhost/lorehound-test:{os.getpid()}"
        try:
            run(HERE / "container/build.sh", program, image)
        except AssertionError as error:
            print(f"NOT CHECKED: the container. buildah builds no image here: {str(error).splitlines()[-1]}")
            self.skipTest("buildah")
        container = run("buildah", "from", image).strip()
        try:
            config = json.loads(run("buildah", "inspect", "--type", "image", image))["Docker"]["config"]
            self.assertEqual(config["User"], "65532:65532")
            self.assertEqual(config["Entrypoint"], ["/lore"])
            self.assertEqual(config["Volumes"], {"/repo": {}, "/cache": {}})
            out = run("buildah", "run", "--isolation", "chroot", container, "--", "/lore", "question")
            self.assertEqual(out, "65532 /repo question 0")
        finally:
            run("buildah", "rm", container)
            run("buildah", "rmi", image)

    def test_container_refuses_a_dynamic_program(self) -> None:
        needs("readelf", "that a dynamic program is refused")
        dynamic = shutil.which("git") or "/bin/sh"
        with self.assertRaisesRegex(AssertionError, "is not static"):
            run(HERE / "container/build.sh", dynamic, "localhost/none")


class Notes(unittest.TestCase):
    def test_notes_are_the_section_of_the_version(self) -> None:
        sys.path.insert(0, str(HERE))
        from notes import section

        text = "# Changelog\n\n## Unreleased\n\n- new\n\n## 1.2.0 (2026-01-02)\n\n- a\n- b\n\n## 1.2.0-rc.1\n\n- c\n"
        self.assertEqual(section(text, "1.2.0"), "- a\n- b")
        self.assertEqual(section(text, "1.2.0-rc.1"), "- c")
        self.assertEqual(section(text, "1.2"), "")


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=1).result
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad - len(result.skipped)} passed, {bad} failed, {len(result.skipped)} skipped")
    sys.exit(bool(bad))
