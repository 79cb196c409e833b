import { setTimeout } from 'node:timers/promises';
import { invalidCursor } from '@app/kernel';
import { QueryRunnerAlreadyReleasedError } from 'typeorm';

/** Returns the driver's error of a failed statement. TypeORM wraps it; `Database.sql` does not. */
export function driverErrorOf(error: unknown): unknown {
  return (error as { driverError?: unknown } | null | undefined)?.driverError ?? error;
}

/**
 * Returns whether a query failed because its connection had been lost before. Recognizes the messages of TypeORM and of
 * the driver.
 */
export function isConnectionUnusable(error: unknown): boolean {
  if (error instanceof QueryRunnerAlreadyReleasedError) return true;
  const cause = driverErrorOf(error);
  return cause instanceof Error && cause.message.endsWith('is not queryable');
}

/** Serialization failure and deadlock: PostgreSQL rolled the transaction back, and it can succeed when it runs again. */
const COLLISIONS = new Set(['40001', '40P01']);

/** Maximum pause before the second attempt. It lets the other write finish; without it, both can collide again. */
const MAX_PAUSE_MS = 40;

/**
 * Returns the result of `work`, which must write all or nothing. Runs it a second time if it collided with another
 * write.
 */
export async function retryCollision<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isCollision(error)) throw error;
    await setTimeout(MAX_PAUSE_MS * (0.5 + Math.random() / 2));
    return work();
  }
}

/** Returns whether a statement failed because its transaction collided with another one. */
export function isCollision(error: unknown): boolean {
  return COLLISIONS.has((driverErrorOf(error) as { code?: string } | null | undefined)?.code ?? '');
}

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';

function violates(error: unknown, code: string, constraint: string): boolean {
  const violation = (driverErrorOf(error) ?? {}) as { code?: unknown; constraint?: unknown };
  return violation.code === code && violation.constraint === constraint;
}

/** Returns the result of `write`. If it violates the unique constraint, throws the error that `duplicate` returns. */
export async function rejectDuplicate<T>(write: Promise<T>, constraint: string, duplicate: () => Error): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw violates(error, UNIQUE_VIOLATION, constraint) ? duplicate() : error;
  }
}

/**
 * Returns the result of `write`. If the row that this foreign key names does not exist, throws the error that `missing`
 * returns.
 */
export async function rejectMissing<T>(write: Promise<T>, foreignKey: string, missing: () => Error): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw violates(error, FOREIGN_KEY_VIOLATION, foreignKey) ? missing() : error;
  }
}

/**
 * Returns the rows after the position of a cursor. Throws the fault of the cursor if its keys are not valid values of
 * the columns.
 */
export async function rejectWrongKeys<T>(rows: Promise<T>): Promise<T> {
  try {
    return await rows;
  } catch (error) {
    const { code } = (driverErrorOf(error) ?? {}) as { code?: unknown };
    throw typeof code === 'string' && code.startsWith(DATA_EXCEPTION) ? invalidCursor() : error;
  }
}

/** SQLSTATE class of data exceptions: a text that is not a valid value of the type. */
const DATA_EXCEPTION = '22';
