import type { EventId } from './event-id.js';

/**
 * How far a reader has come in an execution's log: after an event; before the very first one; or before the oldest that
 * is kept, whichever that is.
 */
export type LogPosition = EventId | 'first' | 'oldest';

/**
 * What a live event is to a reader that stands at `position`: the `next` one; one it has `seen` already (live events
 * overlap what was read from the list); or a `jump`, after which only the list can tell what lies between.
 */
export function judge(position: LogPosition, event: EventId): 'next' | 'seen' | 'jump' {
  if (position === 'oldest') return 'jump';
  if (position === 'first') return event.counter === 1 ? 'next' : 'jump';
  if (event.counter === position.counter + 1 && event.micros > position.micros) return 'next';
  return event.counter <= position.counter && event.micros <= position.micros ? 'seen' : 'jump';
}

export function samePlace(position: LogPosition, event: EventId): boolean {
  return typeof position === 'object' && position.counter === event.counter && position.micros === event.micros;
}
