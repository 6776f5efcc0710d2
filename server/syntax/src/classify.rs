/// Whether a project-relative path (with `/`) is that of a test. (guard.md §1)
#[must_use]
pub fn is_test_path(_path: &str) -> bool {
    todo!()
}

/// Whether a file is generated, by its name or its first 20 lines. (guard.md §1)
#[must_use]
pub fn is_generated(_path: &str, _text: &str) -> bool {
    todo!()
}

/// Whether a text has a line of more than 20,000 bytes. (editor.md §1)
#[must_use]
pub fn is_minified(_text: &str) -> bool {
    todo!()
}
