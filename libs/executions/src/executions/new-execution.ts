import { isJsonObject, newId, type JsonObject, type Scope } from '@app/kernel';
import type { NewExecution } from './execution.repository.js';
import type { ExecutionOrigin, ExecutionUser, Participant, ParticipantRole } from './execution.types.js';

const DEFAULT_MAX_ATTEMPTS = 3;
const MOST_ATTEMPTS = 100;

/** The row of an execution that just came to be. */
export function newExecution(
  scope: Scope,
  origin: ExecutionOrigin,
  now: Date,
  rest: Pick<NewExecution, 'status' | 'error_message' | 'worker_queue_id' | 'traceparent'>,
): NewExecution {
  const { user, config = {} } = origin;
  const queued = rest.status === 'pending' && rest.worker_queue_id !== null;
  return {
    organization_id: scope.organizationId,
    id: origin.executionId ?? newId(),
    execution_type: origin.executionType,
    entity_id: origin.entityId,
    entity_name: origin.entityName,
    prompt: origin.prompt,
    system_prompt: origin.systemPrompt ?? null,
    response: null,
    runner_name: origin.runnerName ?? null,
    user_id: user.userId,
    user_name: user.userName,
    user_email: user.userEmail,
    user_avatar: user.userAvatar,
    usage: {},
    execution_metadata: origin.executionMetadata ?? {},
    participants: user.userId === null ? [] : [participant(user, 'owner', now)],
    created_at: now,
    started_at: null,
    completed_at: rest.status === 'pending' ? null : now,
    updated_at: now,
    last_message_at: null,
    last_message_preview: null,
    job_id: origin.jobId ?? null,
    parent_execution_id: origin.parentExecutionId ?? null,
    trigger_type: origin.triggerType,
    trigger_metadata: origin.triggerMetadata ?? {},
    config,
    execution_environment: origin.executionEnvironment ?? {},
    queued_at: queued ? now : null,
    attempt: 1,
    max_attempts: maxAttempts(config),
    ...rest,
  };
}

export function participant(user: ExecutionUser, role: ParticipantRole, now: Date): Participant {
  return {
    id: newId(),
    user_id: user.userId,
    user_name: user.userName,
    user_email: user.userEmail,
    user_avatar: user.userAvatar,
    role,
    joined_at: now.toISOString(),
    last_active_at: now.toISOString(),
  };
}

/** `config.retry_policy.max_attempts`, where it is a sensible number. */
function maxAttempts(config: JsonObject): number {
  const policy = config['retry_policy'];
  const wanted = isJsonObject(policy) ? policy['max_attempts'] : undefined;
  const sensible = typeof wanted === 'number' && Number.isInteger(wanted) && wanted >= 1;
  return sensible ? Math.min(wanted, MOST_ATTEMPTS) : DEFAULT_MAX_ATTEMPTS;
}
