import { setTimeout as wait } from 'node:timers/promises';
import { ModelCatalogueConfig } from '@app/config';
import { Database } from '@app/database';
import { Clock, newId } from '@app/kernel';
import { createLogger } from '@app/observability';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { ModelCatalogueRepository, type RefreshClaim } from './model-catalogue.repository.js';
import { ModelGatewayClient, ModelGatewayError, TIME_LIMIT_MS } from './model-gateway.client.js';

/** The gateway whose cached models are listed now. */
export interface ListedGateway {
  /**
   * Null if no gateway is configured, if reading its models is switched off, or if the gateway has never listed its
   * models or has failed for too long.
   */
  readonly gateway: string | null;
  /** Age of the cached list in seconds; null without a gateway. */
  readonly ageSeconds: number | null;
}

const NONE: ListedGateway = { gateway: null, ageSeconds: null };
/** Time for which a process uses the state that it has read. */
const STATE_MS = 1000;
/** Longer than a refresh can take: two requests, and the writes. */
const CLAIM_SECONDS = (3 * TIME_LIMIT_MS) / 1000 + 10;
const BACKOFF = { firstSeconds: 5, maxSeconds: 300 };

/**
 * The cached list of the models of the gateway. The rows and the state of the cache are in PostgreSQL, shared by all
 * processes, so readers never wait for the gateway. A reader that finds the rows too old starts a refresh in the
 * background; only one process at a time refreshes. After a failure the rows remain, and the circuit breaker opens
 * (`RECORD_FAILURE`).
 */
@Injectable()
export class ModelCatalogue implements OnModuleDestroy {
  private readonly logger = createLogger('models');
  private readonly stopping = new AbortController();
  private readonly gateway: string | null;
  private state: { readonly listed: ListedGateway; readonly due: boolean; readonly readAt: number } | undefined;
  private running: Promise<void> | undefined;

  constructor(
    private readonly catalogues: ModelCatalogueRepository,
    private readonly client: ModelGatewayClient,
    private readonly config: ModelCatalogueConfig,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.gateway = config.refreshSeconds === 0 ? null : client.gateway;
  }

  /** Aborts a running refresh and waits for its end. */
  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** Returns what is listed now, without starting a refresh. */
  async current(): Promise<ListedGateway> {
    return (await this.readState()).listed;
  }

  /** Returns what is listed now, and starts a refresh if it is due. */
  async revalidated(): Promise<ListedGateway> {
    const { listed, due } = await this.readState();
    if (due) this.database.afterCommit(() => this.refresh());
    return listed;
  }

  /**
   * Refreshes at the start of a process, even if the circuit breaker is open, because the configuration may have
   * changed. If nothing can be listed yet, waits for the result for up to `maxMs`.
   */
  async start(maxMs: number): Promise<void> {
    if (this.gateway === null) return;
    const { gateway } = await this.current();
    const refreshed = this.refresh({ afterFailure: true });
    if (gateway !== null) return;
    await Promise.race([refreshed, wait(maxMs, undefined, { ref: false })]);
  }

  /** Reads the list of the gateway if this is due and no other process is doing it. Never throws. */
  refresh(options: { readonly afterFailure: boolean } = { afterFailure: false }): Promise<void> {
    this.running ??= this.refreshOnce(options.afterFailure).finally(() => {
      this.running = undefined;
      this.state = undefined;
    });
    return this.running;
  }

  private async refreshOnce(afterFailure: boolean): Promise<void> {
    if (this.gateway === null || this.stopping.signal.aborted) return;
    const claim = { gateway: this.gateway, claim: newId() };
    try {
      if (await this.catalogues.claim(claim, CLAIM_SECONDS, afterFailure)) await this.replace(claim);
    } catch (error) {
      this.logger.warn({ err: error }, 'the models of the gateway could not be stored');
    }
  }

  private async replace(claim: RefreshClaim): Promise<void> {
    try {
      const { models, omitted } = await this.client.listModels(this.stopping.signal);
      if (await this.catalogues.succeed(claim, models, this.config.refreshSeconds)) {
        this.logger.info({ models: models.length, omitted }, 'models of the gateway stored');
      }
    } catch (error) {
      if (!(error instanceof ModelGatewayError)) throw error;
      const failures = await this.catalogues.fail(claim, BACKOFF);
      if (failures === 1) this.logger.warn({ reason: error.message }, 'the model gateway did not list its models');
    }
  }

  private async readState(): Promise<{ readonly listed: ListedGateway; readonly due: boolean }> {
    if (this.gateway === null) return { listed: NONE, due: false };
    const now = this.clock.millis();
    if (this.state !== undefined && Math.abs(now - this.state.readAt) < STATE_MS) return this.state;
    const row = await this.catalogues.find(this.gateway, this.config.staleSeconds);
    const listed = row?.listed === true ? { gateway: this.gateway, ageSeconds: row.age_seconds } : NONE;
    this.state = { listed, due: row?.due ?? true, readAt: now };
    return this.state;
  }
}
