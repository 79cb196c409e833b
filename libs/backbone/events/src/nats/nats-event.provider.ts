import { createCounter } from '@app/metrics';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { ExecutionRef, LoggedEvent } from '../log/event-types.js';
import { LogFollower } from '../feed/event-provider.js';
import type { StreamMessage } from './jet-stream-publisher.js';
import { NatsLink } from './nats-link.js';

/** Size reserved for the headers of a message. */
const HEADER_BYTES = 1024;

const tooLarge = createCounter(
  'platform_nats_events_too_large_total',
  'Events that were not sent to the NATS server because they exceed its maximum payload',
);

/**
 * Publishes every event to the JetStream stream `EVENTS`, in the order of the log of its execution: a server stores the
 * messages of a connection in the order in which it receives them. If the server rejects one event, later events of its
 * window may be stored before it is sent again. `Nats-Msg-Id` is the event id, so an event that is delivered again is
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

  /** Resolves when the server has stored all of the events. */
  override async deliver(execution: ExecutionRef, events: readonly LoggedEvent[]): Promise<void> {
    const publisher = await this.link.publisher();
    try {
      await publisher.publishAll(this.messagesOf(execution, events));
    } catch (error) {
      this.link.recheckStream();
      throw error;
    }
  }

  private *messagesOf(execution: ExecutionRef, events: readonly LoggedEvent[]): Generator<StreamMessage> {
    for (const event of events) {
      const payload = payloadOf(execution, event);
      if (payload.length + HEADER_BYTES > this.link.maxPayload) this.leaveOut(event, payload);
      else yield { id: event.id, subject: subjectOf(execution, event), payload };
    }
  }

  override async probe(): Promise<void> {
    await this.link.ping();
  }

  private leaveOut({ id }: LoggedEvent, payload: Uint8Array): void {
    tooLarge.inc();
    this.logger.warn({ event_id: id, bytes: payload.length }, 'event too large for the NATS server, not sent');
  }
}

function payloadOf({ organizationId, executionId }: ExecutionRef, { id, type, json }: LoggedEvent): Buffer {
  const fields = { id, organization_id: organizationId, execution_id: executionId, event_type: type };
  return Buffer.from(`${JSON.stringify(fields).slice(0, -1)},${json.slice(1)}`);
}

export function subjectOf({ organizationId, executionId }: ExecutionRef, { type }: Pick<LoggedEvent, 'type'>): string {
  return ['events', ...[organizationId, executionId, type].map(tokenOf)].join('.');
}

/** Percent-encodes the characters that separate the tokens of a subject or have a special meaning in a token. */
function tokenOf(text: string): string {
  return text.replace(/[^\w:-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  );
}
