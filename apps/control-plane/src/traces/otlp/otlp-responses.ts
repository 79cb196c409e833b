import { applyDecorators } from '@nestjs/common';
import { ApiConsumes, ApiProduces, ApiResponse } from '@nestjs/swagger';
import { OTLP_TYPES } from './otlp-answer.js';

const ERRORS: Readonly<Record<number, string>> = {
  400: 'The body is not an export request, or does not match its `Content-Encoding`',
  401: 'Missing, unknown, expired or revoked API key',
  403: 'API key without the required scope',
  413: 'Request body above the size limit',
  415: 'Request body of another media type',
  429: 'Too many requests; the request may be retried after `Retry-After`',
  503: 'Temporary failure; the request may be retried',
};

/** The route receives and returns both forms of OTLP. Its errors are `google.rpc.Status` in the form of the request. */
export function SpeaksOtlp(): MethodDecorator {
  const content = {
    [OTLP_TYPES.json]: { schema: { $ref: '#/components/schemas/Error' } },
    [OTLP_TYPES.protobuf]: { schema: {} },
  };
  return applyDecorators(
    ApiConsumes(...Object.values(OTLP_TYPES)),
    ApiProduces(...Object.values(OTLP_TYPES)),
    ...Object.entries(ERRORS).map(([status, description]) =>
      ApiResponse({ status: Number(status), description, content }),
    ),
  );
}
