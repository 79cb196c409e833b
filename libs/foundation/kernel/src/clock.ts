/** The only source of time in the domain, so that tests can set the time. Provided by `DatabaseClockModule` or `ClockModule`. */
export abstract class Clock {
  abstract now(): Date;

  /** Milliseconds since the Unix epoch. */
  millis(): number {
    return this.now().getTime();
  }
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/** Formats a time for the wire: RFC 3339, UTC, with milliseconds and `Z`. */
export function toWireTime(moment: Date): string;
export function toWireTime(moment: Date | null): string | null;
export function toWireTime(moment: Date | null): string | null {
  return moment === null ? null : moment.toISOString();
}
