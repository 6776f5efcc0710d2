use std::convert::identity;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use asd_guard::{Exclusions, SourceFilter};
use asd_recipe::{Problem, ProblemCode, Severity};
use asd_store::{
    Config, Disk, Host, Layer, Project, parse_exclusions, read_text_up_to, user_config_path,
};

use asd_text::{LineIndex, Span};

use crate::dismissed::Dismissed;
use crate::report::FileProblem;

/// Settings files larger than this are not read.
const MAX_SETTINGS: u64 = 4 * 1024 * 1024;

/// How a project is opened.
#[derive(Clone)]
pub struct Settings {
    /// The settings of the client, with the keys of `config.toml`. They go over
    /// those of the project.
    pub client: serde_json::Value,
    /// A file of settings that goes over all others, TOML or JSON.
    pub config_file: Option<PathBuf>,
    /// The user's own settings, under those of the project.
    pub user_config: Option<PathBuf>,
    /// Which rules are used.
    pub sources: SourceFilter,
    /// The file system.
    pub host: Arc<dyn Host>,
    /// The folder, outside of all projects, where checks of files from disk keep
    /// their results; `None` keeps none. See [`asd_store::user_check_cache`].
    pub check_cache: Option<PathBuf>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            client: serde_json::Value::Null,
            config_file: None,
            user_config: user_config_path(),
            sources: SourceFilter::All,
            host: Arc::new(Disk),
            check_cache: None,
        }
    }
}

impl Settings {
    /// What is wrong with the settings files of a project, of the user and of
    /// the command, in this order. Commands that show no problems of files tell
    /// so, since what is wrong has its default.
    #[must_use]
    pub fn problems(&self, project: &Project) -> Vec<FileProblem> {
        let loaded = Loaded::read(project, self, &|_| None, None);
        let of_file = |file: &SettingsFile| {
            let lines = LineIndex::new(&file.text);
            let told = |problem| FileProblem::new(&file.name, &file.text, &lines, problem);
            file.problems.iter().map(told).collect::<Vec<_>>()
        };
        loaded.files.iter().flat_map(of_file).collect()
    }
}

/// A settings file as it was read.
#[derive(Clone)]
pub(crate) struct SettingsFile {
    /// Project-relative path with `/`, or the absolute one.
    pub(crate) name: String,
    pub(crate) text: Arc<str>,
    /// Everything that is wrong with it.
    pub(crate) problems: Arc<[Problem]>,
    /// What is in force: its own layer, or the one before that could be read
    /// as a whole.
    layer: Layer,
}

/// The settings of a project with their origins.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) config: Arc<Config>,
    pub(crate) exclusions: Arc<Exclusions>,
    /// Lowest first.
    pub(crate) files: Vec<SettingsFile>,
    /// What is wrong with the client's settings.
    pub(crate) client_problems: Vec<Problem>,
    pub(crate) exclusions_file: Option<SettingsFile>,
    pub(crate) dismissed: Arc<Dismissed>,
    pub(crate) feedback_file: Option<SettingsFile>,
}

impl Loaded {
    /// Reads the settings anew. `overlay` has the text of files that are open;
    /// `previous` the values to keep where a file is broken as a whole.
    pub(crate) fn read(
        project: &Project,
        settings: &Settings,
        overlay: &dyn Fn(&str) -> Option<Arc<str>>,
        previous: Option<&Self>,
    ) -> Self {
        let reader = Reader {
            settings,
            overlay,
            previous,
        };
        let mut config = Config::default();
        let mut files = Vec::new();
        if let Some(path) = &settings.user_config {
            let name = path.display().to_string();
            files.extend(reader.file(&name, path, Layer::of_user, &mut config));
        }
        let mut shared = |name: &str, path: &Path| reader.file(name, path, identity, &mut config);
        let own = shared("Alembic/config.toml", &project.config());
        files.extend(own.or_else(|| shared(".asd/config.json", &project.legacy_config())));
        let client_problems = if settings.client.is_null() {
            Vec::new()
        } else {
            config.apply(&Layer::from_value(&settings.client))
        };
        if let Some(path) = &settings.config_file {
            let name = path.display().to_string();
            files.extend(reader.file(&name, path, identity, &mut config));
        }
        let (exclusions, exclusions_file) = reader.exclusions(project);
        let (dismissed, feedback_file) = reader.feedback(project);
        Self {
            dismissed,
            feedback_file,
            config: Arc::new(config),
            exclusions,
            files,
            client_problems,
            exclusions_file,
        }
    }
}

struct Reader<'r> {
    settings: &'r Settings,
    overlay: &'r dyn Fn(&str) -> Option<Arc<str>>,
    previous: Option<&'r Loaded>,
}

impl Reader<'_> {
    fn text(&self, name: &str, path: &Path) -> Option<Result<Arc<str>, Problem>> {
        if let Some(text) = (self.overlay)(name) {
            return Some(Ok(text));
        }
        match read_text_up_to(self.settings.host.as_ref(), path, MAX_SETTINGS) {
            Ok(decoded) => Some(Ok(decoded.text.into())),
            Err(asd_store::Unreadable::Missing) => None,
            Err(reason) => Some(Err(Problem {
                span: Span::new(0, 0),
                severity: Severity::Error,
                code: ProblemCode::Config,
                message: format!(
                    "This file cannot be read: {reason}. It has to be a text file in UTF-8."
                ),
                fix: None,
            })),
        }
    }

    /// A file that is there and cannot be read: what was in force before stays.
    fn unreadable(&self, name: &str, problem: Problem, config: &mut Config) -> SettingsFile {
        let before = self
            .previous
            .and_then(|previous| previous.files.iter().find(|file| file.name == name));
        let layer = before.map_or_else(|| Layer::from_toml(""), |file| file.layer.clone());
        config.apply(&layer);
        SettingsFile {
            name: name.to_owned(),
            text: "".into(),
            problems: [problem].into(),
            layer,
        }
    }

    /// Reads a file; `origin` says whose it is.
    fn file(
        &self,
        name: &str,
        path: &Path,
        origin: fn(Layer) -> Layer,
        config: &mut Config,
    ) -> Option<SettingsFile> {
        let text = match self.text(name, path)? {
            Ok(text) => text,
            Err(problem) => return Some(self.unreadable(name, problem, config)),
        };
        let read = if path.extension().is_some_and(|e| e == "json") {
            Layer::from_json(&text)
        } else {
            Layer::from_toml(&text)
        };
        let read = origin(read);
        let before = self
            .previous
            .and_then(|previous| previous.files.iter().find(|file| file.name == name));
        if let (false, Some(before)) = (read.is_well_formed(), before) {
            let problems = Config::default().apply(&read).into();
            config.apply(&before.layer);
            return Some(SettingsFile {
                name: name.to_owned(),
                text,
                problems,
                layer: before.layer.clone(),
            });
        }
        Some(SettingsFile {
            name: name.to_owned(),
            text,
            problems: config.apply(&read).into(),
            layer: read,
        })
    }

    fn feedback(&self, project: &Project) -> (Arc<Dismissed>, Option<SettingsFile>) {
        let name = "Alembic/feedback.json";
        let Some(read) = self.text(name, &project.knowledge().join("feedback.json")) else {
            return (Arc::default(), None);
        };
        let text = read.as_ref().map_or_else(|_| "".into(), Arc::clone);
        let (dismissed, problem) = match read.and_then(|text| Dismissed::parse(&text)) {
            Ok(dismissed) => (Arc::new(dismissed), None),
            // What was dismissed would come back while the file is mended.
            Err(problem) => {
                let before = self.previous.map(|previous| previous.dismissed.clone());
                (before.unwrap_or_default(), Some(problem))
            }
        };
        let file = SettingsFile {
            name: name.to_owned(),
            layer: Layer::from_json("{}"),
            text,
            problems: problem.into_iter().collect(),
        };
        (dismissed, Some(file))
    }

    fn exclusions(&self, project: &Project) -> (Arc<Exclusions>, Option<SettingsFile>) {
        let name = "Alembic/guard-exclusions.json";
        let text = match self.text(name, &project.exclusions()) {
            None => return (Arc::default(), None),
            Some(Ok(text)) => text,
            Some(Err(problem)) => {
                let before = self.previous.map(|previous| previous.exclusions.clone());
                let file = self.unreadable(name, problem, &mut Config::default());
                return (before.unwrap_or_default(), Some(file));
            }
        };
        let layer = Layer::from_json(&text);
        let (read, problems) = parse_exclusions(&text);
        // A file that is broken as a whole would switch every exclusion off.
        let exclusions = match self.previous {
            Some(previous) if !layer.is_well_formed() => previous.exclusions.clone(),
            _ => Arc::new(read),
        };
        let file = SettingsFile {
            name: name.to_owned(),
            text,
            problems: problems.into(),
            layer,
        };
        (exclusions, Some(file))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(config: &[u8]) -> Vec<String> {
        let temp = tempfile::tempdir().unwrap();
        let project = Project::at(temp.path());
        std::fs::create_dir_all(project.knowledge()).unwrap();
        std::fs::write(project.config(), config).unwrap();
        let settings = Settings {
            user_config: None,
            ..Settings::default()
        };
        let problems = settings.problems(&project);
        let told = problems.iter().map(|problem| {
            let (line, severity) = (problem.place.line, problem.severity.as_str());
            format!("{}:{line}: {severity}: {}", problem.path, problem.message)
        });
        told.collect()
    }

    #[test]
    fn settings_that_are_no_text_are_a_problem_and_not_as_if_they_were_not_there() {
        assert_eq!(
            told(b"\xFF\xFEn\0"),
            [
                "Alembic/config.toml:1: error: This file cannot be read: binary content. It has to be a \
              text file in UTF-8."
            ]
        );
        let told = told(b"name = \"caf\xE9\"");
        assert!(told[0].contains("not valid UTF-8"), "{told:?}");
    }

    #[test]
    fn what_is_wrong_with_settings_is_told_with_its_line() {
        assert_eq!(told(b"name = \"x\"\n"), [""; 0]);
        let told = told(b"\xEF\xBB\xBFname = \"x\"\r\n[search]\r\nembeddings = \"of\"\r\n");
        assert_eq!(
            told,
            [
                "Alembic/config.toml:3: error: `of` is not a source of embeddings. Did you mean `off`?"
            ]
        );
    }
}
