import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Caller, Scope } from '@app/kernel';

/** The parts of a request that guards, interceptors and handlers read, on the ordinary path and on the fast path. */
export interface WireRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Header names and values alternately, as received. */
  readonly rawHeaders?: readonly string[];
  caller?: Caller;
  /** The API key that the key guard accepted; undefined without a caller, or if a ticket identified the caller. */
  apiKey?: string;
  /**
   * The sender of a request to a public route, set by the guard of the route. The id is unique across all
   * organizations.
   */
  sender?: Scope & { readonly id: string };
  /** Calls `onEnd` once when the caller's key is revoked or expires. Returns a function that stops watching. */
  whenKeyEnds?: (onEnd: () => void) => () => void;
  /** The bytes of the body as received, for signatures. */
  rawBody?: Uint8Array;
}

/** A middleware of Express that also runs on the fast path. */
export type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;
