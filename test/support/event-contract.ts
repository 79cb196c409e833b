import type { AnyEvent } from '@app/api-client';
import { eventSchemas } from '@app/events';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

const validator = new Ajv2020({ strict: false, allErrors: true });
const checks = new Map<string, ValidateFunction>(
  Object.entries(eventSchemas()).map(([type, schema]) => [type, validator.compile(schema)]),
);

/** Returns how the data of an event deviates from the published schema of its type; none for an unknown type. */
export function eventFaults({ event, data }: AnyEvent): string[] {
  const check = checks.get(event);
  if (check === undefined || check(data)) return [];
  const faults = (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  return [`${event}: ${faults.join(', ')} in ${JSON.stringify(data)}`];
}

/**
 * Throws if an event of a run deviates from its published schema. Only the workers of the platform publish `run_started`:
 * an execution without it may have other publishers, which may send any data.
 */
export function checkEvents(events: readonly AnyEvent[]): void {
  if (!events.some(({ event }) => event === 'run_started')) return;
  const faults = events.flatMap(eventFaults);
  if (faults.length > 0) throw new Error(`Events deviate from their schemas:\n${faults.join('\n')}`);
}
