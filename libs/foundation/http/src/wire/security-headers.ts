import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

/** Security headers for browsers, the same on every response of the ordinary path and of the fast path. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = collect();

export function securityMiddleware(_request: IncomingMessage, response: ServerResponse, next: () => void): void {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  next();
}

/** The headers do not depend on the request, so they are computed once. */
function collect(): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => (headers[name] = value),
    removeHeader: () => undefined,
  } as unknown as ServerResponse;
  const middleware = helmet({ contentSecurityPolicy: { directives: { upgradeInsecureRequests: null } } });
  middleware({} as IncomingMessage, response, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
  return headers;
}
