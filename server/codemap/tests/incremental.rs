//! A map that follows changes is the same as one that is made anew.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use asd_codemap::{CodeIndex, Keep, ScanOptions};
use asd_store::{Disk, Project};
use proptest::prelude::*;

/// What may stand in a file of the little project.
const TEXTS: &[(&str, &[&str])] = &[
    (
        "a.ts",
        &[
            "export function one() { return two(); }\nfunction two() {}\n",
            "import {b} from './b';\nexport function one() { b(); }\n",
            "import {K} from './k/k';\nexport function one() { new K().go(); }\n",
        ],
    ),
    (
        "b.ts",
        &["export function b() {}\n", "export {c as b} from './c';\n"],
    ),
    (
        "c.ts",
        &[
            "export function c() {}\n",
            "import * as a from './a';\nexport function c() { a.one(); }\n",
        ],
    ),
    (
        "k/k.ts",
        &[
            "import {b} from '../b';\nexport class K { go() { b(); this.stop(); } stop() {} }\n",
            "export class K extends L { go() {} }\n",
        ],
    ),
    (
        "p/__init__.py",
        &["from .m import f\n", "", "def f(): pass\n"],
    ),
    (
        "p/m.py",
        &[
            "def f():\n    g()\ndef g(): pass\n",
            "from p import f as other\ndef h(): other()\n",
        ],
    ),
    (
        "src/lib.rs",
        &[
            "mod x;\nuse crate::x::T;\npub fn top() { T::new().run(); }\n",
            "mod x;\npub fn top() { x::free(); }\n",
        ],
    ),
    (
        "src/x.rs",
        &[
            "pub struct T;\nimpl T { pub fn new() -> Self { T } pub fn run(&self) { free(); } }\npub fn free() {}\n",
            "pub fn free() { crate::top(); }\n",
        ],
    ),
    (
        "Cargo.toml",
        &[
            "[package]\nname = \"a\"\nversion = \"0.1.0\"\n",
            "[package]\nname = \"b\"\nversion = \"0.1.0\"\n",
        ],
    ),
    (
        "tsconfig.json",
        &[
            "{\"compilerOptions\": {\"paths\": {\"@/*\": [\"k/*\"]}}}",
            "{}",
        ],
    ),
];

#[derive(Clone, Debug)]
enum Edit {
    Write(usize, usize),
    Remove(usize),
    Rename(usize, String),
    MoveFolder,
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => (0..TEXTS.len(), 0..3_usize).prop_map(|(file, text)| Edit::Write(file, text)),
        2 => (0..TEXTS.len()).prop_map(Edit::Remove),
        1 => (0..TEXTS.len(), "[a-d]").prop_map(|(file, name)| Edit::Rename(file, name)),
        1 => Just(Edit::MoveFolder),
    ]
}

fn apply(root: &Path, edit: &Edit) -> Vec<String> {
    let write = |path: &str, text: &str| {
        let at = root.join(path);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, text).unwrap();
    };
    match edit {
        Edit::Write(file, text) => {
            let (path, texts) = TEXTS[*file];
            write(path, texts[text % texts.len()]);
            vec![path.to_owned()]
        }
        Edit::Remove(file) => {
            let _ = std::fs::remove_file(root.join(TEXTS[*file].0));
            vec![TEXTS[*file].0.to_owned()]
        }
        Edit::Rename(file, name) => {
            let from = TEXTS[*file].0;
            let extension = from.rsplit_once('.').unwrap().1;
            let to = format!("{name}.{extension}");
            let _ = std::fs::rename(root.join(from), root.join(&to));
            vec![from.to_owned(), to]
        }
        Edit::MoveFolder => {
            let (one, other) = (root.join("k"), root.join("moved"));
            let _ = if one.exists() {
                std::fs::rename(&one, &other)
            } else {
                std::fs::rename(&other, &one)
            };
            vec!["k".to_owned(), "moved".to_owned()]
        }
    }
}

fn options(cancel: &AtomicBool, keep: Keep) -> ScanOptions<'_> {
    ScanOptions {
        host: &Disk,
        cancel,
        progress: &|_| {},
        keep,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_edits_leave_the_map_as_a_fresh_scan_has_it(edits in prop::collection::vec(edit(), 1..12)) {
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path();
        std::fs::create_dir_all(root.join("Alembic")).unwrap();
        for (path, texts) in TEXTS {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), texts[0]).unwrap();
        }
        let project = Project::at(root);
        let never = AtomicBool::new(false);
        let mut index = CodeIndex::scan(&project, &options(&never, Keep::WhenSetUp)).unwrap();
        for edit in &edits {
            let paths = apply(root, edit);
            index.update(&project, &paths, &options(&never, Keep::WhenSetUp)).unwrap();
            let fresh = CodeIndex::scan(&project, &options(&never, Keep::Nothing)).unwrap();
            prop_assert_eq!(index.sources(), fresh.sources());
            prop_assert_eq!(&*index.map(), &*fresh.map());
            // What was kept gives the same again, and parses nothing.
            let kept = CodeIndex::scan(&project, &options(&never, Keep::WhenSetUp)).unwrap();
            prop_assert_eq!(&*kept.map(), &*fresh.map());
            prop_assert_eq!(kept.extracted(), 0);
        }
    }
}

fn project(files: &[(&str, &str)]) -> (tempfile::TempDir, Project) {
    let temp = tempfile::tempdir().unwrap();
    for (path, text) in files {
        let at = temp.path().join(path);
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        std::fs::write(at, text).unwrap();
    }
    let project = Project::at(temp.path());
    (temp, project)
}

#[test]
fn one_changed_file_costs_one_file() {
    let (temp, project) = project(&[("a.ts", "import './b'"), ("b.ts", ""), ("c.ts", "f()")]);
    let never = AtomicBool::new(false);
    let mut index = CodeIndex::scan(&project, &options(&never, Keep::Nothing)).unwrap();
    assert_eq!(index.extracted(), 3);
    std::fs::write(temp.path().join("b.ts"), "export const x = 1").unwrap();
    let delta = index
        .refresh(&project, &options(&never, Keep::Nothing))
        .unwrap();
    assert_eq!(
        (delta.modified, index.extracted()),
        (vec!["b.ts".to_owned()], 1)
    );
}

#[test]
fn a_project_that_is_not_set_up_is_not_written_to() {
    let (temp, project) = project(&[("a.ts", "f()")]);
    let never = AtomicBool::new(false);
    CodeIndex::scan(&project, &options(&never, Keep::WhenSetUp)).unwrap();
    let left: Vec<_> = std::fs::read_dir(temp.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left, ["a.ts"]);
}

#[test]
fn what_is_our_own_generated_or_too_large_is_no_source() {
    let large = "f();\n".repeat(250_000);
    let (_temp, project) = project(&[
        ("Alembic/recipes/x.ts", "f()"),
        ("a.pb.go", "package a"),
        ("b.js", "// @generated\nf()"),
        ("large.ts", &large),
        ("node_modules/m/index.js", "f()"),
        ("AGENTS.md", "# Agents"),
        ("ok.ts", "f()"),
    ]);
    let never = AtomicBool::new(false);
    let index = CodeIndex::scan(&project, &options(&never, Keep::Nothing)).unwrap();
    let paths: Vec<&String> = index.sources().files.keys().collect();
    assert_eq!(paths, ["ok.ts"]);
}

#[test]
fn a_cancelled_scan_says_so() {
    let (_temp, project) = project(&[("a.ts", "f()")]);
    let cancelled = AtomicBool::new(true);
    assert!(CodeIndex::scan(&project, &options(&cancelled, Keep::Nothing)).is_err());
}

#[test]
fn progress_reaches_its_end() {
    let (_temp, project) = project(&[("a.ts", "f()"), ("b.ts", "f()")]);
    let never = AtomicBool::new(false);
    let seen = std::sync::Mutex::new(BTreeMap::new());
    let options = ScanOptions {
        host: &Disk,
        cancel: &never,
        progress: &|progress| {
            seen.lock().unwrap().insert(progress.done, progress.total);
        },
        keep: Keep::Nothing,
    };
    CodeIndex::scan(&project, &options).unwrap();
    assert_eq!(seen.into_inner().unwrap(), BTreeMap::from([(1, 2), (2, 2)]));
}
