// The text of a new recipe. Pure.

/** Recipe languages for editor language ids that are spelled differently. */
const RECIPE_LANGUAGES: Readonly<Record<string, string>> = {
  "objective-c": "objc",
  "objective-cpp": "objc",
  javascriptreact: "javascript",
  typescriptreact: "typescript",
  shellscript: "bash",
  jsonc: "json",
};

const TRIGGER_MAX = 60;

export interface SkeletonInput {
  readonly title: string;
  /** With the leading `@`. */
  readonly trigger: string;
  /** The editor's language id; absent without an editor. */
  readonly language: string | undefined;
  /** Selected code that breaks the convention; empty for none. */
  readonly example: string;
}

/** The trigger that a title suggests; empty when it has no Latin words. */
export function suggestTrigger(title: string): string {
  const words = title
    .normalize("NFKD")
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1-$2")
    .toLowerCase()
    .match(/[a-z0-9]+/gu);
  const slug = (words ?? []).join("-").slice(0, TRIGGER_MAX - 1).replace(/-+$/u, "");
  return slug.length < 2 ? "" : `@${slug}`;
}

/** Whether a trigger is `@` and kebab-case, 2 to 60 characters. */
export function isTrigger(text: string): boolean {
  return /^@[a-z0-9]+(?:-[a-z0-9]+)*$/u.test(text) && text.length >= 3 && text.length <= TRIGGER_MAX;
}

export function recipeLanguage(languageId: string | undefined): string {
  return languageId === undefined || languageId === "plaintext" || languageId === "markdown"
    ? "all"
    : (RECIPE_LANGUAGES[languageId] ?? languageId);
}

/** The file of a new recipe, relative to the workspace folder. */
export function recipePath(trigger: string): string {
  return `Alembic/recipes/general/${trigger.slice(1)}.md`;
}

/**
 * The recipe as a snippet: the places that a person must fill are tab stops in
 * the order in which one thinks of them.
 */
export function recipeSnippet(input: SkeletonInput): string {
  const language = recipeLanguage(input.language);
  const fence = language === "all" ? "text" : language;
  const id = input.trigger.slice(1);
  const example = input.example === "" ? "${8:code that breaks the convention}" : escapeSnippet(input.example);
  return [
    "---",
    `title: ${escapeSnippet(JSON.stringify(input.title))}`,
    `trigger: "${input.trigger}"`,
    "kind: rule",
    "lifecycle: active",
    `language: ${language}`,
    "when: ${1:the situation in which this applies}",
    "do: ${2:what to do}",
    "dont: ${3:what not to do}",
    "guards:",
    `  - id: ${id}`,
    "    type: regex",
    "    pattern: '${4:pattern}'",
    "    severity: ${5|warning,error,info|}",
    "    message: ${6:what is wrong}",
    "---",
    "",
    "## Description",
    "",
    "${7:Why this is a convention of this project.}",
    "",
    "```" + `${fence} bad`,
    example,
    "```",
    "",
    "```" + `${fence} good`,
    "${9:code that keeps it}",
    "```",
    "$0",
  ].join("\n");
}

function escapeSnippet(text: string): string {
  return text.replaceAll(/[\\$}]/gu, String.raw`\$&`);
}
