// The documents that the server is told about.

import type { DocumentFilter, DocumentSelector } from "vscode";

/** Language ids of VS Code for what the server checks. */
export const LANGUAGES = [
  "objective-c",
  "objective-cpp",
  "swift",
  "javascript",
  "javascriptreact",
  "typescript",
  "typescriptreact",
  "python",
  "java",
  "kotlin",
  "go",
  "dart",
  "rust",
  "c",
  "cpp",
  "csharp",
  "ruby",
  "html",
  "css",
  "vue",
  "svelte",
  "markdown",
  "shellscript",
  "json",
  "jsonc",
  "yaml",
  "toml",
] as const;

const SCHEMES = ["file", "untitled", "vscode-notebook-cell"] as const;

/** Configuration may have no language of its own in this editor (TOML). */
const PROJECT_FILES = "**/Alembic/**/*.{md,toml,json,yaml}";

export const documentFilters: readonly (DocumentFilter & { scheme: string })[] = [
  ...SCHEMES.flatMap((scheme) => LANGUAGES.map((language) => ({ scheme, language }))),
  { scheme: "file", pattern: PROJECT_FILES },
];

export const documentSelector: DocumentSelector = documentFilters;
