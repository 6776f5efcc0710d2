//! Where the product may write in a project. (knowledge.md §17)

use super::decide::Denial;

/// The folders at a project's root that may be written in, beside the knowledge
/// folder.
pub const WRITABLE_FOLDERS: [&str; 10] = [
    ".asd",
    ".cursor",
    ".vscode",
    ".github",
    ".claude",
    ".codex",
    ".zed",
    ".windsurf",
    ".trae",
    ".qoder",
];
/// The files at a project's root that may be written.
pub const WRITABLE_FILES: [&str; 4] = [".gitignore", "AGENTS.md", "CLAUDE.md", ".mcp.json"];

/// Whether a project-relative path may be written, seen from its name alone;
/// whether a link leads out of the project is for whoever opens it to see.
/// `knowledge` is the knowledge folder, `Alembic` unless configured.
///
/// # Errors
/// [`Denial::Permission`] saying why not.
pub fn may_write(path: &str, knowledge: &str) -> Result<(), Denial> {
    let denied = |reason: String| {
        Err(Denial::Permission {
            action: "write:files".into(),
            reason,
        })
    };
    let unified = path.replace('\\', "/");
    let is_absolute = unified.starts_with(['/', '~']) || unified.as_bytes().get(1) == Some(&b':');
    let mut parts: Vec<&str> = Vec::new();
    for part in unified.split('/') {
        match part {
            "" | "." => {}
            ".." => return denied(format!("`{path}` leaves its folder by `..`.")),
            part => parts.push(part),
        }
    }
    if is_absolute || path.contains('\0') {
        return denied(format!("`{path}` is not a path below the project."));
    }
    let below = |folder: &str| {
        let folder = folder.trim_matches('/').split('/');
        let folder: Vec<&str> = folder.filter(|part| !part.is_empty()).collect();
        !folder.is_empty() && parts.len() > folder.len() && parts.starts_with(&folder)
    };
    let is_file = parts.len() == 1 && WRITABLE_FILES.contains(&parts[0]);
    if is_file || below(knowledge) || WRITABLE_FOLDERS.iter().any(|folder| below(folder)) {
        return Ok(());
    }
    denied(format!(
        "`{path}` is none of the places that this program writes to."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_places_are_written() {
        for path in [
            "Alembic/recipes/net/x.md",
            "./.asd/asd.db",
            ".cursor/rules/a.mdc",
            "AGENTS.md",
            ".github\\copilot-instructions.md",
        ] {
            assert_eq!(may_write(path, "Alembic"), Ok(()), "{path}");
        }
        for path in [
            "src/main.rs",
            "/etc/passwd",
            "C:\\x",
            "Alembic/../src/x",
            "../Alembic/x",
            "Alembic",
            "docs/AGENTS.md",
            "",
            "~/x",
            ".git/hooks/pre-commit",
            ".asdf/x",
        ] {
            let denial = may_write(path, "Alembic").unwrap_err();
            assert_eq!(denial.code(), "PERMISSION_DENIED", "{path}");
        }
        assert_eq!(may_write("docs/knowledge/a.md", "docs/knowledge/"), Ok(()));
        assert!(may_write("docs/other/a.md", "docs/knowledge").is_err());
        assert!(may_write("src/a.rs", "").is_err());
    }
}
