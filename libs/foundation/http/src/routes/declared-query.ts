/** The metadata in which the decorators of `@nestjs/swagger` describe the parameters of a route. */
const API_PARAMETERS = 'swagger/apiParameters';

/** Returns the names of the query parameters that the decorators of a route describe with `@ApiQuery`. */
export function declaredQueryOf(handler: object): ReadonlySet<string> {
  const described = (Reflect.getMetadata(API_PARAMETERS, handler) ?? []) as {
    readonly in?: string;
    readonly name: string;
  }[];
  return new Set(described.filter((parameter) => parameter.in === 'query').map(({ name }) => name));
}
