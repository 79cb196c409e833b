/** The number of the first migration after those that create the schema of the first version. */
export const FIRST_CHANGE = 1_800_000_060_000;

/**
 * Returns the digits at the end of a migration's name. TypeORM orders migrations by these digits, not by their position
 * in the list.
 */
export function numberOf(name: string): number {
  return Number(/\d{13}$/.exec(name)?.[0]);
}
