/**
 * Caches the results of `read` per handler, because metadata do not change and each read walks a prototype chain.
 * `rest` must depend only on the handler, for example its controller.
 */
export function perHandler<T, Rest extends readonly unknown[] = []>(
  read: (handler: object, ...rest: Rest) => T,
): (handler: object, ...rest: Rest) => T {
  const known = new WeakMap<object, { readonly value: T }>();
  return (handler, ...rest) => {
    let found = known.get(handler);
    if (found === undefined) {
      found = { value: read(handler, ...rest) };
      known.set(handler, found);
    }
    return found.value;
  };
}
