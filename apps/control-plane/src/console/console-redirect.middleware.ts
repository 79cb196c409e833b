import type { IncomingMessage, ServerResponse } from 'node:http';
import { asksForPage } from '@app/http';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import { CONSOLE_PATH } from './console-path.js';

/** Sends browsers that open the address of the control plane to the console. Programs get the usual 404. */
@Injectable()
export class ConsoleRedirect implements NestMiddleware {
  use(request: IncomingMessage, response: ServerResponse, next: () => void): void {
    if (!asksForPage(request)) return next();
    response.writeHead(302, { Location: `${CONSOLE_PATH}/`, 'Cache-Control': 'no-store' }).end();
  }
}
