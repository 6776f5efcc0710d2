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
    const counts = l10n.t("{0} recipes, {1} rules", status.recipes, status.rules);
    const detail = [status.message, status.problems > 0 ? l10n.t("{0} problems in recipes", status.problems) : ""]
      .filter((part) => part !== undefined && part !== null && part !== "")
      .join(" · ");
    switch (status.state) {
      case "starting":
        this.set(l10n.t("Alembic: starting"), detail, LanguageStatusSeverity.Information, true);
        break;
      case "indexing":
        this.set(l10n.t("Alembic: reading recipes"), detail, LanguageStatusSeverity.Information, true);
        break;
      case "ready":
        this.set(`Alembic: ${counts}`, detail, LanguageStatusSeverity.Information, false);
        break;
      case "warning":
        this.set(`Alembic: ${counts}`, detail, LanguageStatusSeverity.Warning, false);
        break;
      case "error":
        this.set(l10n.t("Alembic: error"), detail, LanguageStatusSeverity.Error, false);
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
