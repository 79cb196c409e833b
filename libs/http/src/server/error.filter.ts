import type { ServerResponse } from 'node:http';
import { createLogger } from '@app/observability';
import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { describeError, type DescribedError } from '../wire/describe-error.js';

export interface RenderedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** How one API words a failure. */
export type ErrorBody = (error: DescribedError) => unknown;

const logger = createLogger('http');

/** From any thrown thing to an answer; what was not foreseen is logged in full and told to nobody. */
export function renderError(error: unknown, toBody: ErrorBody): RenderedError {
  const described = describeError(error);
  if (described.unexpected) logger.error({ err: error }, 'unexpected failure');
  else if (described.status === 503) logger.warn({ reason: (error as Error).message }, 'a store is away');
  return { status: described.status, headers: headersOf(described), body: toBody(described) };
}

function headersOf({ status, headers }: DescribedError): Record<string, string> {
  return status === 401 ? { 'WWW-Authenticate': 'Bearer', ...headers } : { ...headers };
}

@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly toBody: ErrorBody) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<ServerResponse>();
    const rendered = renderError(error, this.toBody);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.writeHead(rendered.status, { ...rendered.headers, 'Content-Type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(rendered.body));
  }
}
