import { isJsonObject } from '@app/kernel';
import { Webhook as Signer } from 'standardwebhooks';
import type { LoggedEvent } from '@app/events';
import type { Webhook } from '../webhook.types.js';

/** The data about the execution of an event that subscribers receive. */
export interface EventSource {
  readonly organization_id: string;
  readonly execution_id: string;
  readonly job_id: string | null;
  readonly entity_type: string | null;
  readonly entity_id: string | null;
}

/** Returns the request body of an event: `type`, `timestamp` and `data` of Standard Webhooks 1.0. */
export function bodyOf(event: LoggedEvent, source: EventSource): string {
  const { id, type, data, timestamp, logged_at } = event;
  return JSON.stringify({
    type,
    timestamp: logged_at.toISOString(),
    data: { event_id: id, ...source, timestamp, data: isJsonObject(data) ? data : {} },
  });
}

/** Returns the request body of a test. */
export function pingBody(webhook: Webhook, now: Date): string {
  const data = { webhook_id: webhook.id, organization_id: webhook.organization_id };
  return JSON.stringify({ type: 'ping', timestamp: now.toISOString(), data });
}

/**
 * Returns the headers of one attempt. The id is the same for all attempts. The signatures, one per secret, cover the
 * id, the time of the attempt and the body.
 */
export function headersOf(webhook: Webhook, deliveryId: string, body: string, now: Date): Record<string, string> {
  const { secret, previous_secret: previous, previous_secret_expires_at: until } = webhook;
  const secrets = previous !== null && until !== null && until > now ? [secret, previous] : [secret];
  return {
    'content-type': 'application/json',
    'user-agent': 'agent-platform-webhooks/1',
    'webhook-id': deliveryId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': secrets.map((each) => new Signer(each).sign(deliveryId, now, body)).join(' '),
  };
}

/** Returns whether a webhook follows an event. Does not check the source of the event: see `isSourceFollowed`. */
export function isFollowed(webhook: Webhook, event: Pick<LoggedEvent, 'type' | 'logged_at'>): boolean {
  const { events, active_since } = webhook;
  return (
    event.logged_at >= active_since && (events.length === 0 || events.includes('*') || events.includes(event.type))
  );
}

/** Returns whether a webhook follows the events of an execution. */
export function isSourceFollowed(webhook: Webhook, source: EventSource): boolean {
  const { job_ids: jobs, agent_ids: agents } = webhook;
  const agent = source.entity_type === 'agent' ? source.entity_id : null;
  return (
    (jobs.length === 0 || (source.job_id !== null && jobs.includes(source.job_id))) &&
    (agents.length === 0 || (agent !== null && agents.includes(agent)))
  );
}
