//! Packages of Go.

use super::{Meaning, Resolver};
use crate::path::join;

impl Resolver<'_> {
    pub(super) fn go_package(&self, import: &str) -> Option<Meaning> {
        for (module, folder) in &self.layout.go_modules {
            let Some(rest) = import.strip_prefix(module.as_str()) else {
                continue;
            };
            if !(rest.is_empty() || rest.starts_with('/')) {
                continue;
            }
            let found = join(folder, rest).and_then(|path| self.layout.go_folders.get(&path));
            if let Some(package) = found {
                return Some(Meaning::Package(*package));
            }
        }
        Some(Meaning::External)
    }

    /// The name by which an imported package is known in a file.
    pub(super) fn go_local_name(
        &self,
        import: &crate::facts::Import,
        meaning: Option<Meaning>,
    ) -> String {
        if let Some(alias) = &import.alias {
            return alias.clone();
        }
        if let Some(Meaning::Package(package)) = meaning {
            let files = &self.layout.packages[package as usize].files;
            let declared = files.iter().find_map(|file| {
                self.files
                    .facts(*file)
                    .package
                    .as_deref()
                    .filter(|name| !name.ends_with("_test"))
            });
            if let Some(name) = declared {
                return name.to_owned();
            }
        }
        let mut parts = import.module.rsplit('/');
        let last = parts.next().unwrap_or(&import.module);
        let is_version = last.len() > 1
            && last.starts_with('v')
            && last[1..].chars().all(|c| c.is_ascii_digit());
        let last = if is_version {
            parts.next().unwrap_or(last)
        } else {
            last
        };
        last.split('.')
            .next()
            .unwrap_or(last)
            .trim_start_matches("go-")
            .to_owned()
    }
}
