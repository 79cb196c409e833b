/**
 * Position of an event in the log of its execution. Counters start at 1 and have no gaps; `micros` (Redis time,
 * microseconds since the Unix epoch) increases strictly with them. If Redis loses the log, the counters start again and
 * only `micros` distinguishes the two logs. Both values are therefore always compared.
 */
export interface EventId {
  readonly counter: number;
  readonly micros: number;
}

const NUMBERS = /^(\d{1,15})_(\d{1,16})$/;

export function formatEventId(executionId: string, { counter, micros }: EventId): string {
  return `${executionId}_${counter}_${micros}`;
}

/** Returns `null` if the text is not an event id of this execution. */
export function parseEventId(executionId: string, text: string): EventId | null {
  const prefix = `${executionId}_`;
  const numbers = text.startsWith(prefix) ? NUMBERS.exec(text.slice(prefix.length)) : null;
  if (numbers === null) return null;
  const id = { counter: Number(numbers[1]), micros: Number(numbers[2]) };
  return formatEventId(executionId, id) === text && id.counter > 0 ? id : null;
}
