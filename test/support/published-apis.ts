import { Contract, type ApiName } from './contract.js';

/** Which document the servers of this test publish, by origin. */
const apis = new Map<string, ApiName>();

/** From now on every answer from this address is held against the document. */
export function publishes(url: string, api: ApiName): void {
  apis.set(new URL(url).origin, api);
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Throws where an answer of a known server does not fit the document it publishes. */
export function checkContract(method: string, url: string, { status, headers, body }: Answer): void {
  const { origin, pathname } = new URL(url);
  const api = apis.get(origin);
  if (api === undefined) return;
  const answer = { status, contentType: headers.get('content-type'), body };
  const faults = Contract.of(api).faults(method, pathname, answer);
  if (faults.length > 0) throw new Error(`An answer does not fit the published document:\n${faults.join('\n')}`);
}

/** The same check for the typed client. */
export const contractChecks = {
  async onResponse({ request, response }: { request: Request; response: Response }): Promise<undefined> {
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const body: unknown = isJson ? await response.clone().json() : undefined;
    checkContract(request.method, request.url, { status: response.status, headers: response.headers, body });
    return undefined;
  },
};
