import { ApiError, unwrap, type ControlPlaneClient } from '@app/api-client';

/**
 * Returns why a pending execution does not start. Returns null if nothing is known to prevent it: live workers serve its
 * queue and nothing of its session is before it, its caller runs it without a queue, or the key may not read queues.
 */
export async function waitingReason(controlPlane: ControlPlaneClient, executionId: string): Promise<string | null> {
  try {
    const query = { id: executionId };
    const { items } = await unwrap(controlPlane.GET('/api/v1/execution-summaries', { params: { query } }));
    const queue_id = items[0]?.worker_queue_id;
    if (queue_id == null) return null;
    const params = { path: { queue_id } };
    const { name, status, active_workers } = await unwrap(
      controlPlane.GET('/api/v1/worker-queues/{queue_id}', { params }),
    );
    if (status !== 'active') return `It waits, because the queue ${name} is ${status}: agentctl worker-queues edit`;
    if (active_workers === 0) return `It waits, because no live worker serves the queue ${name}: agentctl workers list`;
    return await turnReason(controlPlane, executionId);
  } catch (error) {
    // The reason is an addition: what the command is for goes on without it.
    if (error instanceof ApiError) return null;
    throw error;
  }
}

async function turnReason(controlPlane: ControlPlaneClient, execution_id: string): Promise<string | null> {
  const params = { path: { execution_id } };
  const timeline = await unwrap(controlPlane.GET('/api/v1/executions/{execution_id}/timeline', { params }));
  const { waits_for_execution_id: before } = timeline;
  return before === null ? null : waitsInSession(before);
}

export function waitsInSession(before: string): string {
  return `It waits, because the execution ${before} of its session has not ended: agentctl executions get ${before}`;
}
