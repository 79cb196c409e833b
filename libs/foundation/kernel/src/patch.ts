/**
 * The fields of an update: absent means keep, `null` means clear. `exactOptionalPropertyTypes` excludes `undefined`, so
 * "absent" has a single representation.
 */
export type Patch<T> = { readonly [K in keyof T]?: T[K] };

/** Returns a copy without the properties whose value is `undefined`. */
export function withoutUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const entries = Object.entries(value).filter(([, property]) => property !== undefined);
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], undefined> };
}
