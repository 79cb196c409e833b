import { PATH_METADATA } from '@nestjs/common/constants.js';
import type { AuditedRoute } from './route-audit.js';

/** Returns the segments of each path of a route. The first segment is empty, because paths begin with a slash. */
export function pathsOf({ controller, handler }: AuditedRoute): readonly (readonly string[])[] {
  return declaredPaths(controller).flatMap((prefix) =>
    declaredPaths(handler).map((path) => {
      const parts = [prefix, path].map((part) => part.replace(/^\/|\/$/g, '')).filter((part) => part !== '');
      return `/${parts.join('/')}`.split('/');
    }),
  );
}

function declaredPaths(target: object): readonly string[] {
  const declared = Reflect.getMetadata(PATH_METADATA, target) as string | readonly string[] | undefined;
  return declared === undefined || typeof declared === 'string' ? [declared ?? ''] : declared;
}
