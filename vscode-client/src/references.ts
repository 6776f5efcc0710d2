import { commands, Uri } from "vscode";
import { type LanguageClient, Location, Position } from "vscode-languageclient/node";

/** The command of code lenses that lead to several places. */
export const SHOW_REFERENCES = "asd.showReferences";

/**
 * Opens the editor's list of places. The arguments are a URI, a position in it
 * and locations, all as the protocol writes them; anything else is ignored.
 */
export async function showReferences(client: LanguageClient | undefined, args: readonly unknown[]): Promise<void> {
  const [uri, position, locations] = args;
  if (
    client === undefined ||
    typeof uri !== "string" ||
    !Position.is(position) ||
    !Array.isArray(locations) ||
    !locations.every((location) => Location.is(location))
  ) {
    return;
  }
  const { protocol2CodeConverter: convert } = client;
  await commands.executeCommand(
    "editor.action.showReferences",
    Uri.parse(uri),
    convert.asPosition(position),
    locations.map((location) => convert.asLocation(location)),
  );
}
