import type { IncomingMessage, ServerResponse } from 'node:http';
import { createLogger } from '@app/observability';
import { Catch, Inject, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { describeError, type DescribedError } from './describe-error.js';
import { ERROR_CODE_HEADER } from './error-codes.js';
import { sendJson } from '../wire/send-json.js';

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Maps an error to the body of one API. */
export type ErrorBody = (error: DescribedError) => unknown;

export interface ErrorFormat {
  readonly body: ErrorBody;
  /** The scheme in `WWW-Authenticate` of a 401. */
  readonly challenge: string;
}

const logger = createLogger('http');

/**
 * Returns the response to a request that failed with any thrown value. `method` is undefined if the request could not
 * be read. An unexpected error is logged in full, and the response does not disclose it.
 */
export function renderError(error: unknown, method: string | undefined, format: ErrorFormat): RenderedError {
  const described = describeError(error, method);
  if (described.unexpected) logger.error({ err: error }, 'unexpected failure');
  else if (described.status === 503) {
    logger.warn({ code: described.code, reason: (error as Error).message }, 'request cannot be served now');
  }
  return { status: described.status, headers: headersOf(described, format), body: format.body(described) };
}

function headersOf({ status, code, headers }: DescribedError, { challenge }: ErrorFormat): Record<string, string> {
  return {
    [ERROR_CODE_HEADER]: code,
    ...(status === 401 ? { 'WWW-Authenticate': challenge } : {}),
    // The rest of the body is not read, so the connection cannot be used for another request.
    ...(status === 413 ? { Connection: 'close' } : {}),
    ...headers,
  };
}

/** Injection token of the application's error format, for code that sends errors outside the filter. */
export const ERROR_FORMAT = Symbol('the format of errors');

@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(ERROR_FORMAT) protected readonly format: ErrorFormat) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<IncomingMessage>();
    const response = http.getResponse<ServerResponse>();
    const rendered = renderError(error, request.method, this.format);
    if (response.headersSent) response.destroy();
    else this.send(rendered, request, response);
  }

  /** Filters of routes whose protocol has another body override this. */
  protected send({ status, headers, body }: RenderedError, _request: IncomingMessage, response: ServerResponse): void {
    sendJson(response, status, headers, body);
  }
}
