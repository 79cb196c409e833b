import createClient, { type Middleware } from 'openapi-fetch';
import type { paths as ControlPlanePaths } from './generated/control-plane.js';
import type { paths as PlatformApiPaths } from './generated/platform-api.js';
import { REPEATABLE_POSTS } from './generated/repeatable-posts.js';
import { errorCodeOf } from './error-code.js';
import { parseWithBigInts, stringifyWithBigInts } from './exact-numbers.js';
import { parseRetryAfter } from './retry.js';
import { reportIgnoredFields, warnOfIgnoredFields, type IgnoredFields } from './ignored-fields.js';
import { parseResponses } from './json-parser.js';
import { reportNotices, warnOfNotice, type Notice } from './notices.js';
import { DEFAULT_RETRIES, idempotentPosts, retryingFetch, type RetryOptions } from './retrying-fetch.js';
import type { TypedClient } from './typed-client.js';

export interface ClientOptions {
  /** Without a trailing slash and without /api/v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** `null`: no retries. Default: `DEFAULT_RETRIES`. */
  readonly retries?: RetryOptions | null;
  /** Called when the API ignored fields of a request. `null`: never. Default: a warning on the console. */
  readonly onIgnoredFields?: ((ignored: IgnoredFields) => void) | null;
  /** Called when the API remarks on a request that succeeded. `null`: never. Default: a warning on the console. */
  readonly onNotice?: ((notice: Notice) => void) | null;
  /**
   * Integers of responses beyond 2^53, such as the nanoseconds of spans, are `bigint`s, also where the type is `number`, and
   * bodies can contain `bigint`s. Default: false, which rounds these integers as `JSON.parse` does.
   */
  readonly exactNumbers?: boolean;
  /** Parses the JSON of responses instead, for example without rounding long numbers. Default: `JSON.parse`. */
  readonly parseJson?: (text: string) => unknown;
}

export type ControlPlaneClient = TypedClient<ControlPlanePaths>;
export type PlatformApiClient = TypedClient<PlatformApiPaths>;

export function createControlPlaneClient(options: ClientOptions): ControlPlaneClient {
  return typedClient<ControlPlanePaths>(options, 'Bearer', REPEATABLE_POSTS['control-plane']);
}

export function createPlatformApiClient(options: ClientOptions): PlatformApiClient {
  return typedClient<PlatformApiPaths>(options, 'UserKey', REPEATABLE_POSTS['platform-api']);
}

function typedClient<Paths extends object>(
  options: ClientOptions,
  scheme: string,
  repeatable: ReadonlySet<string>,
): TypedClient<Paths> {
  const client = createClient<Paths>(clientOptions(options, scheme));
  client.use(...middleware(options, repeatable));
  // The same functions; the compiler cannot compare generic calls whose options are inferred with calls whose are not.
  return client as unknown as TypedClient<Paths>;
}

function middleware(
  { retries, onIgnoredFields = warnOfIgnoredFields, onNotice = warnOfNotice, ...options }: ClientOptions,
  repeatable: ReadonlySet<string>,
): Middleware[] {
  const parseJson = options.parseJson ?? (options.exactNumbers === true ? parseWithBigInts : undefined);
  return [
    ...(retries === null ? [] : [idempotentPosts(repeatable)]),
    ...(onIgnoredFields === null ? [] : [reportIgnoredFields(onIgnoredFields)]),
    ...(onNotice === null ? [] : [reportNotices(onNotice)]),
    ...(parseJson === undefined ? [] : [parseResponses(parseJson)]),
  ];
}

function clientOptions({ baseUrl, apiKey, retries, exactNumbers }: ClientOptions, scheme: string) {
  return {
    ...(exactNumbers === true ? { bodySerializer: (body: unknown) => stringifyWithBigInts(body) } : {}),
    baseUrl,
    headers: { Authorization: `${scheme} ${apiKey}` },
    fetch: retries === null ? fetch : retryingFetch(retries ?? DEFAULT_RETRIES),
  };
}

/** An error response. Programs decide by `status` and `code`; texts are for people and may change. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    /** The `X-Error-Code`; `null` where the response has none. */
    readonly code: string | null,
    readonly body: unknown,
    /** The `Retry-After` of the response; `null` where it has none. The client itself waits for at most 60 seconds. */
    readonly retryAfterSeconds: number | null,
  ) {
    const later = retryAfterSeconds === null ? '' : ` (retry after ${retryAfterSeconds} s)`;
    super(`The API responded with ${status}${later}: ${JSON.stringify(body)}`);
    this.name = 'ApiError';
  }
}

/** A call of a client that was not awaited. */
export type Call<T> = Promise<{ readonly data?: T; readonly error?: unknown; readonly response: Response }>;

/** Returns the data of a response. Throws an ApiError for an error response: `const agent = await unwrap(client.POST(…))`. */
export async function unwrap<T>(call: Call<T>): Promise<T> {
  return (await unwrapWithHeaders(call)).data;
}

/** Like `unwrap`, with the headers of the response, for example `ETag`, `X-Total-Count` and `X-Notice`. */
export async function unwrapWithHeaders<T>(call: Call<T>): Promise<{ data: T; headers: Headers }> {
  const { data, error, response } = await call;
  if (!response.ok) throw new ApiError(response.status, errorCodeOf(response), error, retryAfterOf(response));
  return { data: data as T, headers: response.headers };
}

function retryAfterOf({ headers }: Response): number | null {
  const delay = parseRetryAfter(headers.get('retry-after'), Date.now());
  return delay === null ? null : Math.ceil(delay / 1000);
}
