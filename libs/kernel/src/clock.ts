/** The only source of time in the domain, so that tests can say what time it is. */
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

/** The wire's form of a moment: RFC 3339, UTC, milliseconds, `Z`. */
export function toWireTime(moment: Date): string;
export function toWireTime(moment: Date | null): string | null;
export function toWireTime(moment: Date | null): string | null {
  return moment === null ? null : moment.toISOString();
}
