import { createCounter } from '@app/metrics';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { ExecutionRef } from '../event-types.js';
import { LogFollower, type LoggedEvent } from '../feed/event-provider.js';
import { NatsLink } from './nats-link.js';

/** Room for the headers of a message. */
const HEADER_BYTES = 1024;

const tooLarge = createCounter(
  'platform_nats_events_too_large_total',
  'Events that exceed the maximum payload of the NATS server and were left out',
);

/**
 * Publishes every event to the JetStream stream `EVENTS`, in the order of the log of its execution: each event is sent
 * after the server has stored the previous one. `Nats-Msg-Id` is the event id, so an event that is delivered again is
 * stored once.
 */
@Injectable()
export class NatsEventProvider extends LogFollower {
  override readonly name = 'nats';
  override readonly enabled: boolean;
  override readonly followsAll = true;
  private readonly logger = createLogger('nats');

  constructor(private readonly link: NatsLink) {
    super();
    this.enabled = link.isConfigured;
  }

  override async deliver(execution: ExecutionRef, events: readonly LoggedEvent[]): Promise<void> {
    const client = await this.link.client();
    try {
      for (const event of events) {
        const payload = payloadOf(execution, event);
        if (payload.length + HEADER_BYTES > this.link.maxPayload) this.leaveOut(event, payload);
        else await client.publish(subjectOf(execution, event), payload, { msgID: event.id });
      }
    } catch (error) {
      this.link.recheckStream();
      throw error;
    }
  }

  override async probe(): Promise<void> {
    await this.link.ping();
  }

  private leaveOut({ id }: LoggedEvent, payload: Uint8Array): void {
    tooLarge.inc();
    this.logger.warn({ event_id: id, bytes: payload.length }, 'event too large for the NATS server, left out');
  }
}

function payloadOf({ organizationId, executionId }: ExecutionRef, { id, type, data, timestamp }: LoggedEvent): Buffer {
  const ids = { id, organization_id: organizationId, execution_id: executionId };
  return Buffer.from(JSON.stringify({ ...ids, event_type: type, data, timestamp }));
}

export function subjectOf({ organizationId, executionId }: ExecutionRef, { type }: Pick<LoggedEvent, 'type'>): string {
  return ['events', ...[organizationId, executionId, type].map(tokenOf)].join('.');
}

/** Percent-encodes what separates tokens of a subject or has a meaning in one. */
function tokenOf(text: string): string {
  return text.replace(/[^\w:-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  );
}
