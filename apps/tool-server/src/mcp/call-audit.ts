import { createHash } from 'node:crypto';
import { createCounter, createHistogram } from '@app/metrics';
import { createLogger } from '@app/observability';
import { PlatformForCaller, type CallRecord } from '@app/workflow-tools';
import { LRUCache } from 'lru-cache';

const OUTCOMES = ['succeeded', 'failed', 'refused', 'cancelled'] as const;
const calls = createCounter('tool_server_calls_total', 'Tool calls by outcome', { outcome: OUTCOMES });
const durations = createHistogram(
  'tool_server_call_duration_seconds',
  'Duration of tool calls',
  [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600],
);

const MAX_KEYS = 10_000;
const KEY_IDS_MS = 3_600_000;

/** Writes one line per call: who called which tool with which key, and what became of it. */
export class CallAudit {
  private readonly logger = createLogger('audit');
  /** By the digest of the key. */
  private readonly keyIds = new LRUCache<string, Promise<string | null>>({ max: MAX_KEYS, ttl: KEY_IDS_MS });

  constructor(private readonly platformUrl: string) {}

  /** @param isLongLived whether the token of the caller lives longer than recommended */
  async record({ tool, identity, executionId, outcome, durationMs }: CallRecord, isLongLived: boolean): Promise<void> {
    calls.inc({ outcome });
    durations.observe(durationMs / 1000);
    const line = {
      subject: identity?.subject ?? null,
      key_id: identity === null ? null : await this.keyIdOf(identity.apiKey),
      tool,
      execution_id: executionId,
      outcome,
      duration_ms: durationMs,
      ...(isLongLived ? { long_lived_token: true } : {}),
    };
    this.logger.info(line, 'tool call');
  }

  /** Returns the id of a key; null if the platform does not accept it or does not respond. */
  private keyIdOf(apiKey: string): Promise<string | null> {
    const digest = createHash('sha256').update(apiKey).digest('base64');
    const known = this.keyIds.get(digest);
    if (known !== undefined) return known;
    const reading = new PlatformForCaller(this.platformUrl, apiKey).keyId().catch(() => {
      this.keyIds.delete(digest);
      return null;
    });
    this.keyIds.set(digest, reading);
    return reading;
  }
}
