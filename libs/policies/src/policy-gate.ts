import { ExecutionGate, type Admission, type ExecutionAttempt } from '@app/executions';
import { DomainError, type JsonObject, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { PolicyDecisionService } from './policy-decision.service.js';
import type { PolicyDecision } from './policy-decision.types.js';
import { PolicyGateRepository } from './policy-gate.repository.js';
import { PolicyResolution } from './policy-resolution.js';
import type { AppliedPolicies, PolicySource } from './policy.types.js';

/** What of a denial is told in the execution; the decision has it all. */
const MAX_DENIAL_LENGTH = 2000;

/** Lets an execution start only if every policy that applies to it allows. */
@Injectable()
export class PolicyGate extends ExecutionGate {
  private readonly logger = createLogger('policies');

  constructor(
    private readonly gates: PolicyGateRepository,
    private readonly resolution: PolicyResolution,
    private readonly decisions: PolicyDecisionService,
  ) {
    super();
  }

  override async ask(scope: Scope, attempt: ExecutionAttempt): Promise<Admission | undefined> {
    const subject = subjectOf(attempt);
    if (subject === undefined || !(await this.gates.mayApply(scope, subject))) return undefined;
    const policies = await this.policiesFor(scope, subject, attempt);
    if (policies !== 'tooMany' && policies.length === 0) return undefined;
    const { userId: user_id, userEmail: user_email } = attempt.user;
    const decision = await this.decisions.decide(scope, policies, {
      ...{ kind: 'execution', ...subject, execution_id: attempt.executionId },
      ...{ user_id, user_email, key_id: null, input: inputOf(attempt, subject) },
    });
    return { denial: decision.allowed ? null : denialOf(decision), record: () => this.record(decision) };
  }

  private async record(decision: PolicyDecision): Promise<void> {
    await this.decisions.record(decision);
    const { id, execution_id, allowed, entity_type, entity_id } = decision;
    if (!allowed) {
      this.logger.info({ decision_id: id, execution_id, entity_type, entity_id }, 'policies denied an execution');
    }
  }

  /** Of an entity that is not known here, nothing can be associated; where it is to run, policies apply all the same. */
  private async policiesFor(
    scope: Scope,
    { entity_type, entity_id }: PolicySource,
    { place }: ExecutionAttempt,
  ): Promise<AppliedPolicies> {
    const runsIn = place === null ? [] : [place.environmentId];
    try {
      return await this.resolution.find(scope, entity_type, entity_id, runsIn);
    } catch (error) {
      if (!(error instanceof DomainError) || error.kind !== 'not_found' || entity_type === 'environment') throw error;
      return place === null ? [] : this.resolution.find(scope, 'environment', place.environmentId);
    }
  }
}

/** What runs, or, where that is nothing policies know, where it runs; undefined where that is the maker's affair, too. */
function subjectOf({ executionType, entityId, place }: ExecutionAttempt): PolicySource | undefined {
  if (entityId !== null && executionType !== 'workflow') return { entity_type: executionType, entity_id: entityId };
  return place === null ? undefined : { entity_type: 'environment', entity_id: place.environmentId };
}

/** Without the execution environment: it holds secrets, and inputs are kept. */
function inputOf(attempt: ExecutionAttempt, { entity_type, entity_id }: PolicySource): JsonObject {
  const { user, place } = attempt;
  return {
    action: 'execute',
    entity: { type: entity_type, id: entity_id, name: attempt.entityName },
    execution: {
      id: attempt.executionId,
      type: attempt.executionType,
      entity_id: attempt.entityId,
      prompt: attempt.prompt,
      system_prompt: attempt.systemPrompt ?? null,
      trigger_type: attempt.triggerType,
      trigger_metadata: attempt.triggerMetadata ?? {},
      job_id: attempt.jobId ?? null,
      parent_execution_id: attempt.parentExecutionId ?? null,
      worker_queue_id: place?.workerQueueId ?? null,
      environment_id: place?.environmentId ?? null,
      metadata: attempt.executionMetadata ?? {},
      config: attempt.config ?? {},
    },
    user: { id: user.userId, email: user.userEmail, name: user.userName },
  };
}

function denialOf({ policies, violations: all }: PolicyDecision): string {
  const denials = policies
    .filter(({ allowed }) => !allowed)
    .map(({ policy_name, version, violations }) => {
      const why = violations.length === 0 ? 'does not allow it' : violations.join('; ');
      return `Denied by policy "${policy_name}" (version ${version}): ${why}`;
    });
  // None of them was asked where there were too many.
  const denial = denials.length === 0 ? `Denied: ${all.join('; ')}` : denials.join('\n');
  return denial.length > MAX_DENIAL_LENGTH ? `${denial.slice(0, MAX_DENIAL_LENGTH)}…` : denial;
}
