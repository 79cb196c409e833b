import { createHash } from 'node:crypto';
import { newId } from '@app/kernel';
import { createCounter, createHistogram } from '@app/metrics';
import { createLogger } from '@app/observability';
import { PlatformForCaller, type CallIdentity, type CallRecord, type PlatformEndpoint } from '@app/mcp-tools';
import { LRUCache } from 'lru-cache';

const OUTCOMES = ['succeeded', 'failed', 'refused', 'cancelled'] as const;
const calls = createCounter('tool_server_calls_total', 'Calls of tools, resources and prompts by outcome', {
  outcome: OUTCOMES,
});
const durations = createHistogram(
  'tool_server_call_duration_seconds',
  'Duration of calls of tools, resources and prompts',
  [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600],
);

const MAX_KEYS = 10_000;
const KEY_IDS_MS = 3_600_000;

/** The id of a key; null until the platform has answered, and if it does not accept the key. */
interface KeyLookup {
  id: string | null;
  readonly done: Promise<void>;
}

/**
 * Writes one line per call at its end: who called which tool with which key, and the outcome. The id of the key is looked
 * up from the start of the call on. A line that is written before the id is known has none; a second line with the same
 * `call_id` adds it.
 */
export class CallAudit {
  private readonly logger = createLogger('audit');
  /** By the digest of the key. */
  private readonly lookups = new LRUCache<string, KeyLookup>({ max: MAX_KEYS, ttl: KEY_IDS_MS });

  constructor(private readonly endpoint: PlatformEndpoint) {}

  /** Must be called at the start of a call. */
  expect({ apiKey }: CallIdentity): void {
    this.lookUp(apiKey);
  }

  /** @param isLongLived whether the token of the caller lives longer than recommended */
  record({ tool, identity, executionId, outcome, durationMs }: CallRecord, isLongLived: boolean): void {
    calls.inc({ outcome });
    durations.observe(durationMs / 1000);
    const lookup = identity === null ? null : this.lookUp(identity.apiKey);
    const callId = newId();
    const line = {
      call_id: callId,
      subject: identity?.subject ?? null,
      key_id: lookup?.id ?? null,
      tool,
      execution_id: executionId,
      outcome,
      duration_ms: durationMs,
      ...(isLongLived ? { long_lived_token: true } : {}),
    };
    this.logger.info(line, 'tool call');
    if (lookup !== null && lookup.id === null) void this.addKey(callId, lookup);
  }

  private async addKey(callId: string, lookup: KeyLookup): Promise<void> {
    await lookup.done;
    if (lookup.id !== null) this.logger.info({ call_id: callId, key_id: lookup.id }, 'key of a tool call');
  }

  private lookUp(apiKey: string): KeyLookup {
    const digest = createHash('sha256').update(apiKey).digest('base64');
    const known = this.lookups.get(digest);
    if (known !== undefined) return known;
    const reading = new PlatformForCaller(this.endpoint, apiKey).keyId();
    const lookup: KeyLookup = {
      id: null,
      done: reading.then(
        (id) => void (lookup.id = id),
        // The next call tries again.
        () => void (this.lookups.peek(digest) === lookup && this.lookups.delete(digest)),
      ),
    };
    this.lookups.set(digest, lookup);
    return lookup;
  }
}
