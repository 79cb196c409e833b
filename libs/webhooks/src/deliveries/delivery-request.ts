import { isJsonObject } from '@app/kernel';
import { Webhook as Signer } from 'standardwebhooks';
import type { LoggedEvent } from '@app/events';
import type { Webhook } from '../webhook.types.js';

/** What a subscriber learns about the execution of an event. */
export interface EventSource {
  readonly organization_id: string;
  readonly execution_id: string;
  readonly job_id: string | null;
  readonly entity_type: string | null;
  readonly entity_id: string | null;
}

/** The request body of an event: `type`, `timestamp` and `data` of Standard Webhooks 1.0. */
export function bodyOf(event: LoggedEvent, source: EventSource): string {
  const { id, type, data, timestamp, logged_at } = event;
  return JSON.stringify({
    type,
    timestamp: logged_at.toISOString(),
    data: { event_id: id, ...source, timestamp, data: isJsonObject(data) ? data : {} },
  });
}

/** The request body of a test. */
export function pingBody(webhook: Webhook, now: Date): string {
  const data = { webhook_id: webhook.id, organization_id: webhook.organization_id };
  return JSON.stringify({ type: 'ping', timestamp: now.toISOString(), data });
}

/**
 * The headers of one attempt. The id stays the same for all attempts; the signatures, one per secret, cover id, time of the
 * attempt and body.
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

/** Whether a webhook follows an event. */
export function isFollowed(webhook: Webhook, event: LoggedEvent, source: EventSource): boolean {
  const { events, job_ids: jobs, agent_ids: agents } = webhook;
  const agent = source.entity_type === 'agent' ? source.entity_id : null;
  return (
    event.logged_at >= webhook.active_since &&
    (events.length === 0 || events.includes('*') || events.includes(event.type)) &&
    (jobs.length === 0 || (source.job_id !== null && jobs.includes(source.job_id))) &&
    (agents.length === 0 || (agent !== null && agents.includes(agent)))
  );
}
