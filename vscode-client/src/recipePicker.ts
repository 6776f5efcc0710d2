import { CancellationTokenSource, l10n, Uri, window, type QuickPickItem } from "vscode";
import { type LanguageClient, type SymbolInformation, type WorkspaceSymbol, WorkspaceSymbolRequest } from "vscode-languageclient/node";

interface SymbolItem extends QuickPickItem {
  readonly symbol: SymbolInformation | WorkspaceSymbol;
}

/** Lets a person search the recipes and opens the one that they choose. */
export function pickRecipe(client: LanguageClient): void {
  const picker = window.createQuickPick<SymbolItem>();
  picker.title = l10n.t("Show Recipe");
  picker.placeholder = l10n.t("Trigger, title or tag, in any language");
  // The server ranks; filtering by label again would hide what it found.
  picker.matchOnDescription = true;
  picker.matchOnDetail = true;
  let pending = new CancellationTokenSource();

  const search = async (query: string): Promise<void> => {
    pending.cancel();
    pending.dispose();
    const own = (pending = new CancellationTokenSource());
    picker.busy = true;
    try {
      const symbols = await client.sendRequest(WorkspaceSymbolRequest.type, { query }, own.token);
      if (pending === own) {
        picker.items = (symbols ?? []).map(toItem);
      }
    } catch (error) {
      if (pending === own) {
        client.outputChannel.warn(`Searching recipes failed: ${String(error)}`);
      }
    } finally {
      if (pending === own) {
        picker.busy = false;
      }
    }
  };

  picker.onDidChangeValue((value) => void search(value));
  picker.onDidAccept(() => {
    const [item] = picker.selectedItems;
    picker.hide();
    if (item !== undefined) {
      void open(client, item.symbol);
    }
  });
  picker.onDidHide(() => {
    pending.cancel();
    picker.dispose();
  });
  picker.show();
  void search("");
}

function toItem(symbol: SymbolInformation | WorkspaceSymbol): SymbolItem {
  return {
    symbol,
    label: symbol.name,
    ...(symbol.containerName === undefined ? {} : { description: symbol.containerName }),
    alwaysShow: true,
  };
}

async function open(client: LanguageClient, symbol: SymbolInformation | WorkspaceSymbol): Promise<void> {
  const { location } = symbol;
  const options = "range" in location ? { selection: client.protocol2CodeConverter.asRange(location.range) } : {};
  await window.showTextDocument(Uri.parse(location.uri), options);
}
