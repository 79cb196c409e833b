import { TracingConfig } from '@app/config';
import type { Scope } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable } from '@nestjs/common';
import type { Received, SentSpan } from '../ingest/sent-span.js';
import { UNMONITORED } from '../ingest/span-admission.js';
import { TraceIngestService } from '../ingest/trace-ingest.service.js';
import { PLATFORM } from './platform-span.js';
import { SpanExport } from './span-export.js';

const NO_USER = { userId: null, userName: null, userEmail: null, userAvatar: null };

/** Stores the spans that the platform makes itself, and sends them to the receiver that is configured. */
@Injectable()
export class PlatformSpansService {
  private readonly logger = createLogger('traces');

  constructor(
    private readonly ingest: TraceIngestService,
    private readonly sending: SpanExport,
    private readonly config: TracingConfig,
  ) {}

  get isEnabled(): boolean {
    return this.config.isEnabled;
  }

  /** Idempotent. Leaves out the spans of teams without monitoring. */
  async store(scope: Scope, spans: readonly SentSpan[]): Promise<void> {
    if (!this.isEnabled || spans.length === 0) return;
    const received = spans.map((span): Received => ({ resource: PLATFORM, scope: new Map(), span }));
    const { refused } = await this.ingest.ingest({ ...scope, ...NO_USER }, received);
    const refusals = new Set(refused.map(({ index }) => index));
    this.sending.send(spans.filter((_span, index) => !refusals.has(index)));
    const faults = refused.filter(({ reason }) => reason !== UNMONITORED);
    if (faults.length > 0) this.logger.error({ refused: faults.slice(0, 10) }, 'spans of the platform refused');
  }
}
