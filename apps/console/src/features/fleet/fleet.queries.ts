import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../api/change';
import { keysetQuery } from '../../api/keyset';
import type { Session } from '../../session/session';
import { useSession } from '../../session/session-context';
import { gently } from '../../ui/presence';

type Schemas = ControlPlaneComponents['schemas'];
export type Queue = Schemas['WorkerQueueResponse'];
export type Worker = Schemas['WorkerResponse'];
export type Lease = Schemas['HeldLeaseResponse'];
export type Delivery = Schemas['WebhookDeliveryResponse'];

/** Work changes hands within seconds. */
const REFRESH_MS = 5000;
const AWAY_MS = 90_000;

export function queuesOfEnvironmentQuery({ controlPlane }: Session, environmentId: string) {
  return keysetQuery<Queue>(['/queues', 'of-environment', environmentId], (query, signal) => {
    const params = { path: { environment_id: environmentId }, query };
    return controlPlane.GET('/api/v1/environments/{environment_id}/worker-queues', { params, signal });
  });
}

export function workersOfQueueQuery({ controlPlane }: Session, queueId: string) {
  const list = keysetQuery<Worker>(['/workers', 'of-queue', queueId], (query, signal) => {
    const params = { path: { queue_id: queueId }, query };
    return controlPlane.GET('/api/v1/worker-queues/{queue_id}/workers', { params, signal });
  });
  return { ...list, refetchInterval: gently(REFRESH_MS, AWAY_MS) };
}

export function leasesQuery({ controlPlane }: Session, workerId: string) {
  const list = keysetQuery<Lease>(['/workers', 'leases', workerId], (query, signal) => {
    const params = { path: { worker_id: workerId }, query };
    return controlPlane.GET('/api/v1/workers/{worker_id}/leases', { params, signal });
  });
  return { ...list, refetchInterval: gently(REFRESH_MS, AWAY_MS) };
}

export function useQueueStatus(queueId: string): UseMutationResult<Queue, Error, 'active' | 'paused'> {
  const { controlPlane } = useSession();
  return useChange(['/queues'], (status) => {
    const params = { path: { queue_id: queueId } };
    return unwrap(controlPlane.PATCH('/api/v1/worker-queues/{queue_id}', { params, body: { status } }));
  });
}

export function deliveriesQuery({ controlPlane }: Session, webhookId: string) {
  return keysetQuery<Delivery>(['/webhooks', 'deliveries', webhookId], (query, signal) => {
    const params = { path: { webhook_id: webhookId }, query };
    return controlPlane.GET('/api/v1/webhooks/{webhook_id}/deliveries', { params, signal });
  });
}

export function useTestWebhook(webhookId: string): UseMutationResult<Delivery, Error, void> {
  const { controlPlane } = useSession();
  return useChange(['/webhooks'], () => {
    const params = { path: { webhook_id: webhookId } };
    return unwrap(controlPlane.POST('/api/v1/webhooks/{webhook_id}/test', { params }));
  });
}

/** Resolves to the new secret, which nobody can see again. */
export function useRotateWebhook(webhookId: string): UseMutationResult<string | null, Error, void> {
  const { controlPlane } = useSession();
  return useChange(['/webhooks'], async () => {
    const params = { path: { webhook_id: webhookId } };
    const rotated = await unwrap(controlPlane.POST('/api/v1/webhooks/{webhook_id}/rotate', { params, body: {} }));
    return rotated.secret;
  });
}

export function useReplayDelivery(): UseMutationResult<Delivery, Error, string> {
  const { controlPlane } = useSession();
  return useChange(['/webhooks'], (deliveryId) => {
    const params = { path: { delivery_id: deliveryId } };
    return unwrap(controlPlane.POST('/api/v1/webhooks/deliveries/{delivery_id}/replay', { params }));
  });
}
