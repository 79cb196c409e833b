import { ExecutionGate, RunnableSources, type GateDecision, type ProposedExecution } from '@app/executions';
import { headOf, type JsonObject, type Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import { PolicyDecisionService } from '../decisions/policy-decision.service.js';
import type { PolicyDecision } from '../decisions/policy-decision.types.js';
import { PolicyGateRepository } from './policy-gate.repository.js';
import { PolicyReferences } from '../associations/policy-references.js';
import { PolicyResolution } from '../associations/policy-resolution.js';
import { asEnvironment, asSource } from '../associations/policy-subjects.js';
import type { PolicySource } from '../policies/policy.types.js';

/** Maximum number of characters of the reason in `error_message`. The decision has the complete text. */
const MAX_DENIAL_LENGTH = 2000;

/** Allows an execution to start only if every policy that applies to it allows. */
@Injectable()
export class PolicyGate extends ExecutionGate {
  private readonly logger = createLogger('policies');

  constructor(
    private readonly gates: PolicyGateRepository,
    private readonly runnables: RunnableSources,
    private readonly resolution: PolicyResolution,
    private readonly references: PolicyReferences,
    private readonly decisions: PolicyDecisionService,
  ) {
    super();
  }

  override async decide(scope: Scope, execution: ProposedExecution): Promise<GateDecision | undefined> {
    const subject = subjectOf(execution);
    if (subject === undefined) return undefined;
    if (!(await this.gates.any(scope)) || !(await this.mayApply(scope, subject, execution))) return undefined;
    const { executionType, entityId, assignment, definition = null, callable } = execution;
    const environmentId = assignment?.environmentId ?? null;
    const run = { executionType, entityId, environmentId, definition, callable };
    const policies = await this.resolution.findForRun(scope, run);
    if (policies !== 'tooMany' && policies.length === 0) return undefined;
    const { userId: user_id, userEmail: user_email } = execution.user;
    const decision = await this.decisions.decide(scope, policies, {
      kind: 'execution',
      ...subject,
      execution_id: execution.executionId,
      user_id,
      user_email,
      key_id: null,
      input: inputOf(execution, subject),
    });
    const { allowed, violations } = decision;
    return {
      verdict: { allowed, violations, policiesEvaluated: decision.policies.length },
      denial: allowed ? null : denialOf(decision),
      record: () => this.record(decision),
    };
  }

  /** Returns false only if no policy of the organization can apply. */
  private async mayApply(
    scope: Scope,
    subject: PolicySource,
    { executionType: kind, entityId: id }: ProposedExecution,
  ): Promise<boolean> {
    const kinds = [...this.runnables.kindsWithMembers(), ...this.runnables.memberKindsOf(kind)];
    const found = await Promise.all([
      this.gates.mayApply(scope, subject, ['environment', ...kinds]),
      this.references.mayApply(scope, id === null ? undefined : { kind, id }, kinds),
    ]);
    return found.includes(true);
  }

  private async record(decision: PolicyDecision): Promise<void> {
    await this.decisions.record(decision);
    const { id, execution_id, allowed, entity_type, entity_id } = decision;
    if (!allowed) {
      this.logger.info({ decision_id: id, execution_id, entity_type, entity_id }, 'execution denied by policies');
    }
  }
}

/**
 * Returns the entity for which the decision is recorded: the runnable or, if policies cannot be associated with its
 * kind, the environment of the assignment. Undefined if there is neither, because the creator runs the execution
 * itself.
 */
function subjectOf({ executionType, entityId, assignment }: ProposedExecution): PolicySource | undefined {
  const own = entityId === null ? undefined : asSource(executionType, entityId);
  return own ?? (assignment === null ? undefined : asEnvironment(assignment.environmentId));
}

/** Omits the execution environment, which contains secrets, because inputs are stored. */
function inputOf(execution: ProposedExecution, { entity_type, entity_id }: PolicySource): JsonObject {
  const { user, assignment } = execution;
  return {
    action: 'execute',
    entity: { type: entity_type, id: entity_id, name: execution.entityName },
    execution: {
      id: execution.executionId,
      type: execution.executionType,
      entity_id: execution.entityId,
      prompt: execution.prompt,
      system_prompt: execution.systemPrompt ?? null,
      trigger_type: execution.triggerType,
      trigger_metadata: execution.triggerMetadata ?? {},
      job_id: execution.jobId ?? null,
      parent_execution_id: execution.parentExecutionId ?? null,
      worker_queue_id: assignment?.workerQueueId ?? null,
      environment_id: assignment?.environmentId ?? null,
      metadata: execution.executionMetadata ?? {},
      config: execution.config ?? {},
    },
    user: { id: user.userId, email: user.userEmail, name: user.userName },
  };
}

function denialOf({ policies, violations: all }: PolicyDecision): string {
  const denials = policies
    .filter(({ allowed }) => !allowed)
    .map(({ policy_name, version, violations }) => {
      const reason = violations.length === 0 ? 'does not allow it' : violations.join('; ');
      return `Denied by policy "${policy_name}" (version ${version}): ${reason}`;
    });
  // If no policy denies, none was evaluated, because too many apply.
  const denial = denials.length === 0 ? `Denied: ${all.join('; ')}` : denials.join('\n');
  return denial.length > MAX_DENIAL_LENGTH ? `${headOf(denial, MAX_DENIAL_LENGTH)}…` : denial;
}
