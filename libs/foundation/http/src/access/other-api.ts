import type { WireRequest } from '../wire/wire-request.js';

/** Another API of the platform, to which clients send requests by mistake. */
export interface OtherApi {
  /** With its article: `the control plane`. */
  readonly name: string;
  /** The scheme of its `Authorization` header. */
  readonly scheme: string;
  /** Returns the URL at which clients reach it; null if it is not configured. */
  readonly url: () => string | null;
  /** Method and path of its routes that this API lacks: `GET /api/v1/jobs/{job_id}`. */
  readonly routes: readonly string[];
}

/** Injection token of the application's `OtherApi`; the value is null if there is none. */
export const OTHER_API = Symbol('the other API of the platform');

/** Returns the name of the API with its URL, if that is known. */
export function nameOf({ name, url }: OtherApi): string {
  const address = url();
  return address === null ? name : `${name} at ${address}`;
}

type FindRoute = (request: Pick<WireRequest, 'method' | 'url'>) => string | undefined;

/** Returns a function that returns the route of the API which a request matches; undefined if none does. */
export function findRouteOf({ routes }: OtherApi): FindRoute {
  const patterns = routes.map((route) => ({ route, pattern: patternOf(route) }));
  return ({ method = '', url = '' }) => {
    const target = `${method === 'HEAD' ? 'GET' : method} ${url.split('?', 1).join()}`;
    return patterns.find(({ pattern }) => pattern.test(target))?.route;
  };
}

function patternOf(route: string): RegExp {
  return new RegExp(`^${route.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}/?$`);
}
