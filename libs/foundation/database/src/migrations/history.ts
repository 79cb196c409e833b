/** The number of the first migration after those that create the schema of the first version. */
export const FIRST_CHANGE = 1_800_000_060_000;

/** The last migration of the newest released version. A release sets it. */
export const LAST_RELEASED = 'Webhooks1800000059000';

/** The class of a migration that removes or restricts what processes of the version before use. */
export interface Contracting {
  /** The name of the released migration with which the code of a version stopped using it. */
  readonly contracts: string;
}

/**
 * Returns the digits at the end of a migration's name. TypeORM orders migrations by these digits, not by their position
 * in the list.
 */
export function numberOf(name: string): number {
  return Number(/\d{13}$/.exec(name)?.[0]);
}
