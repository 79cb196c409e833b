import { createHash } from 'node:crypto';
import { invalid, type DomainError } from './errors.js';

/**
 * A cursor is the position of a row in a list: base64url of a checksum, followed by the keys, which are the row's
 * values of the columns that the list is ordered by, as JSON. The checksum covers the values and the identity of the
 * list (its conditions, their values, the organization and the order), so that a damaged cursor and one of another list
 * are rejected. A cursor is not a secret: the conditions of the list apply to the rows after any position.
 */
export type CursorKeys = readonly (string | null)[];

const CHECKSUM_BYTES = 9;

export function encodeCursor(list: string, keys: CursorKeys): string {
  const json = JSON.stringify(keys);
  return Buffer.concat([checksumOf(list, json), Buffer.from(json)]).toString('base64url');
}

/** Returns the `count` keys of a cursor. Throws `invalid` unless it was encoded for this list. */
export function decodeCursor(cursor: string, list: string, count: number): CursorKeys {
  const bytes = Buffer.from(cursor, 'base64url');
  const json = bytes.subarray(CHECKSUM_BYTES).toString();
  const isOurs =
    bytes.toString('base64url') === cursor && checksumOf(list, json).equals(bytes.subarray(0, CHECKSUM_BYTES));
  const keys = isOurs ? parseKeys(json) : undefined;
  if (keys?.length !== count) throw invalidCursor();
  return keys;
}

export function invalidCursor(): DomainError {
  const msg = 'Input should be the next cursor of the previous page, of a list with the same filters and order';
  return invalid([{ path: ['cursor'], msg, type: 'value_error' }]);
}

function checksumOf(list: string, json: string): Buffer {
  return createHash('sha256').update(list).update('\0').update(json).digest().subarray(0, CHECKSUM_BYTES);
}

/** The checksum contains no secret, so a client can forge a cursor. Therefore the values are checked as well. */
function parseKeys(json: string): CursorKeys | undefined {
  try {
    const keys: unknown = JSON.parse(json);
    const isKey = (key: unknown): key is string | null => key === null || typeof key === 'string';
    return Array.isArray(keys) && keys.every(isKey) ? keys : undefined;
  } catch {
    return undefined;
  }
}
