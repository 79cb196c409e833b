import type { AuditedRoute } from '../routes/route-audit.js';
import { pathsOf } from './fast-route.js';

type Path = readonly string[];

/**
 * Returns the paths of the routes before this one that a request for it can match as well: Express serves the route that was
 * registered first. `all` are the routes in the order of their registration.
 */
export function rivalPathsOf(route: AuditedRoute, all: readonly AuditedRoute[]): readonly Path[] {
  const before = all.slice(
    0,
    all.findIndex(({ handler }) => handler === route.handler),
  );
  return before
    .filter(({ httpMethod }) => httpMethod === route.httpMethod || httpMethod === 'ALL')
    .flatMap(pathsOf)
    .filter((rival) => pathsOf(route).some((path) => overlap(path, rival)));
}

/**
 * Whether a request can match both paths. Parameters match every segment, wildcards every rest of a path. Express compares
 * without regard to case.
 */
export function overlap(path: Path, other: Path): boolean {
  for (const [index, part] of other.entries()) {
    if (/[*{]/.test(part)) return true;
    const segment = path[index];
    if (segment === undefined) return false;
    const isParameter = part.startsWith(':') || segment.startsWith(':');
    if (!isParameter && part.toLowerCase() !== segment.toLowerCase()) return false;
  }
  return path.length === other.length;
}
