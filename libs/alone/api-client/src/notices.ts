import type { Middleware } from 'openapi-fetch';

/** A remark of the API on a request that succeeded. */
export interface Notice {
  readonly method: string;
  readonly url: string;
  readonly notice: string;
}

/** Calls `report` for every response with `X-Notice`. */
export function reportNotices(report: (notice: Notice) => void): Middleware {
  return {
    onResponse({ request: { method, url }, response }) {
      const notice = response.headers.get('x-notice');
      if (notice !== null) report({ method, url, notice });
    },
  };
}

/** Warns on the console. The default of clients. */
export function warnOfNotice({ method, url, notice }: Notice): void {
  console.warn(`${method} ${new URL(url).pathname}: ${notice}`);
}
