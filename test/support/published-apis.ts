import { Contract, type ApiName } from './contract.js';
import { recordSecretsIn, recordSecretsOf, recordSecretsOfRequest } from './run-record.js';

/** The API of each server of the current test, by origin. */
const apis = new Map<string, ApiName>();

/** Makes `checkContract` check every response from this address against the document. */
export function registerApi(url: string, api: ApiName): void {
  apis.set(new URL(url).origin, api);
}

interface CheckedResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Throws if a response of a registered server deviates from its published document. */
export function checkContract(method: string, url: string, { status, headers, body }: CheckedResponse): void {
  const { origin, pathname } = new URL(url);
  const api = apis.get(origin);
  if (api === undefined) return;
  const received = {
    status,
    contentType: headers.get('content-type'),
    errorCode: headers.get('x-error-code'),
    body,
  };
  const faults = Contract.of(api).faults(method, pathname, received);
  if (faults.length > 0) throw new Error(`The response deviates from the published document:\n${faults.join('\n')}`);
}

/** The same check as middleware of the typed client. */
export const contractChecks = {
  async onRequest({ request }: { request: Request }): Promise<undefined> {
    const isJson = request.headers.get('content-type')?.startsWith('application/json') === true;
    if (isJson) recordSecretsOfRequest(request.url, await request.clone().json());
    return undefined;
  },
  async onResponse({ request, response }: { request: Request; response: Response }): Promise<undefined> {
    const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
    const body: unknown = isJson ? await response.clone().json() : undefined;
    recordSecretsOf(request.headers);
    recordSecretsIn(body);
    checkContract(request.method, request.url, { status: response.status, headers: response.headers, body });
    return undefined;
  },
};
