use std::path::{Path, PathBuf};
use std::sync::Arc;

use asd_recipe::{Home, ParsedRecipe, ProblemCode, Recipe, Severity};
use asd_text::LineIndex;
use rayon::prelude::*;

use crate::project::below;
use crate::{Host, PathKind, Project, Skipped, read_text_up_to};

/// The largest recipe file that is read, in bytes.
pub const MAX_RECIPE: u64 = 1024 * 1024;
/// Folders below `recipes/` nested deeper than this are not entered.
const MAX_DEPTH: usize = 16;

/// A recipe file with what it says. Cloning is cheap.
#[derive(Clone, Debug)]
pub struct RecipeFile {
    /// Its absolute path, below the root as that was given.
    pub path: PathBuf,
    /// Project-relative path with `/`; the absolute path, with `/`, for a
    /// recipe outside of the project.
    pub rel: Arc<str>,
    /// The folder that it lies in.
    pub home: Home,
    /// The text without byte order mark.
    pub text: Arc<str>,
    /// What it says.
    pub parsed: Arc<ParsedRecipe>,
    /// The recipe of `parsed`, to be shared with the rules.
    pub recipe: Option<Arc<Recipe>>,
    /// The lines of the text.
    pub lines: Arc<LineIndex>,
}

impl RecipeFile {
    /// Parses a text as that of a recipe file.
    #[must_use]
    pub fn new(path: PathBuf, rel: &str, home: Home, text: &str) -> Self {
        let parsed = asd_recipe::parse(text, home);
        Self {
            path,
            rel: rel.into(),
            home,
            recipe: parsed.recipe.clone().map(Arc::new),
            parsed: Arc::new(parsed),
            lines: Arc::new(LineIndex::new(text)),
            text: text.into(),
        }
    }
}

impl RecipeFile {
    /// Whether the file could be read as a recipe as a whole. Where it could
    /// not, `recipe` holds what little was understood, or nothing.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.recipe.is_some()
            && !self.parsed.problems.iter().any(|problem| {
                problem.severity == Severity::Error
                    && matches!(
                        problem.code,
                        ProblemCode::FrontMatter | ProblemCode::Hostile
                    )
            })
    }
}

/// Where a recipe file stands.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RecipePath {
    /// See [`RecipeFile::rel`].
    pub rel: String,
    /// See [`RecipeFile::path`].
    pub path: PathBuf,
    /// Whether it is below `candidates/`.
    candidate: bool,
}

impl RecipePath {
    /// The folder that it lies in.
    #[must_use]
    pub const fn home(&self) -> Home {
        if self.candidate {
            Home::Candidates
        } else {
            Home::Recipes
        }
    }
}

/// The recipe that `path` would be, by its place and name alone: a `.md` file
/// below `recipes/`, `candidates/` or one of the `extra` folders, whose name
/// does not begin with `_` and is not `README.md`.
#[must_use]
pub fn recipe_at(project: &Project, extra: &[PathBuf], path: &Path) -> Option<RecipePath> {
    let name = path.file_name()?.to_str()?;
    let is_markdown = Path::new(name)
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("md"));
    if !is_markdown || name.starts_with(['_', '.']) || name.eq_ignore_ascii_case("readme.md") {
        return None;
    }
    if let Some(rel) = project.relative(path) {
        let mut parts = rel.split('/');
        if parts.next() == Some(crate::KNOWLEDGE_DIR) {
            let candidate = match parts.next() {
                Some("recipes") => false,
                Some("candidates") => true,
                _ => return None,
            };
            return Some(RecipePath {
                path: project.root().join(&rel),
                rel,
                candidate,
            });
        }
    }
    extra
        .iter()
        .any(|folder| below(folder, path).is_some())
        .then(|| RecipePath {
            rel: project.relative(path).unwrap_or_else(|| slashed(path)),
            path: path.to_path_buf(),
            candidate: false,
        })
}

/// Every recipe file of the project and of the `extra` folders, sorted, and the
/// folders that could not be read.
#[must_use]
pub fn list_recipes(
    host: &dyn Host,
    project: &Project,
    extra: &[PathBuf],
) -> (Vec<RecipePath>, Vec<Skipped>) {
    let mut found = Vec::new();
    let mut skipped = Vec::new();
    let homes = [project.recipes(), project.candidates()];
    for folder in homes.iter().chain(extra) {
        match host.kind(folder) {
            Some(PathKind::Folder) => {
                list_below(host, folder, MAX_DEPTH, &mut skipped, &mut |path| {
                    found.extend(recipe_at(project, extra, path));
                });
            }
            _ if homes.contains(folder) => {}
            _ => skipped.push(Skipped {
                path: slashed(folder),
                reason: "this folder of `recipesDirs` does not exist".to_owned(),
            }),
        }
    }
    found.sort();
    found.dedup();
    (found, skipped)
}

fn list_below(
    host: &dyn Host,
    folder: &Path,
    depth: usize,
    skipped: &mut Vec<Skipped>,
    found: &mut dyn FnMut(&Path),
) {
    let entries = match host.list(folder) {
        Ok(entries) => entries,
        Err(error) => {
            skipped.push(Skipped {
                path: slashed(folder),
                reason: crate::Unreadable::from_io(&error, MAX_RECIPE).to_string(),
            });
            return;
        }
    };
    for path in entries {
        match host.kind(&path) {
            Some(PathKind::File) => found(&path),
            Some(PathKind::Folder) if depth > 0 => {
                list_below(host, &path, depth - 1, skipped, found);
            }
            _ => {}
        }
    }
}

/// Reads and parses recipe files on all cores. The order is kept; a file that
/// cannot be read is in the second list.
#[must_use]
pub fn load_recipes(host: &dyn Host, paths: &[RecipePath]) -> (Vec<RecipeFile>, Vec<Skipped>) {
    let read: Vec<Result<RecipeFile, Skipped>> = paths
        .par_iter()
        .map(|path| load_recipe(host, path))
        .collect();
    let mut files = Vec::with_capacity(read.len());
    let mut skipped = Vec::new();
    for result in read {
        match result {
            Ok(file) => files.push(file),
            Err(reason) => skipped.push(reason),
        }
    }
    (files, skipped)
}

/// Reads and parses one recipe file.
///
/// # Errors
/// [`Skipped`] when it cannot be read.
pub fn load_recipe(host: &dyn Host, path: &RecipePath) -> Result<RecipeFile, Skipped> {
    match read_text_up_to(host, &path.path, MAX_RECIPE) {
        Ok(decoded) => Ok(RecipeFile::new(
            path.path.clone(),
            &path.rel,
            path.home(),
            &decoded.text,
        )),
        Err(reason) => Err(Skipped {
            path: path.rel.clone(),
            reason: reason.to_string(),
        }),
    }
}

fn slashed(path: &Path) -> String {
    path.display().to_string().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Disk;

    #[test]
    fn templates_readmes_and_other_files_are_no_recipes() {
        let temp = tempfile::tempdir().unwrap();
        let shared = temp.path().join("shared");
        let root = temp.path().join("p");
        for path in [
            "p/Alembic/recipes/net/a.md",
            "p/Alembic/recipes/_template.md",
            "p/Alembic/recipes/README.md",
            "p/Alembic/recipes/a.txt",
            "p/Alembic/candidates/b.MD",
            "p/Alembic/wiki/c.md",
            "p/docs/d.md",
            "shared/e.md",
        ] {
            let path = temp.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let project = Project::at(&root);
        let missing = temp.path().join("missing");
        let (found, skipped) = list_recipes(&Disk, &project, &[shared.clone(), missing]);
        let names: Vec<(&str, Home)> = found.iter().map(|r| (r.rel.as_str(), r.home())).collect();
        let outside = slashed(&shared.join("e.md"));
        assert_eq!(
            names,
            [
                (outside.as_str(), Home::Recipes),
                ("Alembic/candidates/b.MD", Home::Candidates),
                ("Alembic/recipes/net/a.md", Home::Recipes),
            ]
        );
        assert_eq!(skipped.len(), 1, "{skipped:?}");
    }
}
