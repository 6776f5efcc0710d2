// Which folders of a workspace are offered to agents. Pure, so that it can be
// tested without an editor.

/** A folder of the workspace. */
export interface Folder {
  readonly name: string;
  readonly path: string;
  /** Whether it holds an `Alembic` folder. */
  readonly hasKnowledge: boolean;
  /** The text of its `.vscode/mcp.json`; empty without one. */
  readonly configuration: string;
}

export interface Offer {
  readonly label: string;
  readonly path: string;
}

/**
 * One server for each folder with knowledge. A folder whose own configuration
 * names the server, as `asd setup` writes it, gets no second one.
 */
export function serversToOffer(folders: readonly Folder[]): Offer[] {
  const offered = folders.filter(
    ({ hasKnowledge, configuration }) => hasKnowledge && !/"alembic"\s*:/u.test(configuration),
  );
  return offered.map(({ name, path }) => ({ label: offered.length === 1 ? "Alembic" : `Alembic (${name})`, path }));
}
