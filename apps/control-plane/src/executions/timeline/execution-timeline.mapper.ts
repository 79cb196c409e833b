import type { Timeline } from '@app/executions';
import { toWireTime } from '@app/kernel';
import type { TimelineResponse } from './dto/execution-timeline.dto.js';

/** Fields of a timeline response that belong to other domains. */
export interface TimelineView {
  readonly queueName: string | null;
  readonly policyDecisionId: string | null;
}

export function toTimelineResponse(timeline: Timeline, view: TimelineView): TimelineResponse {
  return {
    execution_id: timeline.id,
    status: timeline.status,
    job_id: timeline.job_id,
    worker_queue_id: timeline.worker_queue_id,
    queue_name: view.queueName,
    parent_execution_id: timeline.parent_execution_id,
    waits_for_execution_id: timeline.waits_for_execution_id,
    children: timeline.children,
    trace_id: timeline.trace_id,
    policy_decision_id: view.policyDecisionId,
    attempts: timeline.attempts.map((attempt) => ({
      attempt: attempt.attempt,
      queued_at: toWireTime(attempt.queued_at),
      leased_at: toWireTime(attempt.leased_at),
      started_at: toWireTime(attempt.started_at),
      ended_at: toWireTime(attempt.ended_at),
      worker_id: attempt.worker_id,
      worker_hostname: attempt.worker_name,
      outcome: attempt.outcome,
      error_message: attempt.error_message,
    })),
    transitions: timeline.transitions.map(({ at, from, to, attempt, actor, reason }) => ({
      at: toWireTime(at),
      from,
      to,
      attempt,
      actor: { kind: actor.kind, id: actor.id, name: actor.name },
      reason,
    })),
  };
}
