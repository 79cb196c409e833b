/** Jobs below this duration do not count, however many there are. Half of the default time limit of a policy. */
const SLOW_JOB_MS = 50;
/**
 * Milliseconds of slow jobs that an organization may use at once, for example to compile large policies for the first
 * time.
 */
const ALLOWED_MS = 250;
/** Milliseconds of slow jobs that an organization may use per second on average. */
const ALLOWED_MS_PER_SECOND = 50;
/** Limits the time for which an organization counts as slow to a minute after its last slow job. */
const MAX_DEBT_MS = ALLOWED_MS + 60 * ALLOWED_MS_PER_SECOND;

interface Debt {
  readonly ms: number;
  /** Milliseconds of a monotonic clock. */
  readonly at: number;
}

/** Tracks which organizations used threads for many slow jobs recently. Stores only organizations with slow jobs. */
export class SlowOrganizations {
  private readonly debts = new Map<string, Debt>();

  /** `now` returns milliseconds of a monotonic clock. */
  constructor(private readonly now: () => number) {}

  /** Records that a job of the organization has used a thread. */
  note(organizationId: string, durationMs: number): void {
    if (durationMs < SLOW_JOB_MS) return;
    for (const id of this.debts.keys()) if (this.debtOf(id) === 0) this.debts.delete(id);
    const ms = Math.min(this.debtOf(organizationId) + durationMs, MAX_DEBT_MS);
    this.debts.set(organizationId, { ms, at: this.now() });
  }

  has(organizationId: string): boolean {
    return this.debtOf(organizationId) > ALLOWED_MS;
  }

  private debtOf(organizationId: string): number {
    const debt = this.debts.get(organizationId);
    if (debt === undefined) return 0;
    return Math.max(0, debt.ms - ((this.now() - debt.at) / 1000) * ALLOWED_MS_PER_SECOND);
  }
}
