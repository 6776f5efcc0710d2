use std::convert::identity;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use asd_guard::{Exclusions, SourceFilter};
use asd_recipe::Problem;
use asd_store::{
    Config, Disk, Host, Layer, Project, parse_exclusions, read_text_up_to, user_config_path,
};

use crate::dismissed::Dismissed;

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
    fn text(&self, name: &str, path: &Path) -> Option<Arc<str>> {
        if let Some(text) = (self.overlay)(name) {
            return Some(text);
        }
        match read_text_up_to(self.settings.host.as_ref(), path, MAX_SETTINGS) {
            Ok(decoded) => Some(decoded.text.into()),
            Err(asd_store::Unreadable::Missing) => None,
            Err(reason) => {
                tracing::warn!(path = name, %reason, "cannot read the settings");
                None
            }
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
        let text = self.text(name, path)?;
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
        let Some(text) = self.text(name, &project.knowledge().join("feedback.json")) else {
            return (Arc::default(), None);
        };
        let (dismissed, problem) = match Dismissed::parse(&text) {
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
        let Some(text) = self.text(name, &project.exclusions()) else {
            return (Arc::default(), None);
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
