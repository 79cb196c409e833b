import { Clock } from '@app/kernel';

/** A clock that moves only by `advance`. */
export class ManualClock extends Clock {
  constructor(private moment: Date = new Date('2026-01-01T00:00:00.000Z')) {
    super();
  }

  now(): Date {
    return new Date(this.moment);
  }

  advance(milliseconds: number): void {
    this.moment = new Date(this.moment.getTime() + milliseconds);
  }
}
