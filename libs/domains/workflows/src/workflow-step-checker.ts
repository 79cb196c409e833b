import { RunnableSources } from '@app/executions';
import { invalid, type Fault, type Scope } from '@app/kernel';
import { runnableOf, stepFaults } from '@app/workflow-grammar';
import { Injectable } from '@nestjs/common';
import type { UpdateWorkflow } from './workflow.types.js';

/** Checks the steps of workflows, and that the agents and teams that they name exist. */
@Injectable()
export class WorkflowStepChecker {
  constructor(private readonly runnables: RunnableSources) {}

  /** Throws `invalid` for faults of the steps. */
  async check(scope: Scope, { steps }: UpdateWorkflow): Promise<void> {
    if (steps === undefined) return;
    const faults = [...stepFaults(steps), ...(await this.targetFaults(scope, steps))];
    if (faults.length > 0) throw invalid(faults);
  }

  /** Returns the faults of steps whose agent or team does not exist or has an ambiguous name. */
  private async targetFaults(scope: Scope, steps: NonNullable<UpdateWorkflow['steps']>): Promise<Fault[]> {
    const targets = steps.flatMap((step, index) => {
      const runnable = runnableOf(step);
      return runnable === undefined ? [] : [{ ...runnable, path: ['steps', String(index), runnable.field] }];
    });
    const ids = await this.runnables.idsNamed(scope, targets);
    return targets.flatMap(({ kind, idOrName, path }) => {
      const count = ids.get(kind)?.get(idOrName)?.length ?? 0;
      if (count === 1) return [];
      const msg =
        count === 0 ? `There is no ${kind} ${idOrName}` : `Several ${kind}s are called ${idOrName}: give the id`;
      return [{ path, msg, type: 'value_error' as const }];
    });
  }
}
