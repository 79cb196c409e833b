import type { Middleware } from 'openapi-fetch';

/** Parses the JSON of successful responses with `parse`. Errors have no numbers beyond those of `JSON.parse`. */
export function parseResponses(parse: (text: string) => unknown): Middleware {
  return {
    onResponse({ response }) {
      const length = response.headers.get('content-length');
      if (!response.ok || response.body === null || length === '0') return undefined;
      if (response.headers.get('content-type')?.includes('json') !== true) return undefined;
      const { status, statusText, headers } = response;
      const parsed = new Response(response.body, { status, statusText, headers });
      // openapi-fetch calls `json` of a response with a known length only, and otherwise parses the text itself.
      if (length === null) parsed.headers.set('content-length', 'unknown');
      const json = async (): Promise<unknown> => {
        const text = await parsed.text();
        return text === '' ? undefined : parse(text);
      };
      return Object.defineProperty(parsed, 'json', { value: json });
    },
  };
}
