import { Database } from '@app/database';
import { Injectable } from '@nestjs/common';
import type { GatewayModel } from './gateway-models.js';
import {
  CLAIM_REFRESH,
  DELETE_OLD_CATALOGUES,
  FIND_CATALOGUE,
  RECORD_FAILURE,
  RECORD_SUCCESS,
  REPLACE_GATEWAY_MODELS,
} from './model-catalogue.sql.js';

/** Time after which the models of a gateway that is no longer configured are deleted. */
const FORGOTTEN_AFTER_SECONDS = 7 * 86_400;

export interface CatalogueRow {
  readonly listed: boolean;
  readonly age_seconds: number | null;
  readonly due: boolean;
}

/** The state of the cache of one gateway. */
export interface StoredCatalogue {
  /** Digest of the URL of the gateway. */
  readonly gateway: string;
  /** Id of the refresh that was started last. */
  readonly claim: string;
  /** No other process starts a refresh before this time. */
  readonly claimed_until: Date;
  readonly due_at: Date;
  /** Null until the gateway has listed its models once. */
  readonly fetched_at: Date | null;
  /** Time of the first failure since the last success. */
  readonly failing_since: Date | null;
  /** Consecutive failures. */
  readonly failures: number;
}

/** The right to refresh the catalogue of a gateway. */
export type RefreshClaim = Pick<StoredCatalogue, 'gateway' | 'claim'>;

@Injectable()
export class ModelCatalogueRepository {
  constructor(private readonly database: Database) {}

  async find(gateway: string, staleSeconds: number): Promise<CatalogueRow | undefined> {
    const [row] = await this.database.prepared<CatalogueRow & object>(FIND_CATALOGUE, [gateway, staleSeconds]);
    return row;
  }

  /** Returns false if the refresh is not due, or claimed by another process. */
  async claim({ gateway, claim }: RefreshClaim, seconds: number, afterFailure: boolean): Promise<boolean> {
    return (await this.database.sql(CLAIM_REFRESH, [gateway, claim, seconds, afterFailure])).length > 0;
  }

  /** Returns false, and writes nothing, if another refresh was claimed meanwhile. */
  async succeed(
    { gateway, claim }: RefreshClaim,
    models: readonly GatewayModel[],
    nextSeconds: number,
  ): Promise<boolean> {
    return this.database.transaction(async () => {
      const recorded = await this.database.sql(RECORD_SUCCESS, [gateway, claim, nextSeconds]);
      if (recorded.length === 0) return false;
      await this.database.sql(REPLACE_GATEWAY_MODELS, [gateway, JSON.stringify(models)]);
      await this.database.sql(DELETE_OLD_CATALOGUES, [gateway, FORGOTTEN_AFTER_SECONDS]);
      return true;
    });
  }

  /** Returns the number of consecutive failures; undefined if another refresh was claimed meanwhile. */
  async fail(
    { gateway, claim }: RefreshClaim,
    backoff: { readonly firstSeconds: number; readonly maxSeconds: number },
  ): Promise<number | undefined> {
    const values = [gateway, claim, backoff.firstSeconds, backoff.maxSeconds];
    return (await this.database.sql<Pick<StoredCatalogue, 'failures'>>(RECORD_FAILURE, values))[0]?.failures;
  }
}
