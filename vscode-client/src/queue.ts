/**
 * Runs one task at a time. A request that arrives while one runs waits for it;
 * further ones join the waiting one, because a restart that has not begun yet
 * already sees everything that they were asked for.
 */
export class CoalescingQueue {
  private running: Promise<void> | undefined;
  private waiting: Promise<void> | undefined;

  constructor(private readonly task: () => Promise<void>) {}

  /** Resolves when a run that began after this call has ended. */
  run(): Promise<void> {
    if (this.waiting !== undefined) {
      return this.waiting;
    }
    if (this.running === undefined) {
      return this.begin();
    }
    this.waiting = this.running
      .catch(() => undefined)
      .then(() => {
        this.waiting = undefined;
        return this.begin();
      });
    return this.waiting;
  }

  private begin(): Promise<void> {
    const run = this.task().finally(() => {
      this.running = undefined;
    });
    this.running = run;
    return run;
  }
}
