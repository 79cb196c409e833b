import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import sirv from 'sirv';
import { cacheControlOf, CONSOLE_HEADERS } from './console-headers.js';
import { CONSOLE_PATH } from './console-path.js';

type Handler = ReturnType<typeof sirv>;

/** Programs run from `dist/bundles`; the build writes the console beside that folder. */
const FOLDER = join(dirname(process.argv[1] ?? ''), '..', 'console', 'public');

/** Serves the files of the web console. Every path below it that names no file is a page of the application. */
@Injectable()
export class ConsoleAssets implements NestMiddleware {
  private readonly serve: Handler | undefined = existsSync(join(FOLDER, 'index.html')) ? filesIn(FOLDER) : undefined;

  use(request: IncomingMessage & { originalUrl?: string }, response: ServerResponse, next: () => void): void {
    const { originalUrl = '', method } = request;
    if (method !== 'GET' && method !== 'HEAD') return next();
    for (const [name, value] of Object.entries(CONSOLE_HEADERS)) response.setHeader(name, value);
    if (originalUrl === CONSOLE_PATH) {
      response.writeHead(301, { Location: `${CONSOLE_PATH}/` }).end();
    } else if (this.serve === undefined) {
      response.writeHead(503, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end('The web console is not built. Run: npm run build\n');
    } else {
      request.url = originalUrl.slice(CONSOLE_PATH.length);
      // The middleware before this one hides Brotli, because it compresses anew each time. These files are compressed.
      const accepted = request.headersDistinct['accept-encoding'];
      if (accepted !== undefined) request.headers['accept-encoding'] = accepted.join(', ');
      this.serve(request, response, next);
      // For the log. The file was chosen before the call returned.
      request.url = originalUrl;
    }
  }
}

function filesIn(folder: string): Handler {
  return sirv(folder, {
    single: true,
    etag: true,
    gzip: true,
    brotli: true,
    setHeaders: (response, path) => response.setHeader('Cache-Control', cacheControlOf(path)),
  });
}
