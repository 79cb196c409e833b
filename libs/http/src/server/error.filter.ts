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

export interface ErrorWording {
  readonly body: ErrorBody;
  /** The scheme that a 401 asks for in `WWW-Authenticate`. */
  readonly challenge: string;
}

const logger = createLogger('http');

/** From any thrown thing to an answer; what was not foreseen is logged in full and told to nobody. */
export function renderError(error: unknown, wording: ErrorWording): RenderedError {
  const described = describeError(error);
  if (described.unexpected) logger.error({ err: error }, 'unexpected failure');
  else if (described.status === 503) logger.warn({ reason: (error as Error).message }, 'a store is away');
  return { status: described.status, headers: headersOf(described, wording), body: wording.body(described) };
}

function headersOf({ status, headers }: DescribedError, { challenge }: ErrorWording): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': challenge, ...headers };
  // The rest of the body is not read, so nothing else can be sent on the connection.
  return status === 413 ? { Connection: 'close', ...headers } : { ...headers };
}

@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly wording: ErrorWording) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<ServerResponse>();
    const rendered = renderError(error, this.wording);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const text = JSON.stringify(rendered.body);
    response.writeHead(rendered.status, {
      ...rendered.headers,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
    });
    response.end(text);
  }
}
