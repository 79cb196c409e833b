import type { IncomingMessage } from 'node:http';
import type { Middleware } from '../wire/wire-request.js';

/** The page with the documentation of the API, without a slash at its begin. */
export const DOCS_PATH = 'api/docs';

/** Whether a browser asks for a page, as after the user has entered an address. */
export function asksForPage({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && headers.accept?.includes('text/html') === true;
}

/** Sends browsers from these paths to the documentation page. Programs get the usual 404. */
export function docsRedirect(paths: readonly string[]): Middleware {
  return (request, response, next) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    if (!asksForPage(request) || !paths.includes(path.replace(/(?<=.)\/$/, ''))) return next();
    response.writeHead(302, { Location: `/${DOCS_PATH}`, 'Cache-Control': 'no-store' }).end();
  };
}
