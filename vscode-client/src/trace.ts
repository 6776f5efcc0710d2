import {
  EventEmitter,
  LogLevel,
  window,
  workspace,
  type Disposable,
  type LogOutputChannel,
  type OutputChannel,
  type ViewColumn,
} from "vscode";

/**
 * The channel for protocol messages. It exists in the Output view only after
 * the first message was written, and its level follows `asd.trace.server`, so
 * that one setting is all that tracing needs.
 */
export class TraceChannel implements LogOutputChannel {
  readonly name = "Alembic Trace";
  private channel: OutputChannel | undefined;
  private readonly levelChanged = new EventEmitter<LogLevel>();
  private readonly subscription: Disposable;

  readonly onDidChangeLogLevel = this.levelChanged.event;

  constructor() {
    this.subscription = workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration("asd.trace.server")) {
        this.levelChanged.fire(this.logLevel);
      }
    });
  }

  get logLevel(): LogLevel {
    const setting = workspace.getConfiguration("asd").get<string>("trace.server", "off");
    return setting === "off" ? LogLevel.Off : LogLevel.Trace;
  }

  trace(message: string): void {
    this.write("trace", message);
  }

  debug(message: string): void {
    this.write("debug", message);
  }

  info(message: string): void {
    this.write("info", message);
  }

  warn(message: string): void {
    this.write("warn", message);
  }

  error(error: string | Error): void {
    this.write("error", typeof error === "string" ? error : error.message);
  }

  append(value: string): void {
    this.open().append(value);
  }

  appendLine(value: string): void {
    this.open().appendLine(value);
  }

  replace(value: string): void {
    this.open().replace(value);
  }

  clear(): void {
    this.channel?.clear();
  }

  show(columnOrFocus?: ViewColumn | boolean, preserveFocus?: boolean): void {
    const keepFocus = typeof columnOrFocus === "boolean" ? columnOrFocus : preserveFocus;
    this.open().show(keepFocus);
  }

  hide(): void {
    this.channel?.hide();
  }

  dispose(): void {
    this.subscription.dispose();
    this.levelChanged.dispose();
    this.channel?.dispose();
  }

  private write(level: string, message: string): void {
    this.open().appendLine(`${new Date().toISOString()} [${level}] ${message}`);
  }

  private open(): OutputChannel {
    this.channel ??= window.createOutputChannel(this.name);
    return this.channel;
  }
}
