import { EnvVar } from './env-var.js';
import { integer } from './parsers.js';

const MIB = 1_048_576;

/** The largest configurable limit. Each request counted within a day occupies six bytes in Redis. */
export const MAX_RATE_LIMIT = 1_000_000;

/** Requests to the platform API per API key; a key can have limits of its own. */
export class RateLimitConfig {
  @EnvVar('RATE_LIMIT_BURST', integer({ min: 1, max: MAX_RATE_LIMIT }), {
    default: 20,
    doc: 'Requests of an API key to the platform API within any 10 seconds.',
  })
  readonly burst!: number;

  @EnvVar('RATE_LIMIT_PER_MINUTE', integer({ min: 1, max: MAX_RATE_LIMIT }), {
    default: 100,
    doc: 'Requests of an API key to the platform API within any minute.',
  })
  readonly perMinute!: number;

  @EnvVar('RATE_LIMIT_PER_DAY', integer({ min: 1, max: MAX_RATE_LIMIT }), {
    default: 5000,
    doc: 'Requests of an API key to the platform API within any 24 hours.',
  })
  readonly perDay!: number;
}

/**
 * WebSockets of an organization. Each occupies a connection, and up to a few megabytes of memory for events that its
 * client has not read.
 */
export class WebSocketConfig {
  @EnvVar('WEBSOCKET_CONNECTIONS', integer({ min: 0, max: 1_000_000 }), {
    default: 1000,
    doc: 'Maximum number of WebSockets of an organization to each control plane process. 0 switches WebSockets off.',
  })
  readonly maxConnections!: number;
}

/**
 * Event streams, as server-sent events and WebSockets. A stream that its client does not read holds at most one page of
 * stored messages or events; a message has up to 10 MiB.
 */
export class StreamConfig {
  @EnvVar('STREAM_CONNECTIONS', integer({ min: 1, max: 1_000_000 }), {
    default: 5000,
    doc: 'Maximum number of event streams of an organization to each process, WebSockets of executions included.',
  })
  readonly maxStreams!: number;

  @EnvVar('STREAM_QUEUED_BYTES', integer({ min: 16 * MIB, max: 4096 * MIB }), {
    default: 64 * MIB,
    doc: 'Bytes that the event streams of an organization hold in each process for clients that have not read them. Beyond it, streams wait and new ones get status 503.',
  })
  readonly queuedBytes!: number;

  @EnvVar('STREAM_QUEUED_BYTES_OF_PROCESS', integer({ min: 16 * MIB, max: 65_536 * MIB }), {
    default: 256 * MIB,
    doc: 'The same limit for the event streams of all organizations together.',
  })
  readonly queuedBytesOfProcess!: number;
}

/** Clients that do not read their response. */
export class ResponseConfig {
  @EnvVar('RESPONSE_STALL_SECONDS', integer({ min: 1, max: 3600 }), {
    default: 60,
    doc: 'Time in seconds within which a client must accept at least 16 KiB of a response; otherwise its connection is closed. Does not apply to streams.',
  })
  readonly stallSeconds!: number;

  @EnvVar('RESPONSE_QUEUED_BYTES', integer({ min: 16 * MIB, max: 4096 * MIB }), {
    default: 128 * MIB,
    doc: 'Bytes of the JSON responses of 64 KiB or more that each process sends to an organization at a time. Beyond it, reads get status 503.',
  })
  readonly queuedBytes!: number;

  @EnvVar('RESPONSE_QUEUED_BYTES_OF_PROCESS', integer({ min: 16 * MIB, max: 65_536 * MIB }), {
    default: 256 * MIB,
    doc: 'The same limit for the responses to all organizations together.',
  })
  readonly queuedBytesOfProcess!: number;
}

/**
 * Limits the rate of requests of each organization to a control plane process, so that no organization can occupy the
 * process.
 */
export class FairShareConfig {
  @EnvVar('FAIR_SHARE_PER_SECOND', integer({ min: 0, max: 1_000_000 }), {
    default: 1000,
    doc: 'Requests per second of an organization to each control plane process; 0: no limit.',
  })
  readonly perSecond!: number;

  @EnvVar('FAIR_SHARE_BURST', integer({ min: 1, max: 1_000_000 }), {
    default: 2000,
    doc: 'Maximum burst of requests of an organization to each control plane process.',
  })
  readonly burst!: number;
}
