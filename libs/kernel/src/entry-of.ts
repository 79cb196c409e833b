/** The entry of a key that the map was made for. That there is none can not be: it is an error, never a value made up. */
export function entryOf<Key, Value>(map: ReadonlyMap<Key, Value>, key: Key): Value {
  const value = map.get(key);
  if (value === undefined) throw new Error(`There is no entry of ${String(key)}`);
  return value;
}
