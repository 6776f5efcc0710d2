use std::collections::BTreeMap;

use asd_recipe::{Code, Kind, Lifecycle, Recipe, Relation, RelationKind, SourceRef};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::counters::Stats;
use crate::relations::RelationGraph;
use crate::signals::SignalType;

const NOW: i64 = 1_790_000_000;

fn new(kind: ProposalType, confidence: f64) -> NewProposal {
    NewProposal {
        kind,
        target: "r1".into(),
        related: Vec::new(),
        confidence,
        source: "external_agent".into(),
        reason: "seen".into(),
        evidence: None,
        patch: vec![PatchOp {
            field: "doClause".into(),
            op: PatchOpKind::Append,
            value: json!("Bound the attempts"),
            old: None,
        }],
        baseline_score: Some(35.0),
    }
}

fn proposal(kind: ProposalType, confidence: f64) -> Proposal {
    propose(new(kind, confidence), [], NOW).unwrap()
}

fn entry(lifecycle: Lifecycle) -> Recipe {
    Recipe {
        id: Some("r1".into()),
        lifecycle,
        do_clause: "Use the queue".into(),
        language: "rust".into(),
        core_code: Some(Code {
            language: "rust".into(),
            text: "queue.push(x);".into(),
            ..Code::default()
        }),
        ..Recipe::default()
    }
}

fn used(hits: u64) -> Observation {
    Observation {
        target: Usage { hits },
        ..Observation::default()
    }
}

#[test]
fn windows_and_what_executes_itself_are_those_of_the_table() {
    let table: Vec<(&str, i64, bool)> = ProposalType::all()
        .map(|kind| (kind.name(), kind.window() / 3600, kind.executes_itself()))
        .collect();
    assert_eq!(
        table,
        [
            ("correction", 24, true),
            ("enhance", 48, true),
            ("merge", 72, true),
            ("supersede", 72, true),
            ("deprecate", 168, true),
            ("contradiction", 168, false),
            ("reorganize", 168, false),
        ]
    );
    for kind in ProposalType::all() {
        assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
        assert_eq!(ProposalType::from_name(kind.name()), Some(kind));
    }
}

#[test]
fn sure_updates_and_deprecations_are_observed_at_once() {
    for (kind, confidence, status) in [
        (ProposalType::Enhance, 0.7, ProposalStatus::Observing),
        (ProposalType::Enhance, 0.69, ProposalStatus::Pending),
        (ProposalType::Deprecate, 0.1, ProposalStatus::Observing),
        (ProposalType::Supersede, 0.9, ProposalStatus::Pending),
        (ProposalType::Contradiction, 0.9, ProposalStatus::Pending),
    ] {
        assert_eq!(proposal(kind, confidence).status, status, "{kind:?}");
    }
}

#[test]
fn there_is_one_open_proposal_of_a_type_for_a_target() {
    let mut first = proposal(ProposalType::Enhance, 0.9);
    let again = propose(new(ProposalType::Enhance, 0.9), [&first], NOW + 1);
    assert_eq!(again.unwrap_err().id, first.id);
    assert!(propose(new(ProposalType::Correction, 0.9), [&first], NOW).is_ok());
    first.resolve(ProposalStatus::Rejected, Some("ann"), "no", NOW);
    assert!(propose(new(ProposalType::Enhance, 0.9), [&first], NOW + 1).is_ok());
    assert_eq!(count_by_status([&first]), BTreeMap::from([("rejected", 1)]));
}

#[test]
fn a_waiting_proposal_expires_after_two_weeks() {
    let mut waiting = proposal(ProposalType::Enhance, 0.3);
    let target = entry(Lifecycle::Active);
    let at = |days: i64| judge(&waiting, &target, &used(1), NOW + days * DAY);
    assert_eq!(at(13), Judgement::Wait);
    assert_eq!(at(14), Judgement::Expire);
    waiting.begin_observing(Some(50.0), NOW + 5);
    assert_eq!(waiting.window_ends(), Some(NOW + 5 + 48 * 3600));
    assert_eq!(waiting.baseline_score, Some(50.0));
}

#[test]
fn an_update_needs_use_and_trusted_guards_and_a_place_to_go() {
    let sure = proposal(ProposalType::Enhance, 0.9);
    let target = entry(Lifecycle::Evolving);
    let end = NOW + sure.kind.window();
    assert_eq!(judge(&sure, &target, &used(1), end - 1), Judgement::Wait);
    assert_eq!(
        judge(&sure, &target, &used(1), end),
        Judgement::Execute(Execution::Patch)
    );
    assert!(matches!(
        judge(&sure, &target, &used(0), end),
        Judgement::Reject(_)
    ));
    let doubtful = Observation {
        false_positive_rate: Some(0.4),
        ..used(1)
    };
    assert!(matches!(
        judge(&sure, &target, &doubtful, end),
        Judgement::Reject(_)
    ));
    let mut stale = sure;
    stale.patch[0] = PatchOp {
        op: PatchOpKind::Replace,
        old: Some("not there".into()),
        ..stale.patch[0].clone()
    };
    assert_eq!(
        judge(&stale, &target, &used(1), end),
        Judgement::Reject("`doClause` does not hold the text that was to be replaced".into())
    );
}

#[test]
fn a_successor_must_be_active_and_used_half_as_much() {
    let mut supersede = proposal(ProposalType::Supersede, 0.9);
    supersede.begin_observing(None, NOW);
    let end = NOW + 72 * 3600;
    let target = entry(Lifecycle::Active);
    let judged = |successor, hits| {
        let seen = Observation {
            successor,
            ..used(hits)
        };
        judge(&supersede, &target, &seen, end)
    };
    let new = |state, hits| Some((state, Usage { hits }));
    assert_eq!(
        judged(new(Lifecycle::Active, 5), 10),
        Judgement::Execute(Execution::Supersede)
    );
    assert!(matches!(
        judged(new(Lifecycle::Active, 4), 10),
        Judgement::Reject(_)
    ));
    assert!(matches!(
        judged(new(Lifecycle::Staging, 9), 10),
        Judgement::Reject(_)
    ));
    assert!(matches!(judged(None, 0), Judgement::Reject(_)));
}

#[test]
fn a_deprecation_follows_the_decay_score() {
    let deprecate = proposal(ProposalType::Deprecate, 0.9);
    let target = entry(Lifecycle::Active);
    let judged = |score: f64, at: i64| {
        let seen = Observation {
            decay_score: Some(score),
            ..used(0)
        };
        judge(&deprecate, &target, &seen, at)
    };
    let end = NOW + 7 * DAY;
    assert_eq!(judged(10.0, end - 1), Judgement::Wait);
    assert_eq!(judged(19.0, end), Judgement::Execute(Execution::Deprecate));
    assert_eq!(judged(40.0, end), Judgement::Execute(Execution::Decay));
    assert!(matches!(judged(41.0, end), Judgement::Reject(_)));
    let risen = judged(46.0, end);
    assert_eq!(
        risen,
        Judgement::Reject("its decay score rose from 35 to 46".into())
    );
}

#[test]
fn a_sure_deprecation_is_carried_out_at_once_on_fading_entries_only() {
    let sure = proposal(ProposalType::Deprecate, 0.8);
    assert_eq!(
        judge(&sure, &entry(Lifecycle::Decaying), &used(0), NOW),
        Judgement::Execute(Execution::Deprecate)
    );
    assert_eq!(
        judge(&sure, &entry(Lifecycle::Active), &used(0), NOW),
        Judgement::Wait
    );
    let unsure = proposal(ProposalType::Deprecate, 0.79);
    assert_eq!(
        judge(&unsure, &entry(Lifecycle::Decaying), &used(0), NOW),
        Judgement::Wait
    );
}

#[test]
fn contradictions_and_new_orders_are_left_to_people() {
    for kind in [ProposalType::Contradiction, ProposalType::Reorganize] {
        let mut one = proposal(kind, 1.0);
        one.begin_observing(None, NOW);
        let target = entry(Lifecycle::Active);
        assert_eq!(
            judge(&one, &target, &used(9), NOW + 8 * DAY),
            Judgement::Ask
        );
    }
}

#[test]
fn only_eight_fields_can_be_changed() {
    let recipe = entry(Lifecycle::Active);
    let step = |field: &str| PatchOp {
        field: field.into(),
        op: PatchOpKind::Set,
        value: json!("x"),
        old: None,
    };
    for field in PATCHABLE {
        assert!(apply_patch(&recipe, &[step(field)]).is_ok(), "{field}");
    }
    for field in ["title", "lifecycle", "constraints.guards", "id"] {
        let refusal = apply_patch(&recipe, &[step("doClause"), step(field)]).unwrap_err();
        assert_eq!(
            refusal,
            PatchRefusal::Field {
                field: field.into()
            }
        );
    }
}

#[test]
fn changes_are_read_as_agents_write_them() {
    let set = |field: &str| PatchOp {
        field: field.into(),
        op: PatchOpKind::Set,
        value: json!("x"),
        old: None,
    };
    for (changes, field) in [
        (json!([{"field": "do", "value": "x"}]), "doClause"),
        (
            json!({"field": "core_code", "op": "set", "value": "x"}),
            "coreCode",
        ),
        (json!({"markdown": "x"}), "content.markdown"),
        (json!({"title": "x"}), "title"),
        (
            json!(r#"[{"field": "sources", "value": "x"}]"#),
            "reasoning.sources",
        ),
    ] {
        assert_eq!(read_patch(&changes), Ok(vec![set(field)]), "{changes}");
    }
    for wrong in [json!("make it better"), json!(5), json!([{"field": "do"}])] {
        assert!(read_patch(&wrong).is_err(), "{wrong}");
    }
}

#[test]
fn a_change_that_breaks_a_rule_is_taken_back() {
    let recipe = entry(Lifecycle::Active);
    let patch = proposal(ProposalType::Enhance, 0.9).patch;
    let check = |recipe: &Recipe| {
        if recipe.do_clause.len() > 20 {
            vec!["the do clause is too long".to_owned()]
        } else {
            Vec::new()
        }
    };
    let refusal = execute_patch(&recipe, &patch, check).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "the changed entry breaks a rule: the do clause is too long"
    );
    let done = execute_patch(&recipe, &patch, |_| Vec::new()).unwrap();
    assert_eq!(done.recipe.do_clause, "Use the queue Bound the attempts");
    assert_eq!(done.snapshot["doClause"], "Use the queue");
}

#[test]
fn a_proposal_reads_back_as_it_was_written() {
    let one = proposal(ProposalType::Enhance, 0.9);
    let text = serde_json::to_string(&one).unwrap();
    assert!(text.contains(r#""type":"enhance","target":"r1","status":"observing""#));
    assert_eq!(serde_json::from_str::<Proposal>(&text).unwrap(), one);
}

#[test]
fn use_suggests_what_to_do() {
    let rule = |id: &str, category: &str| Recipe {
        id: Some(id.into()),
        kind: Kind::Rule,
        category: category.into(),
        lifecycle: Lifecycle::Active,
        ..Recipe::default()
    };
    let fires = rule("fires", "Network");
    let found = rule("found", "Network");
    let mut refers = rule("refers", "Network");
    refers.relations.insert(
        RelationKind::DependsOn,
        vec![Relation {
            target: "gone".into(),
            ..Relation::default()
        }],
    );
    let weak = rule("weak", "Network");
    let gone = Recipe {
        lifecycle: Lifecycle::Deprecated,
        ..rule("gone", "UI")
    };
    let with = |authority: f64| Stats {
        authority: Some(authority),
        ..Stats::default()
    };
    let stats = [
        Stats {
            guard_hits: 5,
            ..with(4.0)
        },
        Stats {
            search_hits: 10,
            ..with(4.0)
        },
        with(3.0),
        with(1.0),
        Stats {
            search_hits: 99,
            ..Stats::default()
        },
    ];
    let all = [&fires, &found, &refers, &weak, &gone];
    let entries: Vec<MetabolismEntry<'_>> = all
        .iter()
        .zip(&stats)
        .map(|(recipe, stats)| MetabolismEntry { recipe, stats })
        .collect();
    let relations = RelationGraph::build(all);
    let drift = [
        TopicDrift {
            topic: "billing".into(),
            chains: 3,
        },
        TopicDrift {
            topic: "rare".into(),
            chains: 2,
        },
    ];
    let primed = BTreeMap::from([("weak".to_owned(), (10, 0)), ("found".to_owned(), (10, 1))]);
    let suggestions = metabolism(&MetabolismInput {
        entries: &entries,
        relations: &relations,
        drift: &drift,
        primed: &primed,
    });
    let short: Vec<(SuggestionKind, &str)> = suggestions
        .iter()
        .map(|one| (one.kind, one.target.as_str()))
        .collect();
    assert_eq!(
        short,
        [
            (SuggestionKind::AddCode, "fires"),
            (SuggestionKind::FoundNotUsed, "found"),
            (SuggestionKind::LowAuthority, "weak"),
            (SuggestionKind::RefersToDeprecated, "refers"),
            (SuggestionKind::CoverageGap, "billing"),
            (SuggestionKind::PrimedNotUsed, "weak"),
        ]
    );
    assert!(wakes_metabolism(SignalType::Decay));
    assert!(!wakes_metabolism(SignalType::Search));
}

fn ops() -> impl Strategy<Value = Vec<PatchOp>> {
    let one = (0..PATCHABLE.len(), 0..3_u8, "[a-z/. ]{0,6}", "[a-z]{0,2}").prop_map(
        |(field, op, value, old)| PatchOp {
            field: PATCHABLE[field].into(),
            op: match op {
                0 => PatchOpKind::Set,
                1 => PatchOpKind::Append,
                _ => PatchOpKind::Replace,
            },
            value: json!(value),
            old: Some(old),
        },
    );
    proptest::collection::vec(one, 0..6)
}

proptest! {
    /// Whatever a change does, its snapshot takes it back.
    #[test]
    fn a_change_and_its_way_back_leave_no_trace(ops in ops(), has_code in any::<bool>(), clause in "[a-z ]{0,8}") {
        let mut recipe = entry(Lifecycle::Active);
        if !has_code {
            recipe.core_code = None;
        }
        recipe.when_clause = clause;
        recipe.headers = vec!["use a;".into()];
        recipe.reasoning.sources = vec![SourceRef::parse("src/a.rs:1-2")];
        if let Ok(patched) = apply_patch(&recipe, &ops) {
            let mut back = patched.recipe;
            roll_back(&mut back, &patched.snapshot);
            prop_assert_eq!(back, recipe);
        }
    }
}
