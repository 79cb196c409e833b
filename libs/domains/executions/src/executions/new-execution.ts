import { newId, type Scope } from '@app/kernel';
import { failureCause } from './failure-cause.js';
import { retryPolicyOf, timeoutMsOf } from './run-limits.js';
import type { CreateExecution, ExecutionUser, NewExecution, Participant, ParticipantRole } from './execution.types.js';

/** Returns the row of a new execution. */
export function newExecution(
  scope: Scope,
  request: CreateExecution,
  now: Date,
  initial: Pick<NewExecution, 'status' | 'error_message' | 'worker_queue_id' | 'traceparent' | 'trace_origin'>,
): NewExecution {
  const { user, config = {} } = request;
  const queued = initial.status === 'pending' && initial.worker_queue_id !== null;
  return {
    organization_id: scope.organizationId,
    id: request.executionId ?? newId(),
    execution_type: request.executionType,
    entity_id: request.entityId,
    entity_name: request.entityName,
    prompt: request.prompt,
    system_prompt: request.systemPrompt ?? null,
    response: null,
    runner_name: request.runnerName ?? null,
    user_id: user.userId,
    user_name: user.userName,
    user_email: user.userEmail,
    user_avatar: user.userAvatar,
    usage: {},
    execution_metadata: request.executionMetadata ?? {},
    participants: user.userId === null ? [] : [participant(user, 'owner', now)],
    created_at: now,
    started_at: null,
    completed_at: initial.status === 'pending' ? null : now,
    updated_at: now,
    last_message_at: null,
    last_message_preview: null,
    job_id: request.jobId ?? null,
    parent_execution_id: request.parentExecutionId ?? null,
    trigger_type: request.triggerType,
    trigger_metadata: request.triggerMetadata ?? {},
    config,
    start_input: request.startInput ?? null,
    execution_environment: request.executionEnvironment ?? {},
    may_override_environment: request.mayOverrideEnvironment ?? false,
    definition: request.definition ?? null,
    callable: request.callable ?? null,
    queued_at: queued ? now : null,
    attempt: 1,
    ...retryPolicyOf(config),
    timeout_ms: timeoutMsOf(config),
    session_id: null,
    session_turn: null,
    cause: initial.status === 'failed' ? failureCause(initial.error_message) : null,
    ...initial,
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
