import type { DescribedError } from '@app/http';
import { currentContext } from '@app/observability';

/** Every `errorCode` a client of this API can meet, with the short title that goes with it. */
const TITLES = {
  BAD_REQUEST: 'Bad request',
  AUTH_REQUIRED: 'Authentication required',
  INVALID_API_KEY: 'Invalid API key',
  INSUFFICIENT_SCOPE: 'Insufficient scope',
  FORBIDDEN: 'Forbidden',
  NOT_FOUND: 'Not found',
  CONFLICT: 'Conflict',
  PAYLOAD_TOO_LARGE: 'Payload too large',
  UNSUPPORTED_MEDIA_TYPE: 'Unsupported media type',
  VALIDATION_ERROR: 'Validation failed',
  INTERNAL_ERROR: 'Internal error',
  SERVICE_UNAVAILABLE: 'Service unavailable',
} as const;
type ErrorCode = keyof typeof TITLES;

/** Failures of one status that clients tell apart. */
const BY_FAILURE: Readonly<Record<string, ErrorCode>> = {
  key_missing: 'AUTH_REQUIRED',
  key_invalid: 'INVALID_API_KEY',
  insufficient_scope: 'INSUFFICIENT_SCOPE',
};

const BY_STATUS: Readonly<Record<number, ErrorCode>> = {
  401: 'INVALID_API_KEY',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'VALIDATION_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

export interface PlatformError {
  readonly error: string;
  readonly details: string;
  readonly errorCode: ErrorCode;
  readonly status: number;
}

/** The platform API's one error body. Where the request is wrong, `details` names every fault and where it lies. */
export function platformErrorBody(error: DescribedError): PlatformError {
  const errorCode = BY_FAILURE[error.code] ?? BY_STATUS[error.status] ?? fallbackCode(error.status);
  return {
    error: TITLES[errorCode],
    details: detailsOf(error),
    errorCode,
    status: error.status,
  };
}

function fallbackCode(status: number): ErrorCode {
  return status < 500 ? 'BAD_REQUEST' : 'INTERNAL_ERROR';
}

function detailsOf({ faults, message, unexpected }: DescribedError): string {
  if (unexpected) return `${message}; report it with this request id: ${currentContext()?.requestId ?? 'unknown'}`;
  if (faults.length === 0) return message;
  return faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
}

const properties = {
  error: { type: 'string', description: 'Short title' },
  details: { type: 'string', description: 'What happened, for people' },
  errorCode: { type: 'string', enum: Object.keys(TITLES) },
  status: { type: 'integer', description: 'HTTP status' },
};
const required = Object.keys(properties);

export const errorSchemas = {
  plain: {
    type: 'object',
    required,
    properties,
  },
  validation: {
    type: 'object',
    required,
    properties: {
      ...properties,
      details: { type: 'string', description: 'Each fault as `<where>: <what>`, separated by `; `' },
      errorCode: { type: 'string', enum: ['VALIDATION_ERROR'] },
      status: { type: 'integer', enum: [422] },
    },
  },
};
