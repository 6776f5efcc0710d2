// The life of the one language client: start, restart, stop.

import { commands, l10n, window, type ExtensionContext, type LogOutputChannel } from "vscode";
import {
  CloseAction,
  DidChangeConfigurationNotification,
  LanguageClient,
  RevealOutputChannelOn,
  State,
  type ErrorHandler,
  type Executable,
  type LanguageClientOptions,
} from "vscode-languageclient/node";

import { documentFilters } from "./languages.ts";
import { extraCapabilities, middleware } from "./middleware.ts";
import { statusNotification } from "./protocol.ts";
import { CoalescingQueue } from "./queue.ts";
import { findServer, ServerUnavailable, type Server } from "./server.ts";
import { logLevel, SECTION, serverSettings } from "./settings.ts";
import { forwardStderr } from "./stderr.ts";
import type { StatusItem } from "./status.ts";
import type { TraceChannel } from "./trace.ts";
import { formatVersion, isCompatible, parseVersion } from "./version.ts";

export class Session {
  private client: LanguageClient | undefined;
  private found: Server | undefined;
  private ended = false;
  /** Whether the server has run since it was last started by intention. */
  private reached = false;
  // The client reads this object each time it starts a process, so one client
  // serves every binary that the settings lead to.
  private readonly executable: Executable = { command: "", args: [] };
  private readonly queue = new CoalescingQueue(() => this.startAnew());

  constructor(
    private readonly context: ExtensionContext,
    private readonly output: LogOutputChannel,
    private readonly trace: TraceChannel,
    private readonly status: StatusItem,
  ) {}

  /** The client, when the server runs. */
  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  get server(): Server | undefined {
    return this.found;
  }

  /** Starts the server, or starts it anew. Never rejects; a failure is shown. */
  restart(): Promise<void> {
    return this.queue.run();
  }

  /** Tells the server the settings that hold now. */
  async sendSettings(): Promise<void> {
    await this.running?.sendNotification(DidChangeConfigurationNotification.type, {
      settings: { [SECTION]: serverSettings() },
    });
  }

  async stop(): Promise<void> {
    this.ended = true;
    await this.stopClient();
  }

  private async startAnew(): Promise<void> {
    await this.stopClient();
    if (this.ended) {
      return;
    }
    this.status.starting();
    this.reached = false;
    try {
      this.found = undefined;
      const server = await findServer(this.context);
      this.found = server;
      this.output.info(
        `Using ${server.binary.path} (${describeSource(server)}), version ${formatVersion(server.version)}`,
      );
      this.executable.command = server.command;
      this.executable.args = ["lsp", "--log", logLevel()];
      this.client ??= this.createClient();
      await this.client.start();
      this.compareVersions(this.client);
    } catch (error) {
      // Not awaited: the next restart must not wait for a click on a message.
      void this.reportFailure(error);
    }
  }

  private async stopClient(): Promise<void> {
    const client = this.client;
    if (client === undefined) {
      return;
    }
    try {
      if (client.state === State.Running) {
        await client.stop();
      } else if (client.state !== State.Stopped) {
        this.discard();
      }
    } catch (error) {
      // The library has given up on the process and ends it by force.
      this.output.warn(`The server did not stop in time: ${messageOf(error)}`);
      this.discard();
    }
  }

  /** A client whose start or stop failed cannot be started again. */
  private discard(): void {
    const client = this.client;
    this.client = undefined;
    client?.dispose().catch((error: unknown) => {
      this.output.debug(`Discarding a failed client: ${messageOf(error)}`);
    });
  }

  private createClient(): LanguageClient {
    const options: LanguageClientOptions = {
      documentSelector: documentFilters.map((filter) => ({ ...filter })) as NonNullable<
        LanguageClientOptions["documentSelector"]
      >,
      diagnosticCollectionName: "asd",
      outputChannel: this.output,
      traceOutputChannel: this.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: () => serverSettings(),
      // Recipes are content of the repository: their text must not be able to
      // run commands or bring HTML into a hover.
      markdown: { isTrusted: false, supportHtml: false },
      middleware: middleware(() => this.running),
      stdioOptions: {
        // stdout is the wire.
        stdout: () => undefined,
        stderr: (input) => {
          forwardStderr(
            input,
            () => this.running !== undefined,
            (level, text) => {
              this.output[level](text);
            },
          );
        },
      },
      // A server that ends while it starts is one failure and one message, which
      // `start` shows; the library would report each pipe that breaks as well.
      initializationFailedHandler: () => false,
      errorHandler: {
        error: async (error, message, count) => ({ ...(await errors.error(error, message, count)), handled: true }),
        closed: () => (this.reached ? errors.closed() : { action: CloseAction.DoNotRestart, handled: true }),
      },
    };
    const client = new LanguageClient(SECTION, "Alembic", this.executable, options);
    const errors: ErrorHandler = client.createDefaultErrorHandler();
    client.registerFeature(extraCapabilities);
    client.onNotification(statusNotification, (status) => {
      this.status.update(status);
    });
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) {
        this.reached = true;
      } else if (newState === State.Starting) {
        this.status.starting();
      } else if (newState === State.Stopped) {
        this.status.stopped();
      }
    });
    return client;
  }

  private compareVersions(client: LanguageClient): void {
    const own = parseVersion(extensionVersion(this.context));
    const reported = client.initializeResult?.serverInfo?.version;
    const server = reported === undefined ? undefined : parseVersion(reported);
    if (own !== undefined && server !== undefined && !isCompatible(server, own)) {
      this.output.warn(
        `The server has version ${formatVersion(server)} and the extension ${formatVersion(own)}; some features may not work.`,
      );
    }
  }

  private async reportFailure(error: unknown): Promise<void> {
    const message = messageOf(error);
    this.status.failed(message);
    this.output.error(message);
    if (!(error instanceof ServerUnavailable)) {
      // The client has shown its own message for a start that failed.
      this.discard();
      return;
    }
    const settings = l10n.t("Open Settings");
    const trust = l10n.t("Manage Workspace Trust");
    const show = l10n.t("Show Output");
    const choice = await window.showErrorMessage(message, error.remedy === "manage-trust" ? trust : settings, show);
    if (choice === settings) {
      await commands.executeCommand("workbench.action.openSettings", "asd.path");
    } else if (choice === trust) {
      await commands.executeCommand("workbench.trust.manage");
    } else if (choice === show) {
      this.output.show(true);
    }
  }
}

/** The version in the package's manifest. */
export function extensionVersion(context: ExtensionContext): string {
  const manifest = context.extension.packageJSON as { readonly version?: unknown };
  return typeof manifest.version === "string" ? manifest.version : "";
}

function describeSource(server: Server): string {
  switch (server.binary.source) {
    case "setting":
      return "setting asd.path";
    case "bundled":
      return "bundled";
    case "build":
      return "built in this checkout";
    case "path":
      return "found on PATH";
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
