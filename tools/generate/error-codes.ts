import { errorCatalogue } from '@app/http';

/** Returns the source of the client's table of error codes. */
export function errorCodes(): string {
  const entries = errorCatalogue().map(({ code, retry }) => `  ['${code}', ${retry}],`);
  return [
    '/** Generated from the error catalogue: whether a request with this `X-Error-Code` may succeed later unchanged. */',
    'export const RETRY_BY_CODE: ReadonlyMap<string, boolean> = new Map([',
    ...entries,
    ']);\n',
  ].join('\n');
}
