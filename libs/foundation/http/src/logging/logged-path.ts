import { secretParamsOf } from '../routes/secret-param.js';
import type { AuditedRoute } from '../access/route-audit.js';
import { pathsOf } from '../access/route-paths.js';

/** The beginnings of the paths whose next segment is secret. */
const secretPrefixes = new Map<string, RegExp>();

/**
 * Hides the secret parameters of these routes in the logs of the process, whatever the method and the rest of the path:
 * a request with a secret can also have a wrong method or a longer path.
 */
export function hideSecretParams(routes: readonly AuditedRoute[]): void {
  for (const route of routes) {
    for (const name of secretParamsOf(route.handler)) {
      for (const segments of pathsOf(route)) {
        const prefix = segments
          .slice(0, segments.indexOf(`:${name}`))
          .map(patternOf)
          .join('/');
        // Express ignores the case of paths. The URL can be absolute, or have a prefix that a proxy did not remove.
        secretPrefixes.set(prefix, new RegExp(`(${prefix}/)[^/]+`, 'i'));
      }
    }
  }
}

function patternOf(segment: string): string {
  return segment.startsWith(':') ? '[^/]+' : segment.replace(/[^\w-]/g, '\\$&');
}

/** Returns the path of a URL without its query and without secrets. */
export function loggedPath(url: string | undefined): string {
  let path = (url ?? '').split('?')[0] ?? '';
  for (const prefix of secretPrefixes.values()) path = path.replace(prefix, '$1…');
  return path;
}
