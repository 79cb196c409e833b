import { DomainError } from '@app/kernel';

/**
 * Reads the rows of all items together. If they exceed the size limit of a read (`related_data_too_large`), reads the
 * items in halves. Throws this error only if the rows of a single item exceed the limit. Other errors of `read` are not
 * handled.
 */
export async function readInHalves<Item, Row>(
  items: readonly Item[],
  read: (items: readonly Item[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  try {
    return await read(items);
  } catch (error) {
    if (items.length < 2 || !isTooLarge(error)) throw error;
  }
  const half = Math.ceil(items.length / 2);
  const first = await readInHalves(items.slice(0, half), read);
  return [...first, ...(await readInHalves(items.slice(half), read))];
}

function isTooLarge(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'related_data_too_large';
}
