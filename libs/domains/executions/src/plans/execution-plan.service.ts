import { Outbox } from '@app/dispatch';
import { Clock, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import {
  executionHasEntity,
  executionPlannedOtherwise,
  leaseLost,
  leaseTokenMissing,
  planDenied,
  planTooLate,
} from '../executions/execution.errors.js';
import { executionPlanned } from '../executions/execution.events.js';
import { foreignChangeIn } from '../runnables/runnable-changes.js';
import { ExecutionGate, type GateDecision, type ProposedExecution } from '../executions/execution-gate.js';
import { isFinal } from '../executions/execution-state.js';
import { ExecutionTransitions } from '../executions/execution-transitions.js';
import { ExecutionFence } from '../leases/execution-fence.js';
import type { LeasedExecution } from '../leases/lease.types.js';
import { ExecutionPlanRepository } from './execution-plan.repository.js';
import type { ExecutionPlan, PlanExecution } from '../executions/execution-plan.js';
import type { CheckedPlan, HeldExecution } from './execution-plan.types.js';

/**
 * Stores the plans of executions without an entity: which agent or team their worker chose. A plan is stored once, with
 * the decision of the policies, and never replaced, so a later attempt runs the same agent or team.
 */
@Injectable()
export class ExecutionPlanService {
  constructor(
    private readonly plans: ExecutionPlanRepository,
    private readonly fence: ExecutionFence,
    private readonly gate: ExecutionGate,
    private readonly transitions: ExecutionTransitions,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Throws `not_found` for an unknown execution, `invalid` without a token, `lease_lost` for a stale one. */
  async read(scope: Scope, id: string, leaseToken: string | null): Promise<HeldExecution> {
    const held = leaseToken === null ? undefined : await this.plans.findHeld(scope, id, leaseToken);
    if (held !== undefined) return held;
    await this.fence.checkExists(scope, id);
    throw leaseToken === null ? leaseTokenMissing() : leaseLost();
  }

  /** Throws `conflict` if the execution has ended, or if its entity was defined at its start. */
  checkUnplanned({ execution: { status, plan, entity_id } }: HeldExecution): void {
    if (isFinal(status)) throw planTooLate(status);
    if (plan === null && entity_id !== null) throw executionHasEntity();
  }

  /**
   * Returns the lease of an execution whose stored plan equals the request. Throws `plan_denied` if policies denied the
   * plan, and `conflict` if another plan is stored or the execution has ended.
   */
  checkPlanned(held: HeldExecution, request: PlanExecution): LeasedExecution {
    const { execution, expiresAt, workerId: _worker, ...lease } = held;
    const { plan, status } = execution;
    if (plan !== null && !isSame(plan, request)) throw executionPlannedOtherwise(plan);
    if (plan !== null && plan.denial !== null) throw planDenied(plan.denial);
    if (isFinal(status)) throw planTooLate(status);
    if (plan === null || expiresAt === null) throw leaseLost();
    return { ...lease, execution, expiresAt };
  }

  /**
   * Calls the policy gate and stores the plan with its decision. If the plan is denied, the execution fails in the same
   * transaction. If another plan was stored meanwhile, returns the execution with that plan.
   */
  async plan(scope: Scope, held: HeldExecution, checked: CheckedPlan): Promise<HeldExecution> {
    const { execution, leaseToken } = held;
    const { runnable, request, refusal } = checked;
    // The gate decides before the transaction, because an evaluation takes CPU time.
    const decision = refusal === undefined ? await this.gate.decide(scope, proposalOf(held, checked)) : undefined;
    const denial = refusal ?? decision?.denial ?? null;
    const plan = { ...request, entity_name: runnable.name, denial };
    return this.fence.write(scope, execution.id, leaseToken, async () => {
      const current = await this.read(scope, execution.id, leaseToken);
      this.checkUnplanned(current);
      if (current.execution.plan === null) await this.store(scope, current, { plan, runnable, decision });
      return this.read(scope, execution.id, leaseToken);
    });
  }

  private async store(scope: Scope, held: HeldExecution, planned: Planned): Promise<void> {
    const { execution, leaseToken } = held;
    const { plan, runnable, decision } = planned;
    await decision?.record();
    const { denial: _denial, ...shown } = plan;
    const changeFacts = execution.job_id === null ? {} : foreignChangeIn(runnable, { userId: execution.user_id });
    const stored = await this.plans.store(
      scope,
      { id: execution.id, leaseToken },
      {
        plan,
        callable: runnable.callable ?? null,
        metadata: { ...execution.execution_metadata, ...changeFacts, plan: shown },
        now: this.clock.now(),
      },
    );
    if (!stored) throw leaseLost();
    const ref = { organizationId: scope.organizationId, executionId: execution.id };
    if (plan.denial === null) await this.outbox.add(executionPlanned, ref);
    else await this.fail(scope, execution.id, plan.denial, leaseToken);
  }

  /** Marks the execution as failed. No attempt follows, because policies would deny it as well. */
  private async fail(scope: Scope, id: string, reason: string, leaseToken: string): Promise<void> {
    const failure = { status: 'failed', error_message: reason } as const;
    await this.transitions.apply(scope, id, failure, leaseToken, { withoutRetry: true });
  }
}

interface Planned {
  readonly plan: ExecutionPlan;
  readonly runnable: CheckedPlan['runnable'];
  readonly decision: GateDecision | undefined;
}

function isSame(plan: ExecutionPlan, request: PlanExecution): boolean {
  return (['entity_type', 'entity_id', 'prompt', 'reason'] as const).every((field) => plan[field] === request[field]);
}

/** Returns the same proposal as a start with the chosen entity. */
function proposalOf(
  { execution }: HeldExecution,
  { request, runnable, environmentId }: CheckedPlan,
): ProposedExecution {
  const { worker_queue_id: workerQueueId, user_id, user_name, user_email, user_avatar } = execution;
  return {
    executionId: execution.id,
    executionType: runnable.kind,
    entityId: runnable.id,
    entityName: runnable.name,
    prompt: request.prompt ?? execution.prompt,
    systemPrompt: execution.system_prompt,
    user: { userId: user_id, userName: user_name, userEmail: user_email, userAvatar: user_avatar },
    jobId: execution.job_id,
    triggerType: execution.trigger_type ?? 'api',
    triggerMetadata: execution.trigger_metadata,
    executionMetadata: execution.execution_metadata,
    parentExecutionId: execution.parent_execution_id,
    config: execution.config,
    definition: null,
    callable: runnable.callable,
    assignment: workerQueueId === null ? null : { workerQueueId, environmentId },
  };
}
