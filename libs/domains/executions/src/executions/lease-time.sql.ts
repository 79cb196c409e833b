import { DATABASE_NOW } from '@app/database';

/** Returns an expression for the time `milliseconds` (an SQL expression) from now, by the clock of the database. */
export function after(milliseconds: string): string {
  return `${DATABASE_NOW} + ${milliseconds} * interval '1 millisecond'`;
}
