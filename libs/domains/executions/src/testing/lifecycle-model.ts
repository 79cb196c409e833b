import fc from 'fast-check';
import { EXECUTION_STATUSES, FINAL_STATUSES, isFinal, type ExecutionStatus } from '../executions/execution-state.js';
import { JOB_RUN_STATUSES, type JobRunStatus } from '../executions/execution.types.js';

/** The number of attempts of the executions to which the steps are applied. */
export const MAX_ATTEMPTS = 2;

export type Writer = 'no holder' | 'holder' | 'former holder';
export type Step =
  | { readonly do: 'write'; readonly status: ExecutionStatus; readonly by: Writer }
  | { readonly do: 'report'; readonly status: JobRunStatus; readonly by: Writer }
  | { readonly do: 'wait'; readonly by: Writer }
  | { readonly do: 'lease' | 'send' | 'expire' | 'stop' | 'crash' | 'cancel' | 'pause' | 'resume' };

const writer = fc.constantFrom<Writer>('no holder', 'holder', 'holder', 'former holder');
/** Open states are more probable, so that runs make progress. */
const status = fc.oneof(
  fc.constantFrom<ExecutionStatus>('running', 'waiting_for_input', 'paused'),
  fc.constantFrom(...EXECUTION_STATUSES),
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('write' as const), status, by: writer }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      status: fc.constantFrom(...JOB_RUN_STATUSES),
      by: writer,
    }),
  },
  { weight: 4, arbitrary: fc.constant({ do: 'lease' as const }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), by: writer }) },
  { weight: 1, arbitrary: fc.constant({ do: 'send' as const }) },
  {
    weight: 3,
    arbitrary: fc.constantFrom<'expire' | 'stop' | 'crash'>('expire', 'stop', 'crash').map((kind) => ({ do: kind })),
  },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom<'cancel' | 'pause' | 'resume'>('cancel', 'pause', 'resume')
      .map((kind) => ({ do: kind })),
  },
);

const leasedAndRunning: readonly Step[] = [{ do: 'lease' }, { do: 'write', status: 'running', by: 'holder' }];

/** Most runs begin with typical steps, so that rare states are reached. */
export const steps = fc
  .tuple(
    fc.constantFrom<readonly Step[]>(
      [],
      leasedAndRunning,
      [...leasedAndRunning, { do: 'pause' }, { do: 'crash' }],
      [...leasedAndRunning, { do: 'wait', by: 'holder' }],
    ),
    fc.array(step, { minLength: 1, maxLength: 25 }),
  )
  .map(([first, rest]): readonly Step[] => [...first, ...rest]);

/** The steps that resume a suspended execution. */
export const resumption = fc.constantFrom<Step>(
  { do: 'resume' },
  { do: 'write', status: 'running', by: 'no holder' },
  { do: 'report', status: 'running', by: 'no holder' },
);

export type Outcome = 'done' | 'lease_lost' | 'execution_transition_refused' | 'execution_finished';

/** The causes of failures that are retried. */
export const repeated = fc.subarray<'failed' | 'lost'>(['failed', 'lost']);

const NEXT_STATUSES: Record<ExecutionStatus, readonly ExecutionStatus[]> = {
  pending: ['running', ...FINAL_STATUSES],
  running: ['waiting_for_input', 'paused', ...FINAL_STATUSES],
  waiting_for_input: ['running', ...FINAL_STATUSES],
  paused: ['running', ...FINAL_STATUSES],
  completed: [],
  failed: [],
  cancelled: [],
  terminated: [],
};

/** Returns whether `from` may change to `to`. A repeated status is not a change and is always allowed. */
function mayBecome(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return from === to || NEXT_STATUSES[from].includes(to);
}

/** Reference model of one execution. */
export class Model {
  status: ExecutionStatus = 'pending';
  attempt = 1;
  leased = false;
  leases = 0;
  /** Its lease was released while it was paused, or to wait for input. No queue delivers it until it is resumed. */
  suspended = false;
  /** A client without a lease set the execution to running before a worker leased it. No worker can lease it then. */
  ownedWithoutLease = false;
  /** Whether messages were sent to the run. No worker stores them in this test. */
  hasInput = false;
  current: string | null = null;
  former = 'never-issued';
  started = false;
  completed = false;

  constructor(private readonly retryOn: readonly string[]) {}

  tokenOf(by: Writer): string | null {
    return by === 'no holder' ? null : by === 'holder' ? (this.current ?? 'none') : this.former;
  }

  write(to: ExecutionStatus, by: Writer): Outcome {
    const token = this.tokenOf(by);
    if (token !== null && token !== this.current) return 'lease_lost';
    if (!mayBecome(this.status, to)) return 'execution_transition_refused';
    if (to === 'failed' && this.awaitsRetry(token)) return 'done';
    if (to === 'failed' && this.isRepeated()) this.repeat();
    else if (to === 'running' && this.suspended) this.requeue();
    else if (this.status !== to) this.become(to, token);
    return 'done';
  }

  report(to: JobRunStatus, by: Writer): Outcome {
    return this.write(to === 'pending' ? this.status : to, by);
  }

  wait(by: Writer): Outcome {
    const token = this.tokenOf(by);
    if (token !== null && token !== this.current) return 'lease_lost';
    if (!this.leased || !['running', 'waiting_for_input'].includes(this.status)) return 'execution_transition_refused';
    this.leased = false;
    this.dropToken();
    this.status = this.hasInput ? 'pending' : 'waiting_for_input';
    this.suspended = !this.hasInput;
    return 'done';
  }

  send(): Outcome {
    if (isFinal(this.status)) return 'execution_finished';
    this.hasInput = true;
    if (this.status === 'waiting_for_input' && this.suspended) this.requeue();
    return 'done';
  }

  resume(): Outcome {
    return this.status === 'pending' ? 'execution_transition_refused' : this.write('running', 'no holder');
  }

  lease(token: string): void {
    this.leases += 1;
    this.leased = true;
    this.dropToken();
    this.current = token;
  }

  release(cost: 0 | 1): void {
    if (!this.leased) return;
    this.leased = false;
    this.dropToken();
    if (cost === 1 && (this.attempt === MAX_ATTEMPTS || !this.retryOn.includes('lost'))) {
      this.become('failed', null);
      return;
    }
    this.attempt += cost;
    if (this.status === 'paused') this.suspended = true;
    else this.status = 'pending';
  }

  get canBeLeased(): boolean {
    return this.status === 'pending' && !this.leased;
  }

  /** Returns whether a report without a token repeats one about an attempt that is over. */
  private awaitsRetry(token: string | null): boolean {
    return token === null && this.canBeLeased && this.attempt > 1 && this.retryOn.includes('failed');
  }

  private isRepeated(): boolean {
    const isUnderWay = this.leased || ['running', 'waiting_for_input'].includes(this.status);
    return isUnderWay && this.attempt < MAX_ATTEMPTS && this.retryOn.includes('failed');
  }

  private repeat(): void {
    this.attempt += 1;
    this.status = 'pending';
    this.leased = this.suspended = this.ownedWithoutLease = false;
    this.dropToken();
  }

  private requeue(): void {
    this.status = 'pending';
    this.suspended = false;
  }

  private become(to: ExecutionStatus, token: string | null): void {
    if (this.canBeLeased && to === 'running') this.ownedWithoutLease = true;
    this.status = to;
    if (to === 'running') this.started = true;
    if (!isFinal(to)) return;
    this.completed = true;
    this.leased = this.suspended = this.ownedWithoutLease = false;
    if (token === null) this.dropToken();
  }

  private dropToken(): void {
    if (this.current !== null) this.former = this.current;
    this.current = null;
  }
}

/** Applies a step, other than one that changes the lease, to the model. */
export function expectedOutcome(model: Model, next: Step): Outcome {
  if (next.do === 'write') return model.write(next.status, next.by);
  if (next.do === 'report') return model.report(next.status, next.by);
  if (next.do === 'cancel') return model.write('cancelled', 'no holder');
  if (next.do === 'wait') return model.wait(next.by);
  if (next.do === 'send') return model.send();
  if (next.do === 'pause') return model.write('paused', 'no holder');
  return model.resume();
}
