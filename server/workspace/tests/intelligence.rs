//! The tools that read the code, through the service that every door uses.

#![expect(
    clippy::unwrap_used,
    reason = "a test that cannot be set up has failed"
)]

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use asd_workspace::Settings;
use asd_workspace::service::tools::Tier;
use asd_workspace::service::{Caller, Service};
use asd_workspace::task::Session;
use serde_json::{Value, json};

struct Project {
    temp: tempfile::TempDir,
    service: Service,
    session: Mutex<Session>,
    caller: Caller,
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

impl Project {
    fn of(files: &[(&str, &str)]) -> Self {
        let temp = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(temp.path(), path, text);
        }
        Self::at(temp)
    }

    fn at(temp: tempfile::TempDir) -> Self {
        let service = Service::once(temp.path(), Settings::default());
        Self {
            session: Mutex::new(service.session()),
            caller: Caller::agent(Tier::Agent),
            service,
            temp,
        }
    }

    /// The same project as another process finds it.
    fn again(self) -> Self {
        Self::at(self.temp)
    }

    fn call(&self, tool: &str, arguments: Value) -> Value {
        let Value::Object(arguments) = arguments else {
            panic!("arguments are an object")
        };
        let envelope = self
            .service
            .call(tool, arguments, &self.caller, &self.session);
        serde_json::to_value(envelope).unwrap()
    }

    fn data(&self, tool: &str, arguments: Value) -> Value {
        let envelope = self.call(tool, arguments);
        assert_eq!(envelope["success"], true, "{envelope}");
        envelope["data"].clone()
    }

    fn error(&self, tool: &str, arguments: Value) -> String {
        let envelope = self.call(tool, arguments);
        assert_eq!(envelope["success"], false, "{envelope}");
        envelope["errorCode"].as_str().unwrap().to_owned()
    }
}

const CLIENT: &str =
    "class Client:\n    def send(self):\n        return encode()\n\ndef encode():\n    pass\n";
const VIEW: &str =
    "from net.client import Client\n\nclass View:\n    def show(self):\n        Client().send()\n";

fn small() -> Project {
    Project::of(&[
        ("net/client.py", CLIENT),
        ("ui/view.py", VIEW),
        (
            "main.py",
            "from ui.view import View\n\ndef main():\n    View().show()\n",
        ),
        (
            "tests/test_view.py",
            "from ui.view import View\n\ndef test_show():\n    View().show()\n",
        ),
    ])
}

fn recipe(trigger: &str, dimension: &str, sources: &str) -> String {
    format!(
        "---\nid: 6f1f3ab2-0000-4000-8000-{:0>12}\ntitle: {trigger}\ntrigger: '@{trigger}'\nkind: rule\nlanguage: python\ncategory: Network\ndimensionId: {dimension}\nlifecycle: active\ncreatedBy: manual\ndo: Send through the client.\nreasoning:\n  sources: [{sources}]\n---\n\n## Description\n\nOne client.\n",
        trigger.len()
    )
}

#[test]
fn structure_lists_targets_files_and_one_target() {
    let project = small();
    let targets = project.data("asd_structure", json!({}));
    assert!(
        targets["summary"]["fileCount"].as_u64().unwrap() == 4,
        "{targets}"
    );
    assert_eq!(targets["summary"]["primaryLanguage"], "python");
    let bare = project.data("asd_structure", json!({"includeSummary": false}));
    assert!(bare.get("summary").is_none());

    assert_eq!(
        project.error("asd_structure", json!({"operation": "files"})),
        "VALIDATION_ERROR"
    );
    let name = targets["targets"][0]["name"].as_str().unwrap();
    let files = project.data(
        "asd_structure",
        json!({"operation": "files", "target": name, "includeContent": true, "contentMaxLines": 1, "maxFiles": 1}),
    );
    assert_eq!(files["files"].as_array().unwrap().len(), 1);
    let content = files["files"][0]["content"].as_str().unwrap();
    assert_eq!(content.lines().count(), 1, "{content}");
    let gone = json!({"operation": "metadata", "targetName": "nothing"});
    assert_eq!(project.error("asd_structure", gone), "NOT_FOUND");
    let metadata = project.data(
        "asd_structure",
        json!({"operation": "metadata", "targetName": name}),
    );
    assert_eq!(metadata["targetName"], name);
}

#[test]
fn the_graph_answers_over_files_symbols_and_modules() {
    let project = small();
    let graph = |arguments: Value| project.data("asd_graph", arguments);
    let query = graph(json!({"operation": "query", "nodeType": "file", "nodeId": "ui/view.py"}));
    assert_eq!(query["outgoing"][0]["target"]["id"], "net/client.py");
    assert_eq!(query["incoming"].as_array().unwrap().len(), 2);
    assert_eq!(query["incoming"][0]["source"]["id"], "main.py");
    let out = graph(
        json!({"operation": "query", "nodeType": "file", "nodeId": "ui/view.py", "direction": "out"}),
    );
    assert_eq!(out["incoming"], json!([]));

    let impact =
        graph(json!({"operation": "impact", "nodeType": "symbol", "nodeId": "Client.send"}));
    assert!(impact["impactedCount"].as_u64().unwrap() >= 2, "{impact}");
    let path = json!({"operation": "path", "nodeType": "file", "fromId": "main.py", "toId": "net/client.py"});
    assert_eq!(graph(path)["depth"], 2);
    let none = json!({"operation": "path", "nodeType": "file", "fromId": "net/client.py", "toId": "main.py"});
    let none = graph(none);
    assert_eq!(
        (&none["found"], &none["depth"]),
        (&json!(false), &json!(-1))
    );

    let module = graph(json!({"operation": "query", "nodeType": "module", "nodeId": "ui"}));
    assert_eq!(module["outgoing"][0]["target"]["id"], "net");
    let module =
        graph(json!({"operation": "path", "nodeType": "module", "fromId": "root", "toId": "net"}));
    assert_eq!(module["depth"], 2);
    let none =
        graph(json!({"operation": "path", "nodeType": "module", "fromId": "net", "toId": "ui"}));
    assert_eq!(
        (&none["found"], &none["depth"]),
        (&json!(false), &json!(-1))
    );
    let impact = graph(json!({"operation": "impact", "nodeType": "module", "nodeId": "net"}));
    assert_eq!(impact["impactedCount"], 2);
    assert!(
        graph(json!({"operation": "stats", "nodeType": "module"}))["totalEdges"].as_u64() > Some(0)
    );

    let unknown = json!({"operation": "query", "nodeType": "symbol", "nodeId": "nowhere_at_all"});
    assert_eq!(project.error("asd_graph", unknown), "NOT_FOUND");
    let unknown = json!({"operation": "query", "nodeType": "module", "nodeId": "nowhere"});
    assert_eq!(project.error("asd_graph", unknown), "NOT_FOUND");
    for lacking in [
        json!({"operation": "query", "nodeType": "module"}),
        json!({"operation": "path", "nodeType": "file", "fromId": "main.py"}),
    ] {
        assert_eq!(project.error("asd_graph", lacking), "VALIDATION_ERROR");
    }
}

#[test]
fn call_context_tells_callers_callees_and_risk_and_near_names() {
    let project = small();
    let context = project.data("asd_call_context", json!({"methodName": "Client.send"}));
    assert_eq!(context["matches"][0]["file"], "net/client.py");
    assert_eq!(context["callees"][0]["symbol"], "encode");
    let callers: Vec<&str> = context["callers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["symbol"].as_str().unwrap())
        .collect();
    assert!(callers.contains(&"View.show"), "{callers:?}");
    assert_eq!(context["impact"]["risk"], "low");
    let near = project.data("asd_call_context", json!({"methodName": "encodd"}));
    assert_eq!(
        (&near["matches"], &near["callers"]),
        (&json!([]), &json!([]))
    );
    assert_eq!(near["suggestions"], json!(["encode"]));
}

#[test]
fn a_repository_that_holds_only_what_we_write_has_no_files_and_says_so() {
    let project = Project::of(&[
        ("AGENTS.md", "# Rules\n"),
        (".cursor/rules/a.mdc", "x"),
        ("CLAUDE.md", "y"),
    ]);
    let envelope = project.call("asd_bootstrap", json!({}));
    assert_eq!(envelope["success"], true);
    assert_eq!(envelope["data"]["projectMeta"]["fileCount"], 0);
    assert_eq!(
        envelope["data"]["meta"]["warnings"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(
        envelope["meta"]["warnings"][0]
            .as_str()
            .unwrap()
            .contains("No source files")
    );
}

#[test]
fn a_plan_is_worked_through_dimension_by_dimension() {
    let project = small();
    let lost =
        json!({"dimensionId": "architecture", "analysisText": "Three layers and no circle."});
    assert_eq!(
        project.error("asd_dimension_complete", lost.clone()),
        "SESSION_NOT_FOUND"
    );
    let unknown =
        json!({"dimensionId": "unheard-of", "analysisText": "Three layers and no circle."});
    let envelope = project.call("asd_dimension_complete", unknown);
    assert_eq!(envelope["errorCode"], "VALIDATION_ERROR");
    assert_eq!(envelope["data"]["validIds"].as_array().unwrap().len(), 25);

    let recipe_path = "Alembic/recipes/networking-api/client.md";
    write(
        project.temp.path(),
        recipe_path,
        &recipe("client", "networking-api", "net/client.py"),
    );
    let project = project.again();
    let briefing = project.data("asd_bootstrap", json!({}));
    let ids: Vec<String> = briefing["dimensions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    assert!(ids.contains(&"python-structure".to_owned()));
    assert!(!ids.contains(&"rust-ownership".to_owned()));
    assert!(
        !ids.contains(&"ui-interaction".to_owned()),
        "no file of an interface"
    );
    assert_eq!(briefing["executionPlan"]["totalDimensions"], ids.len());
    assert_eq!(
        briefing["session"]["expiresAt"].as_i64().unwrap()
            - briefing["session"]["startedAt"].as_i64().unwrap(),
        86_400_000
    );

    // The session is there for another process, too.
    let project = project.again();
    let wrong = json!({"dimensionId": "architecture", "analysisText": "Three layers and no circle.", "sessionId": "boot-0-0"});
    assert_eq!(
        project.error("asd_dimension_complete", wrong),
        "SESSION_NOT_FOUND"
    );
    let analysis = "The view calls the client and nothing calls back. ".repeat(4);
    let arguments = json!({
        "dimensionId": "architecture",
        "analysisText": analysis,
        "submittedRecipeIds": ["@client", "no-such-id"],
        "referencedFiles": ["ui/view.py"],
        "crossDimensionHints": {"testing-quality": "Views are tested through show()"},
    });
    let first = project.data("asd_dimension_complete", arguments.clone());
    assert_eq!(first["recipesBound"], 1);
    assert_eq!(first["skillCreated"], true);
    assert_eq!(first["progress"], format!("1/{}", ids.len()));
    assert_eq!(first["isBootstrapComplete"], false);
    assert_eq!(
        first["accumulatedHints"]["testing-quality"][0]["from"],
        "architecture"
    );
    let text = fs::read_to_string(project.temp.path().join(recipe_path)).unwrap();
    assert!(text.contains("dimension:architecture"), "{text}");
    let skill = fs::read_to_string(
        project
            .temp
            .path()
            .join("Alembic/skills/project-architecture/SKILL.md"),
    )
    .unwrap();
    assert!(
        skill.contains("nothing calls back") && skill.contains("Send through the client."),
        "{skill}"
    );

    let again = project.data("asd_dimension_complete", arguments);
    assert_eq!(again, first, "a repetition changes nothing");

    for id in ids.iter().filter(|id| *id != "architecture") {
        let done = project.data(
            "asd_dimension_complete",
            json!({"dimensionId": id, "analysisText": "Nothing to add here."}),
        );
        assert_eq!(done["dimensionId"], *id);
        if done["remainingDimensions"] == json!([]) {
            assert_eq!(done["isBootstrapComplete"], true);
            assert_eq!(done["nextActions"][0]["tool"], "asd_wiki");
        }
    }
    assert!(
        project.temp.path().join("AGENTS.md").exists()
            || project.temp.path().join(".cursor/rules").exists(),
        "the last one delivers"
    );
}

#[test]
fn a_rescan_keeps_recipes_and_says_which_still_hold() {
    let files: [(&str, &str); 5] = [
        ("net/client.py", CLIENT),
        ("net/old.py", "def gone_function():\n    pass\n"),
        ("ui/view.py", VIEW),
        ("Alembic/recipes/a.md", ""),
        ("Alembic/recipes/b.md", ""),
    ];
    let project = Project::of(&files);
    let root = project.temp.path().to_owned();
    write(
        &root,
        "Alembic/recipes/a.md",
        &recipe("kept-recipe", "networking-api", "net/client.py"),
    );
    write(
        &root,
        "Alembic/recipes/b.md",
        &recipe("lost", "networking-api", "net/old.py"),
    );
    let project = project.again();
    assert_eq!(
        project.error("asd_rescan", json!({"dimensions": ["unheard-of"]})),
        "VALIDATION_ERROR"
    );
    project.data("asd_bootstrap", json!({}));

    fs::remove_file(root.join("net/old.py")).unwrap();
    write(&root, "ui/view.py", &format!("{VIEW}\n# changed\n"));
    write(&root, "ui/other.py", "x = 1\n");
    let project = project.again();
    let rescan = project.data("asd_rescan", json!({"reason": "a branch was merged"}));
    assert_eq!(rescan["delta"]["added"], json!(["ui/other.py"]));
    assert_eq!(rescan["delta"]["modified"], json!(["ui/view.py"]));
    assert_eq!(rescan["delta"]["deleted"], json!(["net/old.py"]));
    assert_eq!(rescan["delta"]["ratio"], 0.75);
    let verdict = |title: &str| {
        let audit = rescan["audit"].as_array().unwrap();
        let row = audit.iter().find(|row| row["title"] == title).unwrap();
        (row["verdict"].clone(), row["score"].clone())
    };
    assert_eq!(verdict("kept-recipe"), (json!("healthy"), json!(100.0)));
    assert_eq!(verdict("lost"), (json!("dead"), json!(10.0)));
    assert_eq!(rescan["autoActions"][0]["action"], "propose_deprecation");
    let still = fs::read_to_string(root.join("Alembic/recipes/b.md")).unwrap();
    assert!(still.contains("lifecycle: active"), "a person decides");
    let network = rescan["gaps"]
        .as_array()
        .unwrap()
        .iter()
        .any(|gap| gap["dimensionId"] == "error-resilience" && gap["missing"] == 5);
    assert!(network, "{}", rescan["gaps"]);

    // Nothing changed since: nothing is in the delta.
    let project = project.again();
    let second = project.data("asd_rescan", json!({}));
    assert_eq!(second["delta"]["ratio"], 0.0);
    assert_eq!(second["delta"]["fullAnalysis"], false);
    let forced = project.data(
        "asd_rescan",
        json!({"force": true, "dimensions": ["networking-api"]}),
    );
    assert_eq!(forced["delta"]["fullAnalysis"], true);
    assert_eq!(forced["audit"].as_array().unwrap().len(), 2);
}

#[test]
fn the_wiki_is_planned_once_and_finalized_when_its_articles_are_there() {
    let project = small();
    let root = project.temp.path().to_owned();
    let plan = project.data("asd_wiki", json!({"operation": "plan", "language": "en"}));
    assert_eq!(plan["wikiDir"], "Alembic/wiki");
    assert_eq!(plan["topics"][0]["path"], "index.md");
    assert_eq!(plan["cacheHit"], false);
    let again = project.data("asd_wiki", json!({"operation": "plan", "language": "en"}));
    assert_eq!(again["cacheHit"], true);
    assert_eq!(again["topics"], plan["topics"]);
    let chinese = project.data("asd_wiki", json!({"operation": "plan"}));
    assert_eq!(chinese["cacheHit"], false);
    assert!(
        chinese["topics"][0]["title"]
            .as_str()
            .unwrap()
            .contains("概览")
    );

    let finalize = |articles: &[&str]| {
        project.call(
            "asd_wiki",
            json!({"operation": "finalize", "language": "en", "articlesWritten": articles}),
        )
    };
    assert_eq!(finalize(&[])["success"], false);
    let long = format!(
        "# Overview\n\n{}\n",
        "The program sends what the view shows. ".repeat(8)
    );
    write(&root, "Alembic/wiki/index.md", &long);
    write(&root, "Alembic/wiki/modules/net.md", &long);
    write(&root, "Alembic/wiki/modules/ui.md", "# Short\n");
    assert_eq!(finalize(&["../recipes/a.md"])["success"], false);
    assert_eq!(finalize(&["meta.json"])["errorCode"], "VALIDATION_ERROR");
    let short = finalize(&["index.md", "modules/ui.md"]);
    assert_eq!(short["success"], false);
    assert_eq!(short["data"]["tooShort"], json!(["modules/ui.md"]));
    assert!(!root.join("Alembic/wiki/meta.json").exists());

    let done = finalize(&["index.md", "Alembic/wiki/modules/net.md", "gone.md"]);
    assert_eq!(done["success"], true, "{done}");
    assert_eq!(done["data"]["filesVerified"], 1);
    assert_eq!(done["data"]["missing"], json!(["gone.md"]));
    assert_eq!(done["data"]["duplicatesRemoved"], 1);
    assert!(!root.join("Alembic/wiki/modules/net.md").exists());
    let meta: Value =
        serde_json::from_str(&fs::read_to_string(root.join("Alembic/wiki/meta.json")).unwrap())
            .unwrap();
    assert_eq!(meta["files"][0]["path"], "index.md");
    assert_eq!(meta["language"], "en");
}

#[test]
fn the_panorama_tells_layers_coverage_gaps_and_health() {
    let project = small();
    let root = project.temp.path().to_owned();
    write(
        &root,
        "Alembic/recipes/a.md",
        &recipe("client", "networking-api", "net/client.py"),
    );
    let project = project.again();
    let overview = project.data("asd_panorama", json!({}));
    assert_eq!(
        (&overview["moduleCount"], &overview["layerCount"]),
        (&json!(3), &json!(3))
    );
    assert_eq!(
        (&overview["totalRecipes"], &overview["stale"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(overview["layers"][0]["modules"][0]["name"], "net");
    assert_eq!(overview["layers"][0]["modules"][0]["recipeCount"], 1);
    let module = project.data(
        "asd_panorama",
        json!({"operation": "module", "module": "net"}),
    );
    assert_eq!(module["coverage"], 1.0);
    assert_eq!(module["recipes"][0]["trigger"], "@client");
    assert_eq!(module["neighbours"]["dependents"][0]["name"], "ui");
    let lost = project.call(
        "asd_panorama",
        json!({"operation": "module", "module": "nowhere"}),
    );
    assert_eq!(lost["errorCode"], "NOT_FOUND");
    assert_eq!(lost["data"]["modules"], json!(["net", "root", "ui"]));
    assert_eq!(
        project.error("asd_panorama", json!({"operation": "module"})),
        "VALIDATION_ERROR"
    );
    let gaps = project.data("asd_panorama", json!({"operation": "gaps"}));
    assert_eq!(gaps[0]["priority"], "high");
    let health = project.data("asd_panorama", json!({"operation": "health"}));
    assert!(health["score"].as_f64().unwrap() > 20.0, "{health}");
    for operation in [
        "governance_cycle",
        "decay_report",
        "staging_check",
        "enhancement_suggestions",
    ] {
        project.data("asd_panorama", json!({"operation": operation}));
    }
    assert!(!root.join(".asd/wiki-plan.json").exists());
}

#[test]
fn no_tool_is_without_a_handler() {
    let project = small();
    for tool in asd_workspace::service::tools::TOOLS {
        let envelope = project.call(tool.name, json!({}));
        let message = envelope["message"].as_str().unwrap_or_default();
        assert!(!message.contains("no handler"), "{}", tool.name);
    }
}
