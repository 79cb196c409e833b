/** Why a run stops without reporting a final state: another party decides the state of the execution. */
export type AbandonReason = 'cancelled' | 'lease lost' | 'shutdown' | 'superseded';

export class RunAbandoned extends Error {
  override readonly name = 'RunAbandoned';

  constructor(readonly reason: AbandonReason) {
    super(`The run was abandoned: ${reason}`);
  }
}

export class RunTimeout extends Error {
  override readonly name = 'RunTimeout';
}

/** The longest delay of setTimeout (31 bits); a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The command of a cancellation follows its first refused write within milliseconds, over the WebSocket. */
const CANCEL_COMMAND_MS = 1_000;

/** Pauses, resumes, times out and abandons one run. */
export class RunControl {
  private readonly work = new AbortController();
  private readonly writes = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private startedAt = 0;
  private remainingMs: number;
  private isCancelled = false;
  private onCancelled: (() => void) | null = null;
  private pauseGate: { readonly opened: Promise<void>; readonly open: () => void } | null = null;

  /** `timeoutMs`: maximum duration of the run, not counting the time that it is paused. */
  constructor(private timeoutMs: number) {
    this.remainingMs = timeoutMs;
    this.startTimer();
  }

  /** Aborted when the run times out or is abandoned. */
  get workSignal(): AbortSignal {
    return this.work.signal;
  }

  /** Aborted only when the run is abandoned: a run that timed out still reports its failure. */
  get writeSignal(): AbortSignal {
    return this.writes.signal;
  }

  get abandonReason(): AbandonReason | null {
    const reason: unknown = this.writes.signal.reason;
    return reason instanceof RunAbandoned ? reason.reason : null;
  }

  /** Aborts work and writes. The first reason is kept. */
  abandon(reason: AbandonReason): void {
    if (reason === 'cancelled') {
      this.isCancelled = true;
      this.onCancelled?.();
    }
    const abandoned = new RunAbandoned(reason);
    this.writes.abort(abandoned);
    this.work.abort(abandoned);
    this.dispose();
  }

  /**
   * Resolves to whether the run was cancelled. A cancellation ends the lease, and a write that is refused for this can be
   * earlier than the command: then waits for the command, at most `CANCEL_COMMAND_MS`.
   */
  async wasCancelled(): Promise<boolean> {
    if (this.abandonReason !== 'lease lost' || this.isCancelled) return this.isCancelled;
    await new Promise<void>((resolve) => {
      const earlier = this.onCancelled;
      const timer = setTimeout(resolve, CANCEL_COMMAND_MS);
      this.onCancelled = () => {
        clearTimeout(timer);
        earlier?.();
        resolve();
      };
    });
    return this.isCancelled;
  }

  /** Replaces the maximum duration, counted from the start of the run. */
  limit(timeoutMs: number): void {
    const isRunning = this.timer !== null;
    this.stopTimer();
    this.remainingMs = Math.max(0, this.remainingMs + timeoutMs - this.timeoutMs);
    this.timeoutMs = timeoutMs;
    if (isRunning) this.startTimer();
  }

  /** Returns whether the state changed: `false` if the run is already paused or over. */
  pause(): boolean {
    if (this.pauseGate !== null || this.work.signal.aborted) return false;
    this.stopTimer();
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    this.pauseGate = { opened, open };
    return true;
  }

  /** Returns whether the run was paused. */
  resume(): boolean {
    if (this.pauseGate === null) return false;
    this.pauseGate.open();
    this.pauseGate = null;
    this.startTimer();
    return true;
  }

  /** Resolves at once if the run is not paused, otherwise when it is resumed or over. */
  async waitWhilePaused(): Promise<void> {
    await this.pauseGate?.opened;
  }

  /** Stops the timer and resolves pending `waitWhilePaused` calls. To be called when the run is over. */
  dispose(): void {
    this.stopTimer();
    this.pauseGate?.open();
    this.pauseGate = null;
  }

  private startTimer(): void {
    if (this.work.signal.aborted) return;
    this.startedAt = performance.now();
    this.timer = setTimeout(() => this.onTimeout(), Math.min(this.remainingMs, MAX_TIMER_MS));
  }

  private stopTimer(): void {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.remainingMs = Math.max(0, this.remainingMs - (performance.now() - this.startedAt));
  }

  private onTimeout(): void {
    this.timer = null;
    this.work.abort(new RunTimeout(`The execution did not finish within ${this.timeoutMs / 1000} s`));
  }
}
