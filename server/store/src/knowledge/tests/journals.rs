//! What is kept beside the files comes back from the journals.

use asd_knowledge::counters::{UsageEvent, UsageLine};
use asd_knowledge::permit::{AuditResult, AuditRow};
use asd_knowledge::proposals::{NewProposal, ProposalStatus, ProposalType, propose};

use super::*;
use crate::knowledge::logs::DAY;
use crate::now;

fn remove_database(project: &Project) {
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(project.root().join(format!(".asd/asd.db{suffix}")));
    }
}

fn row(id: &str, timestamp: i64) -> AuditRow {
    AuditRow {
        id: id.to_owned(),
        timestamp,
        actor: "developer".to_owned(),
        actor_context: serde_json::Value::Null,
        action: "create:recipes".to_owned(),
        resource: "recipe:a".to_owned(),
        operation_data: serde_json::Value::Null,
        result: AuditResult::Success,
        error_message: None,
        duration: 3,
    }
}

#[test]
fn deleting_the_database_loses_nothing() {
    let (_temp, project) = project();
    let before = {
        let store = store(&project);
        for name in ["a", "b", "c"] {
            store.create(&recipe(name, Lifecycle::Active), &[]).unwrap();
        }
        let id = store.entry("@a").unwrap().unwrap().id;
        let recorder = UsageRecorder::new(&project);
        recorder.record(&id, UsageEvent::SearchHit, 3);
        recorder.record("@b", UsageEvent::GuardHit, 2);
        recorder.record("@b", UsageEvent::Authority, 4);
        drop(recorder);
        store.append_audit(&row("r1", now().0)).unwrap();
        store
            .change_proposals(|all| {
                let new = NewProposal {
                    kind: ProposalType::Deprecate,
                    target: id.clone(),
                    related: Vec::new(),
                    confidence: 0.9,
                    source: "test".to_owned(),
                    reason: "old".to_owned(),
                    evidence: None,
                    patch: Vec::new(),
                    baseline_score: Some(12.0),
                };
                let proposal = propose(new, all.iter(), 5).unwrap();
                all.push(proposal);
            })
            .unwrap();
        store
            .change_proposals(|all| all[0].resolve(ProposalStatus::Rejected, Some("ann"), "no", 6))
            .unwrap();
        let report = store.sync(Extent::Changed).unwrap();
        assert_eq!(report.unchanged, 3);
        everything(&store)
    };
    let a = before.0.iter().find(|entry| entry.trigger == "@a").unwrap();
    assert_eq!(a.stats.search_hits, 3);
    remove_database(&project);
    let store = store(&project);
    assert_eq!(
        counts(&store.sync(Extent::Changed).unwrap()),
        "scanned=3 inserted=3"
    );
    assert_eq!(everything(&store), before);
    let b = store.entry("@b").unwrap().unwrap();
    assert_eq!((b.stats.guard_hits, b.stats.authority), (2, Some(4.0)));
    assert_eq!(before.2.len(), 1);
    assert_eq!(before.2[0].status, ProposalStatus::Rejected);
}

type Everything = (
    Vec<Entry>,
    Vec<AuditRow>,
    Vec<asd_knowledge::proposals::Proposal>,
);

fn everything(store: &KnowledgeStore) -> Everything {
    (
        store.entries().unwrap(),
        store.audit(&AuditQuery::default()).unwrap(),
        store.proposals(),
    )
}

#[test]
fn counters_never_touch_a_recipe_file() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    let before = files_below(&project.knowledge());
    UsageRecorder::new(&project).record(&written.id, UsageEvent::View, 1);
    store.sync(Extent::Changed).unwrap();
    assert_eq!(files_below(&project.knowledge()), before);
    assert_eq!(store.entry("@a").unwrap().unwrap().stats.views, 1);
}

#[test]
fn old_use_is_kept_as_daily_sums() {
    let (_temp, project) = project();
    let store = store(&project);
    store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    let line = |days: i64, more: i64| UsageLine {
        t: (now().0 / DAY - days) * DAY + more,
        id: "a".to_owned(),
        e: UsageEvent::SearchHit,
        n: 1,
    };
    let lines: Vec<UsageLine> = (0..50)
        .map(|n| line(120, n))
        .chain((0..5).map(|n| line(3, n)))
        .collect();
    Journal::Usage.append(&project, &lines).unwrap();
    let before = store.usage().unwrap();
    store.sync(Extent::Changed).unwrap();
    let kept: Vec<UsageLine> = Journal::Usage.read(&project);
    assert_eq!(kept.len(), 2 + 5, "{kept:?}");
    assert_eq!(store.usage().unwrap(), before);
    assert_eq!(before.0["a"].search_hits, 55);
}

#[test]
fn the_audit_is_kept_for_ninety_days_and_answers_questions() {
    let (_temp, project) = project();
    let store = store(&project);
    for (id, days) in [("old", 92), ("kept", 89), ("new", 0)] {
        store.append_audit(&row(id, now().0 - days * DAY)).unwrap();
    }
    let ids = |query: &AuditQuery| -> Vec<String> {
        let rows = store.audit(query).unwrap();
        rows.into_iter().map(|row| row.id).collect()
    };
    assert_eq!(ids(&AuditQuery::default()), ["new", "kept", "old"]);
    store.sync(Extent::Changed).unwrap();
    assert_eq!(ids(&AuditQuery::default()), ["new", "kept"]);
    assert_eq!(Journal::Audit.read::<AuditRow>(&project).len(), 2);
    let failed = AuditQuery {
        result: Some(AuditResult::Failure),
        ..AuditQuery::default()
    };
    assert!(ids(&failed).is_empty());
    let one = AuditQuery {
        limit: 1,
        actor: Some("developer".to_owned()),
        ..AuditQuery::default()
    };
    assert_eq!(ids(&one), ["new"]);
}

#[test]
fn use_is_told_to_the_committed_summary_once() {
    let (_temp, project) = project();
    let store = store(&project);
    let written = store.create(&recipe("a", Lifecycle::Active), &[]).unwrap();
    let record = |n| UsageRecorder::new(&project).record(&written.id, UsageEvent::Adoption, n);
    assert_eq!(merge_usage(&store).unwrap(), None);
    record(2);
    let told = merge_usage(&store).unwrap().unwrap();
    assert_eq!(told.recipes[&written.id].adoptions, 2);
    assert_eq!(merge_usage(&store).unwrap(), None);
    record(3);
    // What another machine told stays.
    let mut summary = read_usage_summary(&project).unwrap();
    summary.recipes.get_mut(&written.id).unwrap().adoptions += 100;
    write(
        &project,
        "usage.json",
        &serde_json::to_string(&summary).unwrap(),
    );
    let told = merge_usage(&store).unwrap().unwrap();
    assert_eq!(told.recipes[&written.id].adoptions, 105);
    write(&project, "usage.json", "<<<<<<< ours");
    record(1);
    let error = merge_usage(&store).unwrap_err();
    assert!(error.to_string().contains("Alembic/usage.json"), "{error}");
    assert_eq!(read(&project, "usage.json"), "<<<<<<< ours");
}
