import { ERROR_CATALOGUE, type CataloguedError, type DomainErrorCode, type ErrorKind } from '@app/kernel';

/** The status of each kind of domain error. */
export const STATUS_OF_KIND: Readonly<Record<ErrorKind, number>> = {
  not_found: 404,
  conflict: 409,
  outdated: 412,
  invalid: 422,
  forbidden: 403,
  unauthenticated: 401,
  throttled: 429,
  unavailable: 503,
};

const permanent = <Status extends number>(status: Status, meaning: string) =>
  ({ status, meaning, retry: false }) as const;
const passing = <Status extends number>(status: Status, meaning: string) => ({ status, meaning, retry: true }) as const;

/** Failures of the request itself, which no domain reports, by their code. */
export const HTTP_ERRORS = {
  malformed_request: permanent(400, 'The request is not valid HTTP, or its address cannot be decoded.'),
  host_header_missing: permanent(400, 'The request has no `Host` header.'),
  body_incomplete: passing(400, 'The connection ended before the body was complete.'),
  body_encoding_invalid: permanent(400, 'The body does not match its `Content-Encoding`.'),
  export_request_invalid: permanent(400, 'The body is not an export request of OTLP; the text says why.'),
  forbidden: permanent(403, 'The caller may not do this; the text says why.'),
  route_not_found: permanent(404, 'No route has this method and path.'),
  resource_not_found: permanent(404, 'The path contains an identifier that cannot exist.'),
  request_timeout: passing(408, 'The request took too long to arrive.'),
  payload_too_large: permanent(413, 'The body is larger than the route accepts.'),
  unsupported_media_type: permanent(415, 'The body is not `application/json` in UTF-8.'),
  unsupported_content_encoding: permanent(415, 'The `Content-Encoding` is not gzip, deflate, br or identity.'),
  expectation_failed: permanent(417, 'The `Expect` header asks for something other than `100-continue`.'),
  upgrade_required: permanent(426, 'The route opens a WebSocket, and the request is not its opening handshake.'),
  connections_too_many: passing(429, 'The organization has the maximum number of WebSockets to this process.'),
  rate_limited: passing(
    429,
    'The API key or its organization has sent too many requests; `Retry-After` states when the next one is accepted.',
  ),
  headers_too_large: permanent(431, 'The address and the headers are too large.'),
  internal_error: permanent(500, 'A defect of the platform; the body has the request id.'),
  server_busy: passing(
    503,
    'The process has reached its limit of bytes in request bodies, or in files and responses that it sends.',
  ),
  store_unavailable: passing(503, 'PostgreSQL or Redis is unreachable, read-only or full.'),
  store_timeout: passing(503, 'PostgreSQL took too long for the request, or the write collided with others.'),
  platform_api_unavailable: passing(503, 'The platform API did not respond to a request of the console.'),
  not_ready: passing(
    503,
    'The readiness probe: a store is unreachable, migrations are missing, or the process is stopping.',
  ),
} as const satisfies Record<string, CataloguedError & { readonly status: number }>;

export type HttpErrorCode = keyof typeof HTTP_ERRORS;

/** The header of every error response that carries its code. */
export const ERROR_CODE_HEADER = 'X-Error-Code';

/** Every value of `X-Error-Code`. */
export type ErrorCode = DomainErrorCode | HttpErrorCode;

const CATALOGUE: Readonly<Record<ErrorCode, CataloguedError>> = { ...ERROR_CATALOGUE, ...HTTP_ERRORS };

/** Returns whether the same request may succeed later without any change by the client. */
export function mayBeRetried(code: ErrorCode): boolean {
  return CATALOGUE[code].retry;
}

/** The whole catalogue, in the order of status and code, for documents and tests. */
export function errorCatalogue(): readonly (CataloguedError & { readonly code: string; readonly status: number })[] {
  const domain = Object.entries(ERROR_CATALOGUE).map(([code, { kind, ...error }]) => ({
    code,
    status: STATUS_OF_KIND[kind],
    ...error,
  }));
  const http = Object.entries(HTTP_ERRORS).map(([code, error]) => ({ code, ...error }));
  return [...domain, ...http].sort((one, other) => one.status - other.status || (one.code < other.code ? -1 : 1));
}
