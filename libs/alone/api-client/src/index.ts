export {
  ApiError,
  createControlPlaneClient,
  createPlatformApiClient,
  unwrap,
  unwrapWithHeaders,
  type Call,
  type ClientOptions,
  type ControlPlaneClient,
  type PlatformApiClient,
} from './client.js';
export { items, pages, type ListPage } from './pages.js';
export { nearestNumber, parseWithBigInts, stringifyWithBigInts } from './exact-numbers.js';
export { streamEvents, StreamRefused, streamUrl, type StreamCredential, type StreamOptions } from './event-stream.js';
export type { AnyEvent, EventData, EventOf, KnownEventType, StreamedEvent } from './event-types.js';
export type { components as ControlPlaneComponents, paths as ControlPlanePaths } from './generated/control-plane.js';
export { LIST_FILTERS } from './generated/list-filters.js';
export { REQUEST_FIELDS, type RequestFields } from './generated/request-fields.js';
export type { components as PlatformApiComponents, paths as PlatformApiPaths } from './generated/platform-api.js';
export type { IgnoredFields } from './ignored-fields.js';
export type { Notice } from './notices.js';
export { errorCodeOf, isTransient } from './error-code.js';
export { backoff, pause, readRetryAfter, withRetries, type Backoff, type RetryPolicy } from './retry.js';
export { DEFAULT_RETRIES, retryingFetch, type RetryOptions, type RetryRules } from './retrying-fetch.js';
