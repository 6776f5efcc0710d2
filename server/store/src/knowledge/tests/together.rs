//! Several processes at once.

use super::crash::scene;
use super::*;

/// How many recipes each process writes.
const EACH: usize = 1_000;

/// What a child does: `write-<prefix>` or `read`.
pub(super) fn child(name: &str, store: &KnowledgeStore) {
    match name.strip_prefix("write-") {
        Some(prefix) => {
            for n in 0..EACH {
                let name = format!("{prefix}-{n}");
                store
                    .create(&recipe(&name, Lifecycle::Active), &[])
                    .unwrap();
                // Both want this one; the first has it.
                if n % 100 == 0 {
                    let both = recipe(&format!("both-{n}"), Lifecycle::Active);
                    match store.create(&both, &[]) {
                        Ok(_) | Err(KnowledgeError::Conflict { .. }) => {}
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        }
        None => look_on(store),
    }
    assert_eq!(store.degraded(), None);
}

/// Reads and searches until the writers are done.
fn look_on(store: &KnowledgeStore) {
    let done = store.project().root().join("done");
    let mut most = 0;
    while !done.exists() {
        let report = store.reconcile().unwrap();
        assert_eq!(report.errors, []);
        assert_eq!(report.conflicts, 0);
        let entries = store.entries().unwrap();
        assert!(entries.len() >= most, "{} after {most}", entries.len());
        most = entries.len();
        if let Some(entry) = entries.last() {
            let found = store.entry(&entry.trigger).unwrap().unwrap();
            assert_eq!(found.id, entry.id);
        }
    }
}

#[test]
fn two_processes_write_while_a_third_reads() {
    let (_temp, project) = project();
    let start = |name: &str| {
        let mut command = scene(name, &project);
        command
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    };
    let reader = start("read");
    let writers = [start("write-left"), start("write-right")];
    let mut failed = String::new();
    for writer in writers {
        let output = writer.wait_with_output().unwrap();
        if !output.status.success() {
            failed.push_str(&String::from_utf8_lossy(&output.stderr));
        }
    }
    fs::write(project.root().join("done"), "").unwrap();
    let output = reader.wait_with_output().unwrap();
    if !output.status.success() {
        failed.push_str(&String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(failed, "");
    let expected = 2 * EACH + EACH / 100;
    let store = store(&project);
    let report = store.sync(Extent::Changed).unwrap();
    assert_eq!(
        counts(&report),
        format!("scanned={expected} unchanged={expected}")
    );
    let files = paths(&project);
    assert_eq!(files.len(), expected);
    for path in files {
        let text = read(&project, &path);
        let read = asd_recipe::parse(&text, asd_recipe::Home::Recipes)
            .recipe
            .unwrap();
        assert_eq!(read.hash, Some(asd_recipe::content_hash(&text)), "{path}");
    }
}
