import { Clock, invalid, newId, type Fault, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { isFinal, type ExecutionStatus } from '../executions/execution-state.js';
import { executionNotFound } from '../executions/execution.errors.js';
import { ExecutionFence } from '../leases/execution-fence.js';
import type { DefinedStep, FixedDefinition } from '../runnables/run-definition.js';
import { TaskRecordRepository, type TaskWrite } from '../task-records/task-record.repository.js';
import { ExecutionStepRepository, type ReportedStep } from './execution-step.repository.js';
import { MAX_STEPS_BYTES, type ExecutionStep, type SaveStep } from './execution-step.types.js';

/** The steps of executions that follow a definition, as their workers report them. */
@Injectable()
export class ExecutionStepService {
  constructor(
    private readonly steps: ExecutionStepRepository,
    private readonly tasks: TaskRecordRepository,
    private readonly fence: ExecutionFence,
    private readonly clock: Clock,
  ) {}

  /** Returns the steps in the order of the definition; none for an execution without one. */
  async list(scope: Scope, executionId: string): Promise<ExecutionStep[]> {
    const execution = await this.steps.findDefined(scope, executionId);
    if (execution === undefined) throw executionNotFound();
    if (execution.definition === null) return [];
    const { definition, status } = execution;
    const reported = await this.steps.find(scope, executionId);
    return definition.steps.map((step) => stepOf(step, reported.get(step.name), status));
  }

  /** Returns the steps that were reported, for the next attempt of the execution. */
  async listReported(scope: Scope, executionId: string, { steps }: FixedDefinition): Promise<ExecutionStep[]> {
    const reported = await this.steps.find(scope, executionId);
    return steps.flatMap((step) => {
      const own = reported.get(step.name);
      return own === undefined ? [] : [{ ...own, type: step.type }];
    });
  }

  /**
   * Saves reports of steps, and the task records of steps that have ended, in one transaction. Throws `invalid` for
   * names that the definition does not contain, and if all steps of the execution would exceed `MAX_STEPS_BYTES`.
   */
  async save(
    scope: Scope,
    executionId: string,
    reports: readonly SaveStep[],
    leaseToken: string | null,
  ): Promise<ExecutionStep[]> {
    return this.fence.write(scope, executionId, leaseToken, async () => {
      const execution = await this.steps.findDefined(scope, executionId);
      if (execution === undefined) throw executionNotFound();
      const defined = new Map(execution.definition?.steps.map((step) => [step.name, step]));
      const faults = reportFaults(reports, defined);
      if (faults.length > 0) throw invalid(faults);
      const rows = reports.map((report) => ({ ...report, duration_ms: durationOf(report) }));
      await this.steps.save(scope, executionId, rows);
      if ((await this.steps.bytesOf(scope, executionId)) > MAX_STEPS_BYTES) throw invalid([TOO_LARGE]);
      const steps = rows.map((row): ExecutionStep => ({ ...row, type: defined.get(row.name)?.type ?? '' }));
      const ended = steps.filter(({ completed_at }) => completed_at !== null);
      await this.tasks.save(scope, executionId, ended.map(taskOf), this.clock.now());
      return steps;
    });
  }
}

const TOO_LARGE: Fault = {
  path: ['steps'],
  msg: `All steps of an execution should have at most ${MAX_STEPS_BYTES / 1_048_576} MiB together`,
  type: 'too_long',
};

function reportFaults(reports: readonly SaveStep[], defined: ReadonlyMap<string, DefinedStep>): Fault[] {
  const seen = new Set<string>();
  return reports.flatMap(({ name }, index): Fault[] => {
    const isDoubled = seen.has(name);
    seen.add(name);
    if (defined.has(name) && !isDoubled) return [];
    const msg = isDoubled ? `The step ${name} occurs twice` : `The execution has no step ${name}`;
    return [{ path: ['steps', String(index), 'name'], msg, type: 'value_error' }];
  });
}

/** Composes a step. If the execution has ended, a step that has not ended counts as stopped. */
function stepOf(
  { name, type }: DefinedStep,
  reported: ReportedStep | undefined,
  status: ExecutionStatus,
): ExecutionStep {
  const step: ExecutionStep = { ...(reported ?? { ...UNREPORTED, name }), type };
  const isOpen = step.status === 'pending' || step.status === 'running';
  return isFinal(status) && isOpen ? { ...step, status: 'cancelled' } : step;
}

const UNREPORTED = {
  status: 'pending',
  attempt: 0,
  output: null,
  error_message: null,
  started_at: null,
  completed_at: null,
  duration_ms: null,
  usage: {},
} as const;

function durationOf({ started_at: from, completed_at: to }: SaveStep): number | null {
  return from === null || to === null ? null : Math.max(0, to.getTime() - from.getTime());
}

/** Returns the task record of an attempt of a step. */
function taskOf(step: ExecutionStep): TaskWrite {
  const { name, type, attempt, status, output, error_message, started_at, completed_at, duration_ms, usage } = step;
  return {
    id: newId(),
    task_id: `step:${name}:${attempt}`,
    task_description: attempt > 1 ? `Step ${name}, attempt ${attempt}` : `Step ${name}`,
    task_type: `workflow_${type}`,
    status,
    started_at,
    completed_at,
    duration_ms,
    result: output,
    error_message,
    metadata: { step: name, attempt, ...usage },
  };
}
