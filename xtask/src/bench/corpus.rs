//! Generated projects: the same rules as recipes and as ast-grep rules.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use anyhow::Result;

/// One rule, as every program can state it.
#[derive(Clone)]
pub struct Rule {
    pub id: String,
    /// An ast-grep code pattern.
    pub pattern: String,
    /// The text that every match must hold.
    pub literal: String,
}

/// Rules against calls of a method of that name.
pub fn method_rules(names: &[String]) -> Vec<Rule> {
    names
        .iter()
        .enumerate()
        .map(|(n, name)| Rule {
            id: format!("bench-{n}"),
            pattern: format!("$OBJECT.{name}($$$ARGS)"),
            literal: name.clone(),
        })
        .collect()
}

/// How the guard of a recipe states its rule.
#[derive(Clone, Copy)]
pub enum Form {
    Ast,
    Regex,
}

/// Writes `rules` as recipes, one guard in each.
pub fn write_recipes(root: &Path, rules: &[Rule], language: &str, form: Form) -> Result<()> {
    let folder = root.join("Alembic/recipes/bench");
    let _ = fs::remove_dir_all(root.join("Alembic"));
    fs::create_dir_all(&folder)?;
    for rule in rules {
        let guard = match form {
            Form::Ast => format!("ast: {}", rule.pattern),
            Form::Regex => format!("pattern: '\\b{}\\s*\\('", rule.literal),
        };
        fs::write(
            folder.join(format!("{}.md", rule.id)),
            format!(
                "---\ntrigger: \"@{id}\"\ntitle: Rule {id}\nkind: rule\nlanguage: {language}\nlifecycle: active\n\
                 do: Call the wrapper instead\ndont: Call {literal}\nguards:\n  - {guard}\n    message: Do not call \
                 {literal}\n---\n\n## Description\nThe wrapper adds what this call lacks.\n",
                id = rule.id,
                literal = rule.literal,
            ),
        )?;
    }
    Ok(())
}

/// Writes `rules` as ast-grep rules.
pub fn write_ast_grep(root: &Path, rules: &[Rule], language: &str) -> Result<()> {
    let folder = root.join("sg-rules");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder)?;
    fs::write(root.join("sgconfig.yml"), "ruleDirs: [sg-rules]\n")?;
    for rule in rules {
        fs::write(
            folder.join(format!("{}.yml", rule.id)),
            format!(
                "id: {}\nlanguage: {language}\nseverity: warning\nmessage: Do not call {}\nrule:\n  pattern: {}\n",
                rule.id, rule.literal, rule.pattern
            ),
        )?;
    }
    Ok(())
}

/// Writes `rules` as rules of semgrep.
pub fn write_semgrep(root: &Path, rules: &[Rule], language: &str) -> Result<()> {
    let mut text = String::from("rules:\n");
    for rule in rules {
        writeln!(
            text,
            "  - id: {}\n    languages: [{language}]\n    severity: WARNING\n    message: Do not call {literal}\n    \
             pattern: $OBJECT.{literal}(...)",
            rule.id,
            literal = rule.literal,
        )?;
    }
    fs::write(root.join("semgrep.yml"), text)?;
    Ok(())
}

/// TypeScript of about `lines` lines, in which every hundredth function breaks
/// one of the rules.
pub fn typescript(lines: usize, rules: &[Rule]) -> String {
    let mut text = String::from("import { client, store, type Ship } from \"./harbor\";\n\n");
    let mut n = 0;
    while text.lines().count() < lines {
        for _ in 0..50 {
            let call = match n % 100 {
                0 => format!(
                    "client.{}(ship.id, {{ retries: {n} }})",
                    rules[n / 100 % rules.len()].literal
                ),
                _ => format!("client.load{n}(ship.id, {{ retries: {n} }})"),
            };
            write!(
                text,
                "/** Gives ship {n} its berth. 给船分配泊位。 */\n\
                 export async function berth{n}(ship: Ship, count = {n}): Promise<number> {{\n  \
                 // The store keeps `client.call` of earlier runs.\n  \
                 const found = store.get(`berth-${{ship.id}}`) ?? \"none\";\n  \
                 if (found !== \"none\" && count > {n}) {{\n    return Number(found) + ship.name.length;\n  }}\n  \
                 const reply = await {call};\n  \
                 return reply.berths.filter((b: {{ free: boolean }}) => b.free).length * count;\n}}\n\n"
            )
            .expect("writing to a string does not fail");
            n += 1;
        }
    }
    text
}
