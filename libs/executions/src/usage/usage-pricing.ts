import { DomainError, type JsonObject, type Scope } from '@app/kernel';
import { ModelService } from '@app/models';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { costOf, pricesIn, readUsage, type UsageColumns } from './usage-columns.js';

/**
 * Time for which prices are cached, because workers report usage far more often than prices change. A changed price
 * takes effect after at most this time.
 */
const PRICES_FRESH_MS = 10_000;

/** Reads the usage that workers report, and calculates its cost with the prices of the model. */
@Injectable()
export class UsagePricing {
  private readonly prices = new LRUCache<string, JsonObject>({ max: 10_000, ttl: PRICES_FRESH_MS });

  constructor(private readonly models: ModelService) {}

  async columnsOf(scope: Scope, usage: JsonObject): Promise<UsageColumns> {
    const columns = readUsage(usage);
    const { model, total_tokens: total } = columns;
    const priced = model !== null && total !== null && total > 0;
    return { ...columns, cost_nanos: priced ? costOf(columns, await this.pricesOf(scope, model)) : null };
  }

  private async pricesOf(scope: Scope, model: string): Promise<JsonObject> {
    const key = `${scope.organizationId} ${model}`;
    const known = this.prices.get(key);
    if (known !== undefined) return known;
    const prices = await this.readPrices(scope, model);
    this.prices.set(key, prices);
    return prices;
  }

  private async readPrices(scope: Scope, model: string): Promise<JsonObject> {
    try {
      return pricesIn((await this.models.read(scope, model)).pricing);
    } catch (error) {
      if (error instanceof DomainError && error.kind === 'not_found') return {};
      throw error;
    }
  }
}
