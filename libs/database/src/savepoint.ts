/**
 * Runs `work` in a savepoint of a transaction. If it throws, undoes its writes and the `hooks` that it added, and rethrows;
 * the transaction can continue.
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
    throw error;
  }
}
