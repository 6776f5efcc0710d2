//! What a file is besides its language: a test, generated, minified.

/// Directories of tests.
const TEST_DIRECTORIES: &[&str] = &[
    "test",
    "tests",
    "__tests__",
    "spec",
    "__mocks__",
    "testdata",
    "test_driver",
    "integration_test",
    "e2e",
];

/// What the names of test files start and end with. A name has to be longer
/// than the two together.
const TEST_NAMES: &[(&str, &str)] = &[
    ("", "_test.go"),
    ("", "Test.swift"),
    ("", "Tests.swift"),
    ("", "_test.rs"),
    ("test_", ".rs"),
    ("", ".test.js"),
    ("", ".test.jsx"),
    ("", ".test.ts"),
    ("", ".test.tsx"),
    ("", ".spec.js"),
    ("", ".spec.jsx"),
    ("", ".spec.ts"),
    ("", ".spec.tsx"),
    ("test_", ".py"),
    ("", "_test.py"),
    ("", "Test.java"),
    ("", "Tests.java"),
    ("", "Test.kt"),
    ("", "Tests.kt"),
    ("", "_test.dart"),
];

/// Whether a project-relative path (with `/`) is that of a test. (guard.md §1)
#[must_use]
pub fn is_test_path(path: &str) -> bool {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    name == "conftest.py"
        || directories
            .split('/')
            .any(|segment| TEST_DIRECTORIES.contains(&segment))
        || is_xcode_test(directories, name)
        || TEST_NAMES.iter().any(|(start, end)| {
            name.len() > start.len() + end.len() && name.starts_with(start) && name.ends_with(end)
        })
}

/// Xcode and Swift packages keep their tests in `Tests`.
fn is_xcode_test(directories: &str, name: &str) -> bool {
    [".swift", ".m", ".mm"]
        .iter()
        .any(|end| name.ends_with(end))
        && directories.split('/').any(|segment| segment == "Tests")
}

/// Whether a file is generated, by its name or its first 20 lines. (guard.md §1)
#[must_use]
pub fn is_generated(path: &str, text: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let by_name = [".g.dart", ".freezed.dart", ".pb.go"]
        .iter()
        .any(|end| name.ends_with(end))
        || name
            .rsplit_once('.')
            .is_some_and(|(stem, _)| stem.ends_with(".generated"));
    by_name || text.lines().take(20).any(says_generated)
}

/// Whether a line says that its file is generated. A line without an end must
/// not be searched to its end.
fn says_generated(line: &str) -> bool {
    const FAR_ENOUGH: usize = 2000;
    let mut end = line.len().min(FAR_ENOUGH);
    while !line.is_char_boundary(end) {
        end -= 1;
    }
    let line = &line[..end];
    let go_style = line
        .split_once("Code generated ")
        .is_some_and(|(_, after)| after.contains("DO NOT EDIT"));
    go_style || mentions(line, "@generated")
}

/// Whether `word` stands in `line` as a word of its own.
fn mentions(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let after = line[at + word.len()..].chars().next();
        after.is_none_or(|c| !(c.is_alphanumeric() || c == '_'))
    })
}

/// The longest line in bytes that a file written by people has. (editor.md §1)
const LONGEST_LINE: usize = 20_000;

/// Whether a text has a line of more than 20,000 bytes. (editor.md §1)
#[must_use]
pub fn is_minified(text: &str) -> bool {
    let mut start = 0;
    for end in memchr::memchr2_iter(b'\n', b'\r', text.as_bytes()) {
        if end - start > LONGEST_LINE {
            return true;
        }
        start = end + 1;
    }
    text.len() - start > LONGEST_LINE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_is_told_by_a_directory_or_by_its_name() {
        for path in [
            "test/a.js",
            "a/tests/b.py",
            "src/__tests__/a.ts",
            "spec/a.rb",
            "a/__mocks__/b.js",
            "pkg/testdata/x.go",
            "test_driver/a.dart",
            "integration_test/a.dart",
            "e2e/a.ts",
            "store_test.go",
            "CookieTest.swift",
            "CookieTests.swift",
            "src/a_test.rs",
            "src/test_a.rs",
            "a.test.tsx",
            "a.spec.js",
            "test_a.py",
            "a_test.py",
            "conftest.py",
            "src/conftest.py",
            "ATest.java",
            "ATests.kt",
            "lib/a_test.dart",
            "ios/Tests/FunctionSpec.swift",
            "Tests/AppTests/Helper.m",
        ] {
            assert!(is_test_path(path), "{path}");
        }
    }

    #[test]
    fn a_directory_is_a_whole_segment_and_a_name_a_pattern() {
        for path in [
            "src/contest.js",
            "latest/a.js",
            "testing/a.js",
            "test.js",
            "tests",
            "src/attest.go",
            "Test.swift",
            "_test.go",
            "test_.py",
            "Contest.tsx",
            "aTest.go",
            "a_test.js",
            "spec.ts",
            "a/Test/b.js",
            "Tests/b.js",
            "ios/Tests.swift",
            "Sources/MyTests/a.swift",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
    }

    #[test]
    fn generated_files_say_so() {
        for (path, text) in [
            ("a.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\n"),
            ("a.js", "/**\n * @generated SignedSource<<x>>\n */\n"),
            ("a.g.dart", ""),
            ("lib/a.freezed.dart", ""),
            ("a.pb.go", ""),
            ("Api.generated.ts", ""),
        ] {
            assert!(is_generated(path, text), "{path}");
        }
        let late = format!("{}// @generated\n", "\n".repeat(20));
        for (path, text) in [
            ("a.go", "// Code generated by hand\n"),
            ("a.js", "// see @generatedBy\n"),
            ("a.js", late.as_str()),
            ("generated.ts", ""),
            ("a.generated", ""),
        ] {
            assert!(!is_generated(path, text), "{path} {text:?}");
        }
    }

    #[test]
    fn one_long_line_makes_a_file_minified() {
        let long = "x".repeat(20_000);
        assert!(!is_minified(&format!("{long}\n{long}\r\n{long}")));
        assert!(is_minified(&format!("a\n{long}x")));
        assert!(is_minified(&format!("{long}x\na")));
        assert!(!is_minified(""));
    }
}
