//! Several files in one string, with the cursor marked, for tests.
//!
//! ```text
//! //- /src/a.ts
//! console.$0log(1)
//! //- /Alembic/recipes/a.md raw
//! …
//! ```
//!
//! A header names the file, relative to the project. `$0` is the cursor, two of
//! them enclose a selection. The word `raw` behind a path keeps markers in that
//! file as they are; `closed` leaves the file on disk, not open in the editor.

use asd_text::Span;

/// The files and the selection of a fixture.
#[derive(Debug)]
pub(crate) struct FixtureText {
    /// In order.
    pub files: Vec<FixtureFile>,
    /// The index of the file with the cursor, and the selection in it.
    pub cursor: Option<(usize, Span)>,
}

/// One file.
#[derive(Debug)]
pub(crate) struct FixtureFile {
    /// Project-relative, without a leading slash.
    pub path: String,
    /// Without markers.
    pub text: String,
    /// Whether the editor has it open.
    pub open: bool,
}

impl FixtureText {
    /// Reads a fixture; every line ending becomes `ending`.
    pub(crate) fn parse(fixture: &str, ending: &str) -> Self {
        let mut files: Vec<FixtureFile> = Vec::new();
        let mut raw = Vec::new();
        for line in fixture.trim_start_matches('\n').split_inclusive('\n') {
            if let Some(header) = line.strip_prefix("//- /") {
                let mut words = header.split_whitespace();
                let path = words.next().expect("a header names a file").to_owned();
                let attributes: Vec<&str> = words.collect();
                raw.push(attributes.contains(&"raw"));
                files.push(FixtureFile {
                    path,
                    text: String::new(),
                    open: !attributes.contains(&"closed"),
                });
            } else {
                let file = files.last_mut().expect("a fixture begins with a header");
                file.text.push_str(line);
            }
        }
        let mut cursor = None;
        for (index, file) in files.iter_mut().enumerate() {
            file.text = file.text.replace('\n', ending);
            if raw[index] {
                continue;
            }
            let marks: Vec<usize> = file.text.match_indices("$0").map(|(at, _)| at).collect();
            let span = match marks[..] {
                [] => continue,
                [at] => Span::empty(at),
                [start, end] => Span::new(start, end - 2),
                _ => panic!("{} has more than two markers", file.path),
            };
            assert!(cursor.is_none(), "two files have a cursor");
            file.text = file.text.replace("$0", "");
            cursor = Some((index, span));
        }
        Self { files, cursor }
    }
}
