//! Names of documents: how two spellings of one URI are recognised as one
//! document, and how URIs and paths become each other.
//!
//! A client spells `file:///c%3A/w/a.ts` where another part of it says
//! `file:///C:/w/a.ts`. Documents are found by a [`UriKey`], and answered with
//! the spelling under which the client opened them.

use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use tower_lsp_server::ls_types::Uri;

/// What may stand unescaped in the path of a URI that we make.
const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~')
    .remove(b'/');

/// The form of a URI under which a document is looked up. Never sent anywhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UriKey(String);

impl UriKey {
    /// The key of a URI.
    #[must_use]
    pub fn new(uri: &Uri) -> Self {
        Self::of(uri.as_str())
    }

    /// The key of a URI given as text.
    #[must_use]
    pub fn of(uri: &str) -> Self {
        let (scheme, rest) = uri.split_once(':').unwrap_or(("", uri));
        let scheme = scheme.to_ascii_lowercase();
        let (path, fragment) = match rest.split_once('#') {
            Some((path, fragment)) => (path, Some(fragment)),
            None => (rest, None),
        };
        let mut path = percent_decode_str(path).decode_utf8_lossy().into_owned();
        if scheme == "file" {
            path = normal_file_path(&path);
        }
        Self(match fragment {
            Some(fragment) => format!("{scheme}:{path}#{fragment}"),
            None => format!("{scheme}:{path}"),
        })
    }
}

/// `//host/path` with the default host left out and a drive letter in lower
/// case.
fn normal_file_path(path: &str) -> String {
    let (host, path) = match path.strip_prefix("//") {
        Some(rest) => match rest.find('/') {
            Some(slash) => (&rest[..slash], &rest[slash..]),
            None => (rest, ""),
        },
        None => ("", path),
    };
    let host = if host.eq_ignore_ascii_case("localhost") {
        String::new()
    } else {
        host.to_ascii_lowercase()
    };
    let mut path = path.to_owned();
    if let [b'/', drive, b':', ..] = path.as_bytes()
        && drive.is_ascii_alphabetic()
    {
        let lower = drive.to_ascii_lowercase() as char;
        path.replace_range(1..2, lower.encode_utf8(&mut [0; 4]));
    }
    format!("//{host}{path}")
}

/// The scheme of a URI, in lower case.
#[must_use]
pub fn scheme(uri: &Uri) -> String {
    let text = uri.as_str();
    text.split_once(':')
        .map_or("", |(scheme, _)| scheme)
        .to_ascii_lowercase()
}

/// Whether documents of this URI's scheme are checked. Others are views of
/// something that cannot be edited (`git:`, `output:`, …).
#[must_use]
pub fn is_checked(uri: &Uri) -> bool {
    matches!(
        scheme(uri).as_str(),
        "file" | "untitled" | "vscode-notebook-cell"
    )
}

/// The path that a `file:` URI names, without asking the disk.
#[must_use]
pub fn to_path(uri: &Uri) -> Option<PathBuf> {
    if scheme(uri) != "file" {
        return None;
    }
    let rest = uri.as_str().split_once(':')?.1;
    let rest = rest.split(['#', '?']).next().unwrap_or_default();
    let decoded = percent_decode_str(rest).decode_utf8().ok()?;
    let (host, path) = match decoded.strip_prefix("//") {
        Some(rest) => {
            let slash = rest.find('/')?;
            (&rest[..slash], &rest[slash..])
        }
        None => ("", &*decoded),
    };
    if path.is_empty() || path.contains('\0') {
        return None;
    }
    if cfg!(windows) {
        if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
            return Some(PathBuf::from(format!(
                "\\\\{host}{}",
                path.replace('/', "\\")
            )));
        }
        return Some(PathBuf::from(path.trim_start_matches('/')));
    }
    Some(PathBuf::from(path))
}

/// The path behind a notebook cell or a file, which decides its folder.
#[must_use]
pub fn to_path_of_cell(uri: &Uri) -> Option<PathBuf> {
    if scheme(uri) != "vscode-notebook-cell" {
        return to_path(uri);
    }
    let rest = uri.as_str().split_once(':')?.1;
    to_path(&Uri::from_str(&format!("file:{}", rest.split('#').next()?)).ok()?)
}

/// The URI of an absolute path.
#[must_use]
pub fn from_path(path: &Path) -> Option<Uri> {
    let text = path
        .to_str()?
        .replace('\\', if cfg!(windows) { "/" } else { "\\" });
    let slash = if text.starts_with('/') { "" } else { "/" };
    Uri::from_str(&format!(
        "file://{slash}{}",
        utf8_percent_encode(&text, PATH)
    ))
    .ok()
}

/// The URI of a project-relative path (with `/`) below a folder, which keeps
/// the client's spelling of the folder.
#[must_use]
pub fn below(folder: &Uri, relative: &str) -> Option<Uri> {
    let folder = folder.as_str().trim_end_matches('/');
    Uri::from_str(&format!("{folder}/{}", utf8_percent_encode(relative, PATH))).ok()
}

/// `path` relative to `root` with `/`, when it lies below it.
#[must_use]
pub fn relative(root: &Path, path: &Path) -> Option<String> {
    let rest = path.strip_prefix(root).ok()?;
    let mut parts = Vec::new();
    for component in rest.components() {
        match component {
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::CurDir => {}
            _ => return None,
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        text.parse().unwrap()
    }

    #[test]
    fn spellings_of_one_file_have_one_key() {
        let key = UriKey::of("file:///c%3A/w/a%20b.ts");
        assert_eq!(UriKey::of("file:///C:/w/a%20b.ts"), key);
        assert_eq!(UriKey::of("FILE:///c:/w/a%20b.ts"), key);
        assert_eq!(UriKey::of("file://localhost/c:/w/a%20b.ts"), key);
        assert_ne!(UriKey::of("file:///d:/w/a%20b.ts"), key);
    }

    #[test]
    fn cells_of_one_notebook_are_told_apart() {
        assert_ne!(
            UriKey::of("vscode-notebook-cell:/w/n.ipynb#W0sZmlsZQ"),
            UriKey::of("vscode-notebook-cell:/w/n.ipynb#W1sZmlsZQ"),
        );
    }

    #[test]
    #[cfg(unix)]
    fn paths_and_uris_become_each_other() {
        for text in ["/w/a.ts", "/w/文件 (1).md", "/w/[x]#?.ts"] {
            let uri = from_path(Path::new(text)).unwrap();
            assert_eq!(to_path(&uri).unwrap(), Path::new(text));
        }
        assert_eq!(to_path(&uri("untitled:Untitled-1")), None);
        assert_eq!(
            to_path_of_cell(&uri("vscode-notebook-cell:/w/n.ipynb#W0")).unwrap(),
            Path::new("/w/n.ipynb")
        );
    }

    #[test]
    fn files_below_a_folder_keep_its_spelling() {
        assert_eq!(
            below(&uri("file:///c%3A/w/"), "src/a b.ts")
                .unwrap()
                .as_str(),
            "file:///c%3A/w/src/a%20b.ts"
        );
    }

    #[test]
    fn a_sibling_with_a_longer_name_is_not_below() {
        assert_eq!(
            relative(Path::new("/w/src"), Path::new("/w/src2/a.ts")),
            None
        );
        assert_eq!(
            relative(Path::new("/w/src"), Path::new("/w/src/b/a.ts")).as_deref(),
            Some("b/a.ts")
        );
    }
}
