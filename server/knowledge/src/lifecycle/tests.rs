use asd_recipe::{Home, Lifecycle, LifecycleEvent, Recipe};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::DAY;
use crate::signals::{Signal, SignalType};
use Lifecycle::{Active, Decaying, Deprecated, Evolving, Pending, Staging};

const NOW: i64 = 1_790_000_000;

fn in_state(lifecycle: Lifecycle) -> Recipe {
    Recipe {
        id: Some("r1".into()),
        lifecycle,
        created_at: Some(NOW - DAY),
        updated_at: Some(NOW - DAY),
        ..Recipe::default()
    }
}

fn moved(mut recipe: Recipe, to: Lifecycle, now: i64) -> Recipe {
    let wish = Move::new(Goal::State(to), MoveTrigger::Manual);
    transition(&recipe, &wish, now).unwrap().apply(&mut recipe);
    recipe
}

#[test]
fn what_the_table_does_not_have_is_a_conflict_and_changes_nothing() {
    let recipe = in_state(Staging);
    let wish = Move::new(Goal::State(Evolving), MoveTrigger::Manual);
    let error = transition(&recipe, &wish, NOW).unwrap_err();
    assert_eq!(error.code(), Some("CONFLICT"));
    assert_eq!(
        error.to_string(),
        "invalid transition from staging to evolving"
    );
    assert_eq!(recipe, in_state(Staging));
}

#[test]
fn a_move_to_where_the_entry_is_does_nothing_and_is_no_error() {
    let wish = Move::new(Goal::State(Active), MoveTrigger::Manual);
    let same = transition(&in_state(Active), &wish, NOW).unwrap_err();
    assert_eq!(same.code(), None);
    assert_eq!(same.to_string(), "already in state");
    let publish = Move::manual(NamedAction::Publish, "ann", None);
    assert_eq!(
        transition(&in_state(Active), &publish, NOW).unwrap_err(),
        TransitionError::AlreadyInState { state: Active }
    );
}

#[test]
fn an_action_says_where_it_works() {
    let wish = Move::manual(NamedAction::Evolve, "ann", None);
    let error = transition(&in_state(Pending), &wish, NOW).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid transition from pending to evolving: evolve works on active"
    );
}

#[test]
fn a_reactivated_entry_is_a_candidate_again_and_its_file_moves() {
    let wish = Move::manual(NamedAction::Reactivate, "ann", Some("needed again"));
    let done = transition(&in_state(Deprecated), &wish, NOW).unwrap();
    assert_eq!(done.to, Pending);
    assert_eq!(done.relocation, Some((Home::Recipes, Home::Candidates)));
    let event = done.history.last().unwrap();
    assert_eq!(event.by.as_deref(), Some("ann"));
    assert_eq!(event.reason.as_deref(), Some("needed again"));
}

#[test]
fn stamps_come_with_a_state_and_go_with_it() {
    let staged = Move {
        staging_deadline: Some(NOW + DAY),
        ..Move::manual(NamedAction::Stage, "ann", None)
    };
    let mut recipe = in_state(Pending);
    transition(&recipe, &staged, NOW)
        .unwrap()
        .apply(&mut recipe);
    assert_eq!(recipe.staging_deadline, Some(NOW + DAY));
    assert_eq!(recipe.extra["stagingEnteredAt"], NOW);
    assert_eq!(recipe.extra["reviewedBy"], "ann");

    let mut recipe = moved(recipe, Active, NOW + 5);
    assert_eq!(recipe.staging_deadline, None);
    assert!(!recipe.extra.contains_key("stagingEnteredAt"));
    assert_eq!(recipe.extra["activeSince"], NOW + 5);
    assert_eq!(recipe.extra["publishedAt"], NOW + 5);

    let evolve = Move {
        proposal: Some("p1".into()),
        ..Move::new(Goal::State(Evolving), MoveTrigger::Proposal)
    };
    transition(&recipe, &evolve, NOW + 6)
        .unwrap()
        .apply(&mut recipe);
    assert_eq!(recipe.extra["lastActiveAt"], NOW + 6);
    assert_eq!(recipe.extra["proposalId"], "p1");
    let recipe = moved(recipe, Decaying, NOW + 7);
    assert!(!recipe.extra.contains_key("proposalId"));
    assert_eq!(recipe.extra["decayStartedAt"], NOW + 7);
    assert_eq!(recipe.updated_at, Some(NOW + 7));
}

#[test]
fn a_candidate_that_is_turned_down_keeps_the_reason_until_it_comes_back() {
    let reject = Move::manual(NamedAction::Reject, "ann", Some("too vague"));
    let mut recipe = in_state(Staging);
    transition(&recipe, &reject, NOW)
        .unwrap()
        .apply(&mut recipe);
    assert_eq!(recipe.lifecycle, Pending);
    assert_eq!(recipe.extra["rejectionReason"], "too vague");
    let recipe = moved(recipe, Staging, NOW + 1);
    assert!(!recipe.extra.contains_key("rejectionReason"));
}

#[test]
fn a_move_is_told_to_the_account_and_to_others() {
    let wish = Move {
        evidence: Some(json!({"confidence": 0.9})),
        ..Move::new(Goal::State(Staging), MoveTrigger::ConfidenceRoute)
    };
    let done = transition(&in_state(Pending), &wish, NOW).unwrap();
    assert_eq!(
        serde_json::to_value(&done.event).unwrap(),
        json!({
            "id": format!("r1:{NOW}:pending-staging"),
            "recipeId": "r1",
            "fromState": "pending",
            "toState": "staging",
            "trigger": "confidence-route",
            "evidence": {"confidence": 0.9},
            "createdAt": NOW,
        })
    );
    assert_eq!(done.signal.kind, SignalType::Lifecycle);
    assert_eq!(done.signal.timestamp, NOW * 1000);
    for trigger in MoveTrigger::ALL {
        assert_eq!(serde_json::to_value(trigger).unwrap(), trigger.name());
    }
}

#[test]
fn the_file_keeps_the_last_twenty_moves() {
    let mut recipe = in_state(Active);
    for step in 0..30 {
        let to = if step % 2 == 0 { Evolving } else { Active };
        recipe = moved(recipe, to, NOW + step);
    }
    assert_eq!(recipe.lifecycle_history.len(), 20);
    assert_eq!(recipe.lifecycle_history[0].at, NOW + 10);
}

#[test]
fn changes_can_be_patched_into_a_file() {
    let text = "---\ntitle: T\ntrigger: \"@t\"\nlifecycle: pending # for now\n---\n";
    let parsed = asd_recipe::parse(text, Home::Candidates);
    let mut recipe = parsed.recipe.unwrap();
    let wish = Move::manual(NamedAction::FastTrack, "ann", None);
    let done = transition(&recipe, &wish, NOW).unwrap();
    let edits = asd_recipe::patch_front_matter(text, &done.changes).unwrap();
    let patched = asd_text::apply_edits(text, &edits).unwrap();
    assert!(
        patched.contains("lifecycle: active # for now\n"),
        "{patched}"
    );
    let read = asd_recipe::parse(&patched, Home::Recipes).recipe.unwrap();
    done.apply(&mut recipe);
    assert_eq!(read.lifecycle, recipe.lifecycle);
    assert_eq!(read.lifecycle_history, recipe.lifecycle_history);
    assert_eq!(read.extra, recipe.extra);
    assert_eq!(read.updated_at, recipe.updated_at);
}

#[test]
fn time_moves_what_nobody_moves() {
    let context = TimerContext::default();
    for (state, days, to) in [
        (Pending, 30, Deprecated),
        (Staging, 7, Active),
        (Evolving, 7, Active),
        (Decaying, 30, Deprecated),
    ] {
        let mut recipe = in_state(state);
        recipe.lifecycle_history.push(LifecycleEvent {
            from: Active,
            to: state,
            at: NOW,
            by: None,
            reason: None,
        });
        let before = effective(&recipe, &context, NOW + days * DAY - 1);
        assert_eq!(before.state, state);
        assert_eq!(before.due, None);
        let after = effective(&recipe, &context, NOW + days * DAY);
        assert_eq!(after.state, to, "{state:?}");
        let wish = after.due.unwrap().to_move(None);
        assert!(transition(&recipe, &wish, NOW + days * DAY).is_ok());
    }
    for state in [Active, Deprecated] {
        let later = effective(&in_state(state), &context, NOW + 10_000 * DAY);
        assert_eq!((later.state, later.runs_out), (state, None));
    }
}

#[test]
fn a_deadline_of_its_own_counts_before_the_limit() {
    let mut recipe = in_state(Staging);
    recipe.staging_deadline = Some(NOW + 3600);
    let context = TimerContext::default();
    assert_eq!(effective(&recipe, &context, NOW + 3599).state, Staging);
    assert_eq!(effective(&recipe, &context, NOW + 3600).state, Active);
    let blocked = TimerContext {
        staging_blockers: vec!["contradicts @other".into()],
        ..context
    };
    let due = effective(&recipe, &blocked, NOW + 3600).due.unwrap();
    assert_eq!((due.to, &*due.reason), (Pending, "contradicts @other"));
}

#[test]
fn how_far_an_entry_decayed_decides_how_long_it_has() {
    let recipe = moved(in_state(Active), Decaying, NOW);
    for (grace, at) in [(15, NOW + 15 * DAY), (0, NOW)] {
        let context = TimerContext {
            grace_days: Some(grace),
            ..TimerContext::default()
        };
        assert_eq!(effective(&recipe, &context, at).state, Deprecated);
        assert_eq!(effective(&recipe, &context, at - 1).state, Decaying);
    }
}

#[test]
fn a_candidate_that_waits_for_a_week_is_stuck() {
    let mut recipe = in_state(Pending);
    recipe.created_at = Some(NOW);
    let stuck = |at| effective(&recipe, &TimerContext::default(), at).stuck_days;
    assert_eq!(stuck(NOW + 7 * DAY - 1), None);
    assert_eq!(stuck(NOW + 8 * DAY), Some(8));
    assert_eq!(stuck(NOW + 30 * DAY), None, "it is due, not stuck");
}

#[test]
fn no_timer_runs_for_an_entry_without_a_date() {
    let recipe = Recipe::default();
    let later = effective(&recipe, &TimerContext::default(), NOW);
    assert_eq!((later.state, later.runs_out), (Pending, None));
}

#[test]
fn a_fading_entry_that_is_used_is_active_again() {
    let recipe = in_state(Decaying);
    let signal = |kind, event: &str| Signal {
        kind,
        source: "search".into(),
        target: "r1".into(),
        value: 1.0,
        metadata: json!({ "event": event }),
        timestamp: NOW * 1000,
    };
    for used in [
        signal(SignalType::Search, ""),
        signal(SignalType::Guard, ""),
        signal(SignalType::Usage, "searchHit"),
        signal(SignalType::Usage, "guardHit"),
    ] {
        let wish = recovery(&recipe, &used).unwrap();
        let done = transition(&recipe, &wish, NOW).unwrap();
        assert_eq!(done.to, Active);
        assert_eq!(done.event.trigger, MoveTrigger::SignalRecovery);
    }
    assert_eq!(recovery(&recipe, &signal(SignalType::Usage, "view")), None);
    let other = Signal {
        target: "r2".into(),
        ..signal(SignalType::Search, "")
    };
    assert_eq!(recovery(&recipe, &other), None);
    let active = in_state(Active);
    assert_eq!(recovery(&active, &signal(SignalType::Search, "")), None);
}

proptest! {
    /// The table is closed: whatever is asked for, the entry ends in a state
    /// that the table permits, or stays as it is.
    #[test]
    fn any_wishes_keep_to_the_table(wishes in proptest::collection::vec((0..6_usize, 0..10_usize, any::<bool>()), 0..40)) {
        let mut recipe = in_state(Pending);
        for (step, (state, action, by_name)) in wishes.into_iter().enumerate() {
            let goal = if by_name {
                Goal::Action(NamedAction::all().nth(action).unwrap())
            } else {
                Goal::State(Lifecycle::ALL[state])
            };
            let before = recipe.clone();
            let now = NOW + i64::try_from(step).unwrap();
            match transition(&recipe, &Move::new(goal, MoveTrigger::Manual), now) {
                Ok(done) => {
                    prop_assert!(is_allowed(done.from, done.to));
                    done.apply(&mut recipe);
                    prop_assert_eq!(recipe.lifecycle, done.to);
                    let last = recipe.lifecycle_history.last().unwrap();
                    prop_assert_eq!((last.from, last.to), (before.lifecycle, done.to));
                }
                Err(_) => prop_assert_eq!(&recipe, &before),
            }
        }
    }
}
