import type { EventId } from './event-id.js';

/**
 * Position of a reader in the log of an execution: after an event, before the first event, or before the oldest event
 * that is still kept.
 */
export type LogPosition = EventId | 'first' | 'oldest';

/**
 * Compares a live event with the position of a reader: `next` is its direct successor, `seen` was already read (live
 * events overlap with pages of the list), `jump` means that the reader must read the list.
 */
export function comparePosition(position: LogPosition, event: EventId): 'next' | 'seen' | 'jump' {
  if (position === 'oldest') return 'jump';
  if (position === 'first') return event.counter === 1 ? 'next' : 'jump';
  if (event.counter === position.counter + 1 && event.micros > position.micros) return 'next';
  return event.counter <= position.counter && event.micros <= position.micros ? 'seen' : 'jump';
}

export function isAtEvent(position: LogPosition, event: EventId): boolean {
  return typeof position === 'object' && position.counter === event.counter && position.micros === event.micros;
}
