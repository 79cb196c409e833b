import type { JsonObject } from '@app/kernel';
import type { ControlPlanePort, ExecutionEvent } from '../control-plane/control-plane.port.js';
import type { Lease } from '../control-plane/lease.js';

const STARTED: ReadonlySet<string> = new Set(['tool_started', 'member_tool_started']);
const COMPLETED: ReadonlySet<string> = new Set(['tool_completed', 'member_tool_completed']);

/**
 * Publishes the events of a run, and saves each tool call after the event of its end: events are kept for an hour, tool
 * calls as long as the execution. The saved values come from the events, in which secrets are redacted.
 */
export class ToolCalls {
  /** Start times by id of the call. */
  private readonly started = new Map<string, string>();

  constructor(private readonly controlPlane: ControlPlanePort) {}

  /** Takes the lease with each event, because a plan replaces the lease of a run. */
  async publish(lease: Lease, event: ExecutionEvent, signal: AbortSignal): Promise<void> {
    await this.controlPlane.publishEvent(lease, event, signal);
    const { event_type: type, data, timestamp } = event;
    const id = idOf(lease, data);
    if (id === undefined) return;
    if (STARTED.has(type)) this.started.set(id, timestamp);
    if (COMPLETED.has(type)) await this.controlPlane.saveToolCall(lease, this.recordOf(lease, id, event), signal);
  }

  private recordOf({ attempt }: Lease, id: string, { data, timestamp }: ExecutionEvent): JsonObject {
    const { tool_execution_id, tool_name, message_id, member_name, status } = data;
    const started_at = this.started.get(id) ?? null;
    this.started.delete(id);
    return {
      id,
      tool_execution_id,
      tool_name,
      message_id,
      member_name: member_name ?? null,
      status,
      arguments: data['tool_arguments'],
      output: data['tool_output'],
      error: data['tool_error'],
      attempt,
      started_at,
      completed_at: timestamp,
    };
  }
}

/** Returns an id of a tool call that is unique in a run: models repeat the ids of calls in other messages. */
export function toolExecutionId(messageId: string, callId: string): string {
  return `${messageId}.${callId}`;
}

/** The answer to a question belongs to the call of an earlier attempt, so the id of the call alone is not unique. */
function idOf({ attempt }: Lease, { tool_execution_id: call }: JsonObject): string | undefined {
  return typeof call === 'string' ? `${attempt}.${call}` : undefined;
}
