import type { Middleware } from 'openapi-fetch';

/** A request with fields that the API ignored, usually because their names are misspelt. */
export interface IgnoredFields {
  readonly method: string;
  readonly url: string;
  /** Names of fields, those of nested objects with their path (`steps.1.depend_on`); at most 20. */
  readonly fields: readonly string[];
}

/** Calls `report` for every response with `X-Ignored-Fields`. */
export function reportIgnoredFields(report: (ignored: IgnoredFields) => void): Middleware {
  return {
    onResponse({ request: { method, url }, response }) {
      const header = response.headers.get('x-ignored-fields');
      if (header !== null) report({ method, url, fields: header.split(', ').map(decodeURIComponent) });
    },
  };
}

/** Warns on the console. The default of clients. */
export function warnOfIgnoredFields({ method, url, fields }: IgnoredFields): void {
  console.warn(`${method} ${new URL(url).pathname} ignored unknown fields: ${fields.join(', ')}`);
}
