/** Returns the value of a key. Throws if the key is missing; callers use it for keys that they inserted. */
export function getRequired<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error(`There is no entry for ${String(key)}`);
  return value;
}
