import { l10n, languages, LanguageStatusSeverity, type Disposable, type LanguageStatusItem } from "vscode";

import { documentSelector } from "./languages.ts";
import type { StatusParams } from "./protocol.ts";

/** The entry of the `{}` menu: what the server is doing and what it knows. */
export class StatusItem implements Disposable {
  private readonly item: LanguageStatusItem;
  private last: StatusParams | undefined;

  constructor() {
    this.item = languages.createLanguageStatusItem("asd.status", documentSelector);
    this.item.name = "Alembic";
    this.item.command = { command: "alembic.showOutput", title: l10n.t("Show Output") };
    this.starting();
  }

  /** The last status that the server sent in this run. */
  get current(): StatusParams | undefined {
    return this.last;
  }

  starting(): void {
    this.last = undefined;
    this.set(l10n.t("Alembic: starting"), "", LanguageStatusSeverity.Information, true);
  }

  stopped(): void {
    this.last = undefined;
    this.set(l10n.t("Alembic: stopped"), "", LanguageStatusSeverity.Information, false);
    this.item.command = { command: "alembic.restartServer", title: l10n.t("Start") };
  }

  failed(reason: string): void {
    this.last = undefined;
    this.set(l10n.t("Alembic: not running"), reason, LanguageStatusSeverity.Error, false);
    this.item.command = { command: "alembic.restartServer", title: l10n.t("Restart Server") };
  }

  update(status: StatusParams): void {
    this.last = status;
    const counts = l10n.t("Alembic: {0} recipes, {1} rules", status.recipes, status.rules);
    switch (status.state) {
      case "loading":
        this.set(l10n.t("Alembic: reading recipes"), "", LanguageStatusSeverity.Information, true);
        break;
      case "ready":
        this.set(counts, "", LanguageStatusSeverity.Information, false);
        break;
      case "warning":
        this.set(
          counts,
          l10n.t("{0} recipes or settings files have problems", status.problemFiles),
          LanguageStatusSeverity.Warning,
          false,
        );
        break;
    }
  }

  dispose(): void {
    this.item.dispose();
  }

  private set(text: string, detail: string, severity: LanguageStatusSeverity, busy: boolean): void {
    this.item.text = text;
    this.item.detail = detail;
    this.item.severity = severity;
    this.item.busy = busy;
    this.item.command = { command: "alembic.showOutput", title: l10n.t("Show Output") };
  }
}
