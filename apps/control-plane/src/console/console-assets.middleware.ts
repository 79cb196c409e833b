import { dirname, join } from 'node:path';
import { Injectable, type NestMiddleware } from '@nestjs/common';
import type { Request, Response } from 'express';
import { readConsoleFiles, type ConsoleFile } from './console-files.js';
import { cacheControlOf, CONSOLE_HEADERS } from './console-headers.js';
import { CONSOLE_PATH } from './console-path.js';

/** Programs run from `dist/bundles`; the build writes the console beside that folder. */
const FOLDER = join(dirname(process.argv[1] ?? ''), '..', 'console', 'public');
const INDEX = '/index.html';
/** Paths of files end so; every other path is a page of the application. */
const FILE_NAME = /\.\w+$/;

/** Serves the files of the web console. */
@Injectable()
export class ConsoleAssets implements NestMiddleware {
  private readonly files = readConsoleFiles(FOLDER);

  use(request: Request, response: Response, next: () => void): void {
    const { originalUrl, method } = request;
    if (method !== 'GET' && method !== 'HEAD') return next();
    response.set(CONSOLE_HEADERS);
    if (originalUrl === CONSOLE_PATH) {
      response.writeHead(301, { Location: `${CONSOLE_PATH}/` }).end();
    } else if (this.files === undefined) {
      response.writeHead(503, { 'Content-Type': 'text/plain; charset=utf-8' });
      response.end('The web console is not built. Run: npm run build\n');
    } else {
      const [path = ''] = originalUrl.slice(CONSOLE_PATH.length).split('?');
      const name = this.files.has(path) || FILE_NAME.test(path) ? path : INDEX;
      const file = this.files.get(name);
      if (file === undefined) return next();
      send(request, response.set('Cache-Control', cacheControlOf(name)), file);
    }
  }
}

function send(request: Request, response: Response, { contentType, etag, contents }: ConsoleFile): void {
  // The middleware before this one hides Brotli, because it compresses anew each time. These files are compressed.
  const accepted = request.headersDistinct['accept-encoding'];
  if (accepted !== undefined) request.headers['accept-encoding'] = accepted.join(', ');
  const encoding = [...contents.keys()].find((name) => request.acceptsEncodings(name) !== false) ?? 'identity';
  const content = contents.get(encoding) ?? Buffer.alloc(0);
  response.set({ 'Content-Type': contentType, ETag: etag, 'Content-Length': String(content.length) });
  response.vary('Accept-Encoding');
  if (encoding !== 'identity') response.set('Content-Encoding', encoding);
  if (request.fresh) response.removeHeader('Content-Length');
  response.status(request.fresh ? 304 : 200);
  // `end` instead of `send`: the content is compressed already, and its headers are complete.
  response.end(request.fresh || request.method === 'HEAD' ? undefined : content);
}
