/** Returns the values in first-seen order, without those whose key occurred before. */
export function distinctBy<T>(values: Iterable<T>, keyOf: (value: T) => string): T[] {
  const byKey = new Map<string, T>();
  for (const value of values) {
    const key = keyOf(value);
    if (!byKey.has(key)) byKey.set(key, value);
  }
  return [...byKey.values()];
}
