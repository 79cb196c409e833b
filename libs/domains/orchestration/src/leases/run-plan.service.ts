import { WorkerService } from '@app/environments';
import {
  ExecutionPlanService,
  hasVariables,
  leaseLost,
  overriddenVariable,
  RunnableSources,
  type HeldExecution,
  type LeasedExecution,
  type PlanExecution,
  type Runnable,
} from '@app/executions';
import { conflict, DomainError, invalid, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { RunCandidatesService } from './run-candidates.service.js';
import { RunEnvironmentsService } from '../variables/run-environments.service.js';
import { RunPreparationService } from './run-preparation.service.js';
import type { RunDelivery, RunPlace } from '../run.types.js';

/** A choice of a worker for the execution that it holds. */
export interface RunPlan<Presented> {
  readonly executionId: string;
  readonly leaseToken: string | null;
  readonly request: PlanExecution;
  readonly present: RunDelivery<Presented>['present'];
}

/** Stores the plans of workers for executions without an entity, and returns the assembled runs. */
@Injectable()
export class RunPlanService {
  constructor(
    private readonly plans: ExecutionPlanService,
    private readonly candidates: RunCandidatesService,
    private readonly runnables: RunnableSources,
    private readonly workers: WorkerService,
    private readonly environments: RunEnvironmentsService,
    private readonly preparation: RunPreparationService,
  ) {}

  /**
   * Stores the plan and returns the presented run. Idempotent. Throws `plan_denied` if policies deny the plan,
   * `invalid` if it does not name a candidate, and `conflict` if another plan is stored, if the execution has ended, or
   * if the chosen runnable cannot run.
   */
  async plan<Presented>(scope: Scope, { request, present, ...lease }: RunPlan<Presented>): Promise<Presented> {
    const held = await this.plans.read(scope, lease.executionId, lease.leaseToken);
    if (held.execution.plan === null) this.plans.checkUnplanned(held);
    else this.plans.checkPlanned(held, request);
    const place = await this.placeOf(scope, held);
    const planned = held.execution.plan === null ? await this.choose(scope, held, request, place) : held;
    const leased = this.plans.checkPlanned(planned, request);
    const { presented } = await this.preparation.prepare(scope, [leased], place, { present });
    const [run] = presented;
    if (run === undefined) throw await this.notStartable(scope, leased);
    return run;
  }

  private async choose(
    scope: Scope,
    held: HeldExecution,
    request: PlanExecution,
    place: RunPlace,
  ): Promise<HeldExecution> {
    const { environmentId } = place;
    const ref = { kind: request.entity_type, id: request.entity_id };
    const isCandidate = await this.candidates.includes(scope, ref, place);
    const runnable = isCandidate ? await this.runnables.find(scope, ref) : undefined;
    if (runnable === undefined) throw noCandidate(request);
    const refusal = await this.refusalOf(scope, held, runnable, environmentId);
    const planned = await this.plans.plan(scope, held, { request, runnable, environmentId, refusal });
    if (planned.execution.plan?.denial === null) await this.runnables.recordRun(scope, runnable);
    return planned;
  }

  /**
   * Returns why the runnable must not receive the variables of the start; undefined if it may. A job with an entity
   * gets the same check.
   */
  private async refusalOf(
    scope: Scope,
    { execution }: HeldExecution,
    runnable: Runnable,
    environmentId: string,
  ): Promise<string | undefined> {
    const { may_override_environment: mayOverride, execution_environment: environment } = execution;
    if (mayOverride || !hasVariables(environment)) return undefined;
    const layers = await this.environments.layersOf(scope, runnable, environmentId);
    const reason = overriddenVariable(environment, layers);
    return reason === undefined ? undefined : `Only a key with agents:write may start this: ${reason}`;
  }

  /** Throws `worker_disconnected` if the worker has disconnected but the lease is not yet released. */
  private async placeOf(scope: Scope, { workerId }: HeldExecution): Promise<RunPlace> {
    if (workerId === null) throw leaseLost();
    const { environment_id: environmentId, runtimes } = await this.workers.readPolling(scope, workerId);
    return { environmentId, runtimes };
  }

  private async notStartable(scope: Scope, { execution, leaseToken }: LeasedExecution): Promise<DomainError> {
    const { error_message } = (await this.plans.read(scope, execution.id, leaseToken)).execution;
    return conflict('execution_not_startable', error_message ?? 'The run could not be assembled');
  }
}

function noCandidate({ entity_type, entity_id }: PlanExecution): DomainError {
  const msg = `There is no ${entity_type} ${entity_id} among the candidates`;
  return invalid([{ path: ['entity_id'], msg, type: 'value_error' }]);
}
