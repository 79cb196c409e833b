/**
 * What an update says of one field: absent means keep, `null` means clear. `exactOptionalPropertyTypes` keeps
 * `undefined` out, so "absent" has one form only.
 */
export type Patch<T> = { readonly [K in keyof T]?: T[K] };

/** A copy without the properties whose value is `undefined`. */
export function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, property]) => property !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
