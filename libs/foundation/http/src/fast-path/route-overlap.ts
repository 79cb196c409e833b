import type { AuditedRoute } from '../access/route-audit.js';
import { pathsOf } from '../access/route-paths.js';

type Path = readonly string[];

/**
 * Returns the paths of earlier routes that match some of the requests for this route. Express serves such a request
 * with the route that was registered first. `all`: the routes in the order of their registration.
 */
export function earlierPathsOf(route: AuditedRoute, all: readonly AuditedRoute[]): readonly Path[] {
  const before = all.slice(
    0,
    all.findIndex(({ handler }) => handler === route.handler),
  );
  return before
    .filter(({ httpMethod }) => httpMethod === route.httpMethod || httpMethod === 'ALL')
    .flatMap(pathsOf)
    .filter((earlier) => pathsOf(route).some((path) => overlap(path, earlier)));
}

/**
 * Returns whether a request can match both paths. A parameter matches every segment, a wildcard every rest of a path.
 * Express ignores case.
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
