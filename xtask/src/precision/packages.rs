//! The packages that the built-in rules are judged on: fetched by name and
//! version with the registries' own clients, kept in the cache, never committed.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::tools::{cache, cargo, command, debian_tool, output, root, run};

/// A package of `tests/precision/packages.tsv`.
pub struct Package {
    /// The registry that has it.
    pub registry: String,
    /// Its name there.
    pub name: String,
    /// Exactly this version.
    pub version: String,
    /// The languages that it was chosen for.
    pub languages: String,
}

impl Package {
    /// Where its sources are kept.
    pub fn folder(&self) -> Result<PathBuf> {
        let name = self.name.replace(['/', '@'], "_");
        Ok(cache()?
            .join("precision")
            .join(format!("{}-{name}-{}", self.registry, self.version)))
    }

    /// Fetches it unless it is there, and gives its folder.
    pub fn fetch(&self) -> Result<PathBuf> {
        let folder = self.folder()?;
        if folder.is_dir() {
            return Ok(folder);
        }
        let scratch = cache()?.join("precision-scratch");
        let _ = fs::remove_dir_all(&scratch);
        fs::create_dir_all(&scratch)?;
        let sources = match self.registry.as_str() {
            "pypi" => self.pypi(&scratch),
            "pypi-source" => self.pypi_source(&scratch),
            "npm" => self.npm(&scratch),
            "crates" => self.crates(&scratch),
            "debian" => self.debian(&scratch),
            "debian-source" => self.debian_source(&scratch),
            other => bail!("packages.tsv: unknown registry {other}"),
        }
        .with_context(|| format!("cannot fetch {} {}", self.name, self.version))?;
        fs::create_dir_all(folder.parent().expect("it lies in the cache"))?;
        fs::rename(&sources, &folder)?;
        let _ = fs::remove_dir_all(&scratch);
        Ok(folder)
    }

    /// A wheel, which holds the sources of a package in Python. What is fetched
    /// for another language lies in the source archive only.
    fn pypi(&self, scratch: &Path) -> Result<PathBuf> {
        let form = if self.languages.contains("python") {
            "--only-binary"
        } else {
            "--no-binary"
        };
        run(command("python3")
            .args([
                "-m",
                "pip",
                "download",
                "--quiet",
                "--no-deps",
                form,
                ":all:",
            ])
            .arg("--dest")
            .arg(scratch)
            .arg(format!("{}=={}", self.name, self.version)))?;
        let archive = only_entry(scratch)?;
        let into = scratch.join("sources");
        run(command("python3")
            .args([
                "-c",
                "import shutil, sys; shutil.unpack_archive(sys.argv[1], sys.argv[2], format=sys.argv[3])",
            ])
            .arg(&archive)
            .arg(&into)
            .arg(if archive.extension().is_some_and(|e| e == "whl") {
                "zip"
            } else {
                "gztar"
            }))?;
        Ok(into)
    }

    /// A source archive, which holds tests and configuration too.
    fn pypi_source(&self, scratch: &Path) -> Result<PathBuf> {
        run(command("python3")
            .args(["-m", "pip", "download", "--quiet", "--no-deps"])
            .args(["--no-binary", ":all:", "--dest"])
            .arg(scratch)
            .arg(format!("{}=={}", self.name, self.version)))?;
        let archive = only_entry(scratch)?;
        unpack(&archive, scratch)?;
        fs::remove_file(archive)?;
        only_entry(scratch)
    }

    fn npm(&self, scratch: &Path) -> Result<PathBuf> {
        run(command("npm")
            .args(["pack", "--silent", "--ignore-scripts", "--pack-destination"])
            .arg(scratch)
            .arg(format!("{}@{}", self.name, self.version)))?;
        let archive = only_entry(scratch)?;
        unpack(&archive, scratch)?;
        fs::remove_file(archive)?;
        only_entry(scratch)
    }

    /// Cargo fetches a crate as a dependency of another one, so one is made.
    fn crates(&self, scratch: &Path) -> Result<PathBuf> {
        fs::create_dir_all(scratch.join("src"))?;
        fs::write(scratch.join("src/lib.rs"), "")?;
        fs::write(
            scratch.join("Cargo.toml"),
            format!(
                "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n\n[dependencies]\n\
                 {} = {{ version = \"={}\", default-features = false }}\n\n[workspace]\n",
                self.name, self.version
            ),
        )?;
        run(cargo()
            .args(["vendor", "--quiet", "--versioned-dirs"])
            .stdout(std::process::Stdio::null())
            .current_dir(scratch))?;
        Ok(scratch
            .join("vendor")
            .join(format!("{}-{}", self.name, self.version)))
    }

    fn debian(&self, scratch: &Path) -> Result<PathBuf> {
        run(command("apt-get")
            .args(["download", "--quiet"])
            .arg(format!("{}={}", self.name, self.version))
            .current_dir(scratch))?;
        let archive = only_entry(scratch)?;
        let into = scratch.join("sources");
        run(command("dpkg-deb").arg("-x").arg(archive).arg(&into))?;
        Ok(into)
    }

    /// With a list of sources of our own, beside those of the system.
    fn debian_source(&self, scratch: &Path) -> Result<PathBuf> {
        debian_tool("dpkg-source", &["dpkg-dev"])?;
        let apt = cache()?.join("precision-apt");
        fs::create_dir_all(apt.join("lists/partial"))?;
        let list = apt.join("sources.list");
        let options = [
            format!("Dir::Etc::sourcelist={}", list.display()),
            "Dir::Etc::sourceparts=-".to_owned(),
            format!("Dir::State::lists={}", apt.join("lists").display()),
        ];
        let apt_get = || {
            let mut apt_get = command("apt-get");
            for option in &options {
                apt_get.args(["-o", option]);
            }
            apt_get
        };
        if !list.exists() {
            fs::write(&list, source_lines()?)?;
            run(apt_get().args(["update", "--quiet"]))?;
        }
        run(apt_get()
            .args(["source", "--quiet"])
            .arg(format!("{}={}", self.name, self.version))
            .current_dir(scratch))?;
        fs::read_dir(scratch)?
            .filter_map(|entry| Some(entry.ok()?.path()))
            .find(|path| path.is_dir())
            .context("apt-get source unpacked nothing")
    }
}

/// The system's binary sources, stated as sources of sources.
fn source_lines() -> Result<String> {
    let targets = output(command("apt-get").args([
        "indextargets",
        "--format",
        "$(REPO_URI) $(RELEASE) $(COMPONENT)",
        "Created-By: Packages",
    ]))?;
    let mut lines: Vec<String> = targets
        .lines()
        .filter(|line| line.contains("debian") && line.ends_with(" main"))
        .map(|line| format!("deb-src {line}\n"))
        .collect();
    lines.sort();
    lines.dedup();
    Ok(lines.concat())
}

fn unpack(archive: &Path, into: &Path) -> Result<()> {
    run(command("tar").arg("-xzf").arg(archive).arg("-C").arg(into))
}

fn only_entry(folder: &Path) -> Result<PathBuf> {
    let mut entries = fs::read_dir(folder)?;
    let entry = entries
        .next()
        .context("the registry's client fetched nothing")??;
    if entries.next().is_some() {
        bail!("{}: more than one file was fetched", folder.display());
    }
    Ok(entry.path())
}

/// The packages, in the order of the list.
pub fn packages() -> Result<Vec<Package>> {
    packages_of("tests/precision/packages.tsv")
}

/// The packages of a list, by its path in the repository.
pub fn packages_of(list: &str) -> Result<Vec<Package>> {
    let path = root().join(list);
    let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
    text.lines()
        .skip(1)
        .map(|line| {
            let mut cells = line.split('\t').map(str::to_owned);
            let mut cell = || {
                cells
                    .next()
                    .with_context(|| format!("packages.tsv: {line}"))
            };
            Ok(Package {
                registry: cell()?,
                name: cell()?,
                version: cell()?,
                languages: cell()?,
            })
        })
        .collect()
}
