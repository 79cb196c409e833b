import type { IncomingHttpHeaders } from 'node:http';
import { ControlPlaneConfig } from '@app/config';
import { HttpProblem, type WireRequest } from '@app/http';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { CONSOLE_PATH } from './console-path.js';

/** The routes for keys and users. `..`, also encoded, would lead `fetch` to other routes. */
const ROUTES = [
  /^\/api\/v1\/auth\/keys(?:\/\w+(?:-\w+)*(?:\/rotate)?)?(?:\?.*)?$/,
  /^\/api\/v1\/users(?:\/\w+(?:-\w+)*)?(?:\?.*)?$/,
];
const TIMEOUT_MS = 10_000;
/** Keys and users have short texts. */
const MAX_BODY = 65_536;
/** Nothing else of the browser reaches the platform API: no cookie, no origin, no address. */
const REQUEST_HEADERS = ['content-type', 'idempotency-key', 'x-request-id', 'traceparent'];
const RESPONSE_HEADERS = [
  'content-type',
  'x-error-code',
  'x-next-cursor',
  'x-notice',
  'x-ignored-fields',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
];

/** Path of the platform API below the console. */
export const PLATFORM_PATH = `${CONSOLE_PATH}/platform`;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/**
 * Sends requests for keys and users from the console to the platform API, as the caller. The console thus needs one origin: its
 * policy allows no other, and operators have no CORS to configure.
 */
@Injectable()
export class PlatformForwarder {
  constructor(private readonly config: ControlPlaneConfig) {}

  /** Throws an HttpProblem if there is no platform API, or if it does not answer. */
  async forward(request: Request & WireRequest, response: Response): Promise<void> {
    const { status, headers, body } = await this.answerTo(request);
    response.status(status).set({ ...headers, 'Cache-Control': 'no-store' });
    response.end(Buffer.from(body));
  }

  private async answerTo(request: Request & WireRequest): Promise<Answer> {
    const { method, originalUrl, headers, rawBody: body = new Uint8Array(), apiKey = '' } = request;
    const path = originalUrl.slice(PLATFORM_PATH.length);
    const { platformApiUrl } = this.config;
    if (platformApiUrl === null)
      throw new HttpProblem('route_not_found', 'PLATFORM_API_URL is not set on the control plane');
    if (!ROUTES.some((route) => route.test(path))) throw new HttpProblem('route_not_found', 'Not Found');
    if (body.length > MAX_BODY)
      throw new HttpProblem('payload_too_large', `The body is too large: at most ${MAX_BODY} bytes`);
    try {
      const response = await fetch(`${platformApiUrl}${path}`, {
        method,
        headers: { ...picked(headers, REQUEST_HEADERS), Authorization: `UserKey ${apiKey}` },
        ...(body.length === 0 ? {} : { body: Buffer.from(body) }),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const sent = Object.fromEntries(response.headers);
      return {
        status: response.status,
        headers: picked(sent, RESPONSE_HEADERS),
        body: new Uint8Array(await response.arrayBuffer()),
      };
    } catch {
      throw new HttpProblem('platform_api_unavailable', `The platform API at ${platformApiUrl} did not respond`);
    }
  }
}

function picked(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  );
}
