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

/// Why a link to a file outside of the project is not read.
pub(crate) const LINK_OUT: &str = "This is a symbolic link that leads out of the project, so it is not read. Put the file itself here.";
/// Why a link to a folder is not entered.
pub(crate) const LINK_TO_FOLDER: &str = "This folder is a symbolic link, so nothing in it is read. Put the recipes into a folder of their own, or name the other one in `recipesDirs`.";
/// Why a folder of recipes is not entered at all.
pub(crate) const FOLDER_OUT: &str =
    "This folder leads out of the project, or is none, so nothing in it is read.";
/// Why a folder below another is not entered.
pub(crate) const TOO_DEEP: &str = "This folder is nested too deeply, so nothing in it is read.";

/// Every recipe file of the project and of the `extra` folders, sorted, and what
/// was left out on the way: folders that could not be read, and symbolic links
/// to folders or out of the project, which could make one recipe count many
/// times, or bring in what belongs to somebody else.
#[must_use]
pub fn list_recipes(
    host: &dyn Host,
    project: &Project,
    extra: &[PathBuf],
) -> (Vec<RecipePath>, Vec<Skipped>) {
    let mut listing = Listing {
        host,
        project,
        extra,
        found: Vec::new(),
        skipped: Vec::new(),
    };
    for home in [project.recipes(), project.candidates()] {
        match host.kind(&home) {
            Some(PathKind::Folder) if project.contains(&home) => listing.folder(&home, MAX_DEPTH),
            Some(_) => listing.skip(&home, FOLDER_OUT),
            None => {}
        }
    }
    for folder in extra {
        if host.kind(folder) == Some(PathKind::Folder) {
            listing.folder(folder, MAX_DEPTH);
        } else {
            listing.skipped.push(Skipped {
                path: slashed(folder),
                reason: "this folder of `recipesDirs` does not exist".to_owned(),
            });
        }
    }
    let Listing {
        mut found,
        mut skipped,
        ..
    } = listing;
    found.sort();
    found.dedup();
    skipped.sort();
    skipped.dedup();
    (found, skipped)
}

struct Listing<'a> {
    host: &'a dyn Host,
    project: &'a Project,
    extra: &'a [PathBuf],
    found: Vec<RecipePath>,
    skipped: Vec<Skipped>,
}

impl Listing<'_> {
    fn folder(&mut self, folder: &Path, depth: usize) {
        let entries = match self.host.list(folder) {
            Ok(entries) => entries,
            Err(error) => {
                let reason = crate::Unreadable::from_io(&error, MAX_RECIPE).to_string();
                self.skip(folder, &reason);
                return;
            }
        };
        for path in entries {
            let kind = self.host.kind(&path);
            let is_link = self.host.is_link(&path);
            match kind {
                Some(PathKind::Folder) if is_link => self.skip(&path, LINK_TO_FOLDER),
                Some(PathKind::Folder) if depth > 0 => self.folder(&path, depth - 1),
                Some(PathKind::Folder) => self.skip(&path, TOO_DEEP),
                // A link that leads nowhere has no kind.
                Some(PathKind::Other) | None if !is_link => {}
                _ => self.file(&path, is_link),
            }
        }
    }

    fn file(&mut self, path: &Path, is_link: bool) {
        let Some(recipe) = recipe_at(self.project, self.extra, path) else {
            return;
        };
        let is_ours = !is_link
            || (self.project.contains(path) && self.host.kind(path) == Some(PathKind::File));
        if is_ours {
            self.found.push(recipe);
        } else {
            self.skip(path, LINK_OUT);
        }
    }

    fn skip(&mut self, path: &Path, reason: &str) {
        self.skipped.push(Skipped {
            path: self.project.relative(path).unwrap_or_else(|| slashed(path)),
            reason: reason.to_owned(),
        });
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

    #[cfg(unix)]
    #[test]
    fn links_to_folders_and_out_of_the_project_are_named_and_not_followed() {
        use std::os::unix::fs::symlink;
        let temp = tempfile::tempdir().unwrap();
        let root = temp.path().join("p");
        let recipes = root.join("Alembic/recipes");
        std::fs::create_dir_all(recipes.join("net")).unwrap();
        std::fs::create_dir_all(root.join("docs")).unwrap();
        std::fs::write(temp.path().join("secret.md"), "").unwrap();
        std::fs::write(root.join("docs/x.md"), "").unwrap();
        std::fs::write(recipes.join("net/a.md"), "").unwrap();
        // A folder that holds itself, what is not ours, and what is gone.
        symlink(&root, recipes.join("loop")).unwrap();
        symlink(temp.path().join("secret.md"), recipes.join("secret.md")).unwrap();
        symlink(temp.path().join("gone.md"), recipes.join("gone.md")).unwrap();
        symlink("../../docs/x.md", recipes.join("x.md")).unwrap();
        symlink(temp.path(), root.join("Alembic/candidates")).unwrap();
        let (found, skipped) = list_recipes(&Disk, &Project::at(&root), &[]);
        let names: Vec<&str> = found.iter().map(|found| found.rel.as_str()).collect();
        assert_eq!(names, ["Alembic/recipes/net/a.md", "Alembic/recipes/x.md"]);
        let skipped: Vec<(&str, &str)> = skipped
            .iter()
            .map(|skipped| (skipped.path.as_str(), skipped.reason.as_str()))
            .collect();
        assert_eq!(
            skipped,
            [
                ("Alembic/candidates", FOLDER_OUT),
                ("Alembic/recipes/gone.md", LINK_OUT),
                ("Alembic/recipes/loop", LINK_TO_FOLDER),
                ("Alembic/recipes/secret.md", LINK_OUT),
            ]
        );
    }
}
