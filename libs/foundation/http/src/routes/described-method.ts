/** Returns the arguments with which a parameter decorator can call a method decorator, such as one of `@nestjs/swagger`. */
export function describedMethod(
  target: object,
  method: string | symbol | undefined,
): [string | symbol, PropertyDescriptor] {
  const descriptor = method === undefined ? undefined : Object.getOwnPropertyDescriptor(target, method);
  if (method === undefined || descriptor === undefined) throw new Error('This decorator is for parameters of a route');
  return [method, descriptor];
}
