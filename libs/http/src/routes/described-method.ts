/** What decorators of methods, such as those of the documents, are to be told by a decorator of a parameter. */
export function describedMethod(
  target: object,
  method: string | symbol | undefined,
): [string | symbol, PropertyDescriptor] {
  const descriptor = method === undefined ? undefined : Object.getOwnPropertyDescriptor(target, method);
  if (method === undefined || descriptor === undefined) throw new Error('Only parameters of a route are decorated so');
  return [method, descriptor];
}
