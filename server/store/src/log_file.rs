//! What servers have to say, kept for whoever looks for the reason later.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};

use crate::Project;

/// A file is begun anew when it has grown to so many bytes; the one before it
/// is kept.
const MOST: u64 = 1024 * 1024;

/// A file below `.asd/logs/`. It is made by the first line, so that a server
/// with nothing to say leaves nothing; where it cannot be written nothing is.
#[derive(Clone, Debug)]
pub struct LogFile {
    project: Project,
    name: &'static str,
}

impl LogFile {
    /// The file `.asd/logs/<name>.log` of a project.
    #[must_use]
    pub fn new(project: &Project, name: &'static str) -> Self {
        Self {
            project: project.clone(),
            name,
        }
    }

    fn append(&self, bytes: &[u8]) -> io::Result<()> {
        let refused = |error: crate::OutsideProject| io::Error::other(error.to_string());
        let rel = format!(".asd/logs/{}.log", self.name);
        let path = self.project.absolute(&rel).map_err(refused)?;
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() >= MOST) {
            let before = self
                .project
                .absolute(&format!("{rel}.1"))
                .map_err(refused)?;
            fs::rename(&path, before)?;
        }
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(bytes)
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // That something cannot be logged stops nobody.
        let _ = self.append(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_and_a_full_file_is_moved_away() {
        let folder = tempfile::tempdir().unwrap();
        let project = Project::at(folder.path());
        let mut log = LogFile::new(&project, "mcp");
        assert!(!folder.path().join(".asd").exists());
        log.write_all(b"one\n").unwrap();
        log.write_all(b"two\n").unwrap();
        let path = folder.path().join(".asd/logs/mcp.log");
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        log.write_all(&vec![b'x'; 1024 * 1024]).unwrap();
        log.write_all(b"after\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "after\n");
        let before = fs::read(folder.path().join(".asd/logs/mcp.log.1")).unwrap();
        assert!(before.starts_with(b"one\ntwo\nxxx"));
    }

    #[test]
    fn where_nothing_can_be_written_nothing_fails() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".asd"), "in the way").unwrap();
        let mut log = LogFile::new(&Project::at(folder.path()), "mcp");
        log.write_all(b"one\n").unwrap();
    }
}
