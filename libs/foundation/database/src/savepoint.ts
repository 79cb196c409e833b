import { driverErrorOf, isCollision } from './postgres-errors.js';

/**
 * A deadlock or serialization failure in a savepoint. The other transaction may still wait for this one, so the whole
 * transaction has to run again: code that handles the errors of an attempt must rethrow this error.
 */
export class AttemptCollision extends Error {
  override readonly name = 'AttemptCollision';

  constructor(readonly driverError: unknown) {
    super('An attempt collided with another transaction', { cause: driverError });
  }
}

/**
 * Runs `work` in a savepoint of a transaction. If it throws, undoes its writes and the `hooks` that it added, and rethrows;
 * the transaction can continue, except after an `AttemptCollision`.
 */
export async function inSavepoint<T>(
  run: (statement: string) => Promise<unknown>,
  hooks: unknown[],
  work: () => Promise<T>,
): Promise<T> {
  const { length } = hooks;
  await run('SAVEPOINT attempt');
  try {
    const result = await work();
    await run('RELEASE SAVEPOINT attempt');
    return result;
  } catch (error) {
    hooks.length = length;
    await run('ROLLBACK TO SAVEPOINT attempt');
    throw isCollision(error) ? new AttemptCollision(driverErrorOf(error)) : error;
  }
}
