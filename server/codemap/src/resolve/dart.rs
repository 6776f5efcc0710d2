//! Libraries of Dart.

use super::{Meaning, Resolver};
use crate::map::FileId;
use crate::path::{folder, join};

impl Resolver<'_> {
    pub(super) fn dart_library(&self, file: FileId, uri: &str) -> Option<Meaning> {
        if uri.starts_with("dart:") {
            return Some(Meaning::External);
        }
        let path = match uri.strip_prefix("package:") {
            Some(rest) => {
                let (package, inner) = rest.split_once('/')?;
                let Some(at) = self.layout.dart.get(package) else {
                    return Some(Meaning::External);
                };
                join(at, &format!("lib/{inner}"))?
            }
            None => join(folder(self.files.path(file)), uri)?,
        };
        self.files.at(&path).map(Meaning::File)
    }
}
