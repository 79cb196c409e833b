import type { DescribedError, ErrorCode } from '@app/http';
import { currentContext } from '@app/observability';

/** Every `errorCode` of this API, with its title. */
const TITLES = {
  BAD_REQUEST: 'Bad request',
  AUTH_REQUIRED: 'Authentication required',
  INVALID_API_KEY: 'Invalid API key',
  INSUFFICIENT_SCOPE: 'Insufficient scope',
  FORBIDDEN: 'Forbidden',
  NOT_FOUND: 'Not found',
  CONFLICT: 'Conflict',
  PRECONDITION_FAILED: 'Precondition failed',
  PAYLOAD_TOO_LARGE: 'Payload too large',
  UNSUPPORTED_MEDIA_TYPE: 'Unsupported media type',
  VALIDATION_ERROR: 'Validation failed',
  RATE_LIMITED: 'Too many requests',
  INTERNAL_ERROR: 'Internal error',
  SERVICE_UNAVAILABLE: 'Service unavailable',
} as const;
type PlatformErrorCode = keyof typeof TITLES;

/** Errors with a specific `errorCode`; all others are mapped by status. */
const BY_CODE: Readonly<Partial<Record<ErrorCode, PlatformErrorCode>>> = {
  key_missing: 'AUTH_REQUIRED',
  key_invalid: 'INVALID_API_KEY',
  insufficient_scope: 'INSUFFICIENT_SCOPE',
};

const BY_STATUS: Readonly<Record<number, PlatformErrorCode>> = {
  401: 'INVALID_API_KEY',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_ERROR',
  429: 'RATE_LIMITED',
  503: 'SERVICE_UNAVAILABLE',
};

export interface PlatformError {
  readonly error: string;
  readonly details: string;
  readonly errorCode: PlatformErrorCode;
  readonly status: number;
  /** Seconds; present with RATE_LIMITED. */
  readonly retryAfter?: number;
}

/** The error body of the platform API. For an invalid request, `details` lists every fault with its location. */
export function platformErrorBody(error: DescribedError): PlatformError {
  const errorCode = BY_CODE[error.code] ?? BY_STATUS[error.status] ?? fallbackCode(error.status);
  return {
    error: TITLES[errorCode],
    details: detailsOf(error),
    errorCode,
    status: error.status,
    ...(errorCode === 'RATE_LIMITED' ? { retryAfter: Number(error.headers['Retry-After'] ?? 1) } : {}),
  };
}

function fallbackCode(status: number): PlatformErrorCode {
  return status < 500 ? 'BAD_REQUEST' : 'INTERNAL_ERROR';
}

function detailsOf({ faults, message, unexpected }: DescribedError): string {
  if (unexpected) return `${message}; report it with this request id: ${currentContext()?.requestId ?? 'unknown'}`;
  if (faults.length === 0) return message;
  return faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
}

const properties = {
  error: { type: 'string', description: 'Short title of the error' },
  details: { type: 'string', description: 'Human-readable error message' },
  errorCode: { type: 'string', enum: Object.keys(TITLES) },
  status: { type: 'integer', description: 'HTTP status code' },
};
const required = Object.keys(properties);
const retryAfter = { type: 'integer', description: 'Seconds until a retry may succeed; present with `RATE_LIMITED`' };

export const errorSchemas = {
  plain: {
    type: 'object',
    required,
    properties: { ...properties, retryAfter },
  },
  validation: {
    type: 'object',
    required,
    properties: {
      ...properties,
      details: { type: 'string', description: 'Every fault as `<field>: <message>`, separated by `; `' },
      errorCode: { type: 'string', enum: ['VALIDATION_ERROR'], description: 'Always `VALIDATION_ERROR`' },
      status: { type: 'integer', enum: [422], description: 'Always 422' },
    },
  },
};
