import type { IncomingMessage, ServerResponse } from 'node:http';
import { ErrorFilter, sendBytes, sendJson, type RenderedError } from '@app/http';
import { Catch } from '@nestjs/common';
import { isProtobuf } from './otlp-type.js';
import { OTLP_TYPES, statusMessage } from './otlp-answer.js';

/** Codes of google.rpc.Code by HTTP status. */
const CODES: Readonly<Record<number, number>> = { 401: 16, 403: 7, 404: 5, 429: 8, 500: 13, 503: 14 };
const INVALID_ARGUMENT = 3;

/** Sends errors as OTLP requires: a `google.rpc.Status` in the form of the request. Its JSON also has the usual `detail`. */
@Catch()
export class OtlpErrorFilter extends ErrorFilter {
  protected override send(
    { status, headers, body }: RenderedError,
    request: IncomingMessage,
    response: ServerResponse,
  ): void {
    const code = CODES[status] ?? INVALID_ARGUMENT;
    const { detail } = body as { readonly detail: unknown };
    const message = typeof detail === 'string' ? detail : JSON.stringify(detail);
    if (!isProtobuf(request)) return sendJson(response, status, headers, { ...(body as object), code, message });
    const bytes = statusMessage(code, message);
    sendBytes(response, status, headers, { type: OTLP_TYPES.protobuf, bytes });
  }
}
