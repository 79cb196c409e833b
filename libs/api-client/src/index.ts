export {
  ApiError,
  createControlPlaneClient,
  createPlatformApiClient,
  unwrap,
  type ClientOptions,
  type ControlPlaneClient,
  type PlatformApiClient,
} from './client.js';
export { streamEvents, StreamRefused, type StreamedEvent, type StreamOptions } from './event-stream.js';
export type { components as ControlPlaneComponents } from './generated/control-plane.js';
export type { components as PlatformApiComponents } from './generated/platform-api.js';
export { backoff, readRetryAfter, withRetries, type RetryPolicy } from './retry.js';
export { DEFAULT_RETRIES, isStillRunning, type RetryOptions } from './retrying-fetch.js';
