import createClient, { type Client } from 'openapi-fetch';
import type { paths as ControlPlanePaths } from './generated/control-plane.js';
import type { paths as PlatformApiPaths } from './generated/platform-api.js';
import { DEFAULT_RETRIES, idempotentPosts, retryingFetch, type RetryOptions } from './retrying-fetch.js';

export interface ClientOptions {
  /** Without a trailing slash and without /api/v1. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** `null`: no repetition. Default: four retries with growing pauses. */
  readonly retries?: RetryOptions | null;
}

export type ControlPlaneClient = Client<ControlPlanePaths>;
export type PlatformApiClient = Client<PlatformApiPaths>;

export function createControlPlaneClient(options: ClientOptions): ControlPlaneClient {
  const client = createClient<ControlPlanePaths>(clientOptions(options, 'Bearer'));
  if (options.retries !== null) client.use(idempotentPosts);
  return client;
}

export function createPlatformApiClient(options: ClientOptions): PlatformApiClient {
  const client = createClient<PlatformApiPaths>(clientOptions(options, 'UserKey'));
  if (options.retries !== null) client.use(idempotentPosts);
  return client;
}

function clientOptions({ baseUrl, apiKey, retries }: ClientOptions, scheme: string) {
  return {
    baseUrl,
    headers: { Authorization: `${scheme} ${apiKey}` },
    fetch: retries === null ? fetch : retryingFetch(retries ?? DEFAULT_RETRIES),
  };
}

/** A refusal, with what the server said. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {
    super(`The API answered ${status}: ${JSON.stringify(body)}`);
    this.name = 'ApiError';
  }
}

/** The data of an answer, or an ApiError: `const agent = await unwrap(client.POST(…))`. */
export async function unwrap<T>(answer: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await answer;
  if (!response.ok) throw new ApiError(response.status, error);
  return data as T;
}
