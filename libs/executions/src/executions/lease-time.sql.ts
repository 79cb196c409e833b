import { DATABASE_NOW } from '@app/database';

/** The time after `milliseconds`, an SQL expression, by the clock of the database. */
export function after(milliseconds: string): string {
  return `${DATABASE_NOW} + ${milliseconds} * interval '1 millisecond'`;
}
