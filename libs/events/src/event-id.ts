/**
 * The place of an event in its execution's log. Counters start at 1 and have no gap; `micros` (Redis time, microseconds
 * since the Unix epoch) rises strictly with them. When the log was lost and begun anew, counters start over and only
 * `micros` tells the two apart, so both are always compared.
 */
export interface EventId {
  readonly counter: number;
  readonly micros: number;
}

const NUMBERS = /^(\d{1,15})_(\d{1,16})$/;

export function formatEventId(executionId: string, { counter, micros }: EventId): string {
  return `${executionId}_${counter}_${micros}`;
}

/** `null` for what is no id of an event of this execution. */
export function parseEventId(executionId: string, text: string): EventId | null {
  const prefix = `${executionId}_`;
  const numbers = text.startsWith(prefix) ? NUMBERS.exec(text.slice(prefix.length)) : null;
  if (numbers === null) return null;
  const id = { counter: Number(numbers[1]), micros: Number(numbers[2]) };
  return formatEventId(executionId, id) === text && id.counter > 0 ? id : null;
}
