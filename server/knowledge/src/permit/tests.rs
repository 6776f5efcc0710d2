use asd_recipe::Severity;
use serde_json::{Value as Json, json};

use super::*;
use crate::lifecycle::NamedAction;

fn ask(actor: &str, action: &str, resource: &str, data: Json) -> Result<MatchedBy, Denial> {
    let resource = Some(Resource::of(resource));
    let request = Request::new(actor, action, resource, data)?;
    permit(&Constitution::default(), &request, Surroundings::default())
}

fn with_permissions(permissions: &[&str], request: &Request) -> Result<MatchedBy, Denial> {
    let mut constitution = Constitution::default();
    let role = Role {
        permissions: permissions.iter().map(|one| (*one).to_owned()).collect(),
        requires: Vec::new(),
    };
    constitution.roles.insert("tester".into(), role);
    permit(&constitution, request, Surroundings::default())
}

#[test]
fn the_shipped_constitution_reads_without_a_word() {
    let (constitution, problems) = Constitution::read(DEFAULT_CONSTITUTION);
    assert_eq!(problems, []);
    assert_eq!(constitution, Constitution::default());
    let roles: Vec<&String> = constitution.roles.keys().collect();
    assert_eq!(
        roles,
        [
            "developer",
            "external_agent",
            "chat_agent",
            "contributor",
            "visitor"
        ]
    );
    assert_eq!(constitution.rules, Rule::ALL);
    assert_eq!(constitution.roles["external_agent"].permissions.len(), 21);
}

#[test]
fn a_request_has_a_form() {
    for (actor, action, data) in [
        ("", "read:recipes", json!({})),
        ("visitor", " ", json!({})),
        ("visitor", "read:recipes", json!([])),
    ] {
        let denial = Request::new(actor, action, None, data).unwrap_err();
        assert_eq!((denial.code(), denial.status()), ("VALIDATION_ERROR", 400));
    }
    let request = Request::new("visitor", "read:recipes", None, Json::Null).unwrap();
    assert_eq!(request.resource.kind, "*");
}

#[test]
fn permissions_are_found_in_their_order() {
    let request = |action: &str, resource: &str| {
        let resource = Some(Resource::of(resource).owned_by("tester"));
        Request::new(
            "tester",
            action,
            resource,
            json!({"confirmed": true, "code": "x"}),
        )
        .unwrap()
    };
    let skills = request("skills:create", "skills");
    for (permission, matched) in [
        ("*", MatchedBy::Everything),
        ("skills:create", MatchedBy::Exact),
        ("create:skills", MatchedBy::Flipped),
        ("create:*", MatchedBy::AnyObject),
        ("*:skills", MatchedBy::AnyVerb),
        ("create:skills:self", MatchedBy::Own),
    ] {
        assert_eq!(
            with_permissions(&[permission], &skills),
            Ok(matched),
            "{permission}"
        );
    }
    let list = request("list:recipes", "recipes");
    assert_eq!(with_permissions(&["read:*"], &list), Ok(MatchedBy::AnyRead));
    assert!(with_permissions(&["read:*"], &skills).is_err());
    assert!(with_permissions(&[], &skills).is_err());
    let read = request("read", "recipes");
    assert_eq!(
        with_permissions(&["read:recipes"], &read),
        Ok(MatchedBy::Exact)
    );
    let order = with_permissions(&["*:skills", "create:skills"], &skills);
    assert_eq!(order, Ok(MatchedBy::Flipped));
}

#[test]
fn an_agent_creates_skills_by_flip_but_publishes_nothing() {
    assert_eq!(
        ask("external_agent", "skills:create", "skills", json!({})),
        Ok(MatchedBy::Flipped)
    );
    let denial = ask("external_agent", "recipe:publish", "recipes", json!({})).unwrap_err();
    assert_eq!((denial.code(), denial.status()), ("PERMISSION_DENIED", 403));
    let by_data = ask(
        "external_agent",
        "knowledge:update",
        "knowledge",
        json!({"action": "approve"}),
    );
    assert_eq!(by_data.unwrap_err().code(), "CONSTITUTION_VIOLATION");
}

#[test]
fn an_agent_that_may_do_all_still_keeps_to_the_rules() {
    let mut constitution = Constitution::default();
    constitution.roles["chat_agent"].permissions = vec!["*".into()];
    for action in ["recipe:publish", "create:recipes", "candidates:approve"] {
        let request = Request::new("chat_agent", action, None, json!({"code": "x"})).unwrap();
        let denial = permit(&constitution, &request, Surroundings::default()).unwrap_err();
        assert_eq!(
            (denial.code(), denial.status()),
            ("CONSTITUTION_VIOLATION", 422)
        );
    }
}

#[test]
fn unknown_roles_and_foreign_things_are_denied() {
    assert!(ask("stranger", "read:recipes", "recipes", json!({})).is_err());
    assert!(
        ask(
            "visitor",
            "knowledge:create",
            "knowledge",
            json!({"code": "x"})
        )
        .is_err()
    );
    let own = |owner: &str| {
        let logs = Resource::of("audit_logs").owned_by(owner);
        let request =
            Request::new("contributor", "read:audit_logs", Some(logs), json!({})).unwrap();
        permit(&Constitution::default(), &request, Surroundings::default())
    };
    assert_eq!(own("contributor"), Ok(MatchedBy::Own));
    assert!(own("developer").is_err());
}

#[test]
fn taking_away_needs_a_confirmation_and_batches_an_authorisation() {
    let delete = |data| ask("developer", "knowledge:delete", "knowledge", data);
    let denial = delete(json!({})).unwrap_err();
    assert!(denial.to_string().contains("`confirmed: true`"), "{denial}");
    assert!(delete(json!({"confirmed": "yes"})).is_err());
    assert_eq!(
        delete(json!({"confirmed": true})),
        Ok(MatchedBy::Everything)
    );
    let batch = |data| ask("developer", "knowledge:batch-publish", "knowledge", data);
    assert!(matches!(
        batch(json!({})),
        Err(Denial::Rule {
            rule: Rule::BatchAuthorized,
            ..
        })
    ));
    assert!(batch(json!({"authorized": true})).is_ok());
}

#[test]
fn a_new_entry_needs_something_to_be_made_from() {
    let create = |data| ask("external_agent", "knowledge:create", "knowledge", data);
    for data in [json!({}), json!({"items": []}), json!({"code": " "})] {
        assert_eq!(create(data).unwrap_err().code(), "CONSTITUTION_VIOLATION");
    }
    for data in [
        json!({"items": [{}]}),
        json!({"filePaths": ["a.md"]}),
        json!({"content": {"markdown": "x"}}),
    ] {
        assert!(create(data).is_ok());
    }
    assert!(ask("external_agent", "create:skills", "skills", json!({})).is_ok());
}

#[test]
fn a_separate_repository_must_be_writable_for_those_who_write() {
    let ask = |action: &str, surroundings| {
        let request = Request::new("developer", action, None, json!({"code": "x"})).unwrap();
        permit(&Constitution::default(), &request, surroundings)
    };
    let closed = Surroundings {
        knowledge_writable: false,
        separate_repository: true,
    };
    let denial = ask("knowledge:update", closed).unwrap_err();
    assert_eq!(denial.code(), "PERMISSION_DENIED");
    assert!(ask("read:recipes", closed).is_ok());
    let inside = Surroundings {
        separate_repository: false,
        ..closed
    };
    assert!(ask("knowledge:update", inside).is_ok());
}

#[test]
fn agents_may_only_take_entries_out_of_retirement() {
    let constitution = Constitution::default();
    for action in NamedAction::all() {
        assert!(may_move(&constitution, "developer", action));
        let agent = may_move(&constitution, "external_agent", action);
        assert_eq!(
            agent,
            action == NamedAction::Reactivate,
            "{}",
            action.name()
        );
    }
}

#[test]
fn a_project_states_its_own_roles_and_turns_rules_off() {
    let text = "\
rules:
  - id: batch_authorized
    enabled: false
  - ai_no_direct_recipe
roles:
  reviewer: [read:recipes, 'candidates:approve']
  bot:
    permissions: ['create:*']
";
    let (constitution, problems) = Constitution::read(text);
    assert_eq!(problems, []);
    assert_eq!(constitution.rules.len(), 3);
    assert!(!constitution.rules.contains(&Rule::BatchAuthorized));
    assert_eq!(constitution.roles["reviewer"].permissions.len(), 2);
    assert!(constitution.role("developer").is_none());
    let (without, problems) = Constitution::read("version: 3\n");
    assert_eq!(problems, []);
    assert_eq!(without, Constitution::default());
}

#[test]
fn mistakes_are_shown_where_they_stand_and_permit_nothing() {
    let text = "\
version: 2
rules:
  be_nice: {}
  destructive_confirm: {enabled: perhaps}
roles:
  a: {permission: ['*']}
  b: {permissions: [everything, 'read:'], requires: [magic]}
extra: 1
";
    let (constitution, problems) = Constitution::read(text);
    let found: Vec<(&str, Severity)> = problems
        .iter()
        .map(|problem| (problem.span.of(text), problem.severity))
        .collect();
    assert_eq!(
        found,
        [
            ("2", Severity::Warning),
            ("be_nice", Severity::Error),
            ("perhaps", Severity::Error),
            ("permission", Severity::Warning),
            ("a", Severity::Error),
            ("everything", Severity::Error),
            ("'read:'", Severity::Error),
            ("[magic]", Severity::Error),
            ("extra", Severity::Warning),
        ]
    );
    assert_eq!(constitution.rules, Rule::ALL);
    assert!(
        constitution
            .roles
            .values()
            .all(|role| role.permissions.is_empty())
    );
}

#[test]
fn the_soul_says_what_it_must() {
    for word in ["curator", "confirm", "overwrite", "human"] {
        assert!(DEFAULT_SOUL.contains(word), "{word}");
    }
    assert!(DEFAULT_SOUL.len() < 2000);
}
