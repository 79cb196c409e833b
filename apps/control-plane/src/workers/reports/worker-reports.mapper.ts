import { createHash } from 'node:crypto';
import type { NewEvent } from '@app/events';
import { toNewEvent } from '../../executions/events/execution-event.mapper.js';
import type { ReportedEventRequest } from './dto/worker-reports.request.dto.js';

/**
 * The digest is that of the same event sent alone, as JSON without spaces and with its fields in this order: a worker can
 * repeat an event either way.
 */
export function toReportedEvent({ idempotency_key: key, ...event }: ReportedEventRequest): NewEvent {
  const { event_type, data, timestamp } = event;
  const digest = createHash('sha256').update(JSON.stringify({ event_type, data, timestamp })).digest('base64');
  return toNewEvent(event, { key, digest });
}
