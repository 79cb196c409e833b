/** Why a run ends without saying anything more: somebody else decides, or has decided, what becomes of the execution. */
export type AbandonReason = 'cancelled' | 'lease lost' | 'shutdown' | 'superseded';

export class Abandoned extends Error {
  override readonly name = 'Abandoned';

  constructor(readonly reason: AbandonReason) {
    super(`The run was abandoned: ${reason}`);
  }
}

export class RunTimeout extends Error {
  override readonly name = 'RunTimeout';
}

/** The handle by which one run is paused, resumed, timed out or abandoned. */
export class RunControl {
  private readonly work = new AbortController();
  private readonly writes = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private startedAt = 0;
  private remainingMs: number;
  private gate: { readonly opened: Promise<void>; readonly open: () => void } | null = null;

  /** `timeoutMs`: how long the run may work; time spent paused does not count. */
  constructor(private readonly timeoutMs: number) {
    this.remainingMs = timeoutMs;
    this.arm();
  }

  /** Ends the work: on time-out and on abandonment. */
  get workSignal(): AbortSignal {
    return this.work.signal;
  }

  /** Ends the writes: on abandonment only, a run that timed out still reports it. */
  get writeSignal(): AbortSignal {
    return this.writes.signal;
  }

  get abandoned(): AbandonReason | null {
    const reason: unknown = this.writes.signal.reason;
    return reason instanceof Abandoned ? reason.reason : null;
  }

  abandon(reason: AbandonReason): void {
    const abandoned = new Abandoned(reason);
    this.writes.abort(abandoned);
    this.work.abort(abandoned);
    this.end();
  }

  /** Answers whether that changed anything; so does `resume`. */
  pause(): boolean {
    if (this.gate !== null || this.work.signal.aborted) return false;
    this.disarm();
    let open: () => void = () => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    this.gate = { opened, open };
    return true;
  }

  resume(): boolean {
    if (this.gate === null) return false;
    this.gate.open();
    this.gate = null;
    this.arm();
    return true;
  }

  /** Resolves at once unless the run is paused; then when it is resumed or ended. */
  async whilePaused(): Promise<void> {
    await this.gate?.opened;
  }

  /** Call when the run is over: lets go of its timer and of whoever waits. */
  end(): void {
    this.disarm();
    this.gate?.open();
    this.gate = null;
  }

  private arm(): void {
    if (this.work.signal.aborted) return;
    this.startedAt = performance.now();
    // Timers hold 31 bits of milliseconds.
    this.timer = setTimeout(() => this.timeOut(), Math.min(this.remainingMs, 2_147_483_647));
  }

  private disarm(): void {
    if (this.timer === null) return;
    clearTimeout(this.timer);
    this.timer = null;
    this.remainingMs = Math.max(0, this.remainingMs - (performance.now() - this.startedAt));
  }

  private timeOut(): void {
    this.timer = null;
    this.work.abort(new RunTimeout(`The execution did not finish within ${this.timeoutMs / 1000} seconds`));
  }
}
