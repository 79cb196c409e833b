import type { JsonObject, Scope } from '@app/kernel';
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
    if (!priced) return { ...columns, cost_nanos: null };
    return { ...columns, cost_nanos: costOf(columns, (await this.pricesOf(scope, [model])).get(model) ?? {}) };
  }

  /** Returns the prices of models, by id or value; none for models that do not exist. Runs at most one statement. */
  async pricesOf({ organizationId }: Scope, models: readonly string[]): Promise<ReadonlyMap<string, JsonObject>> {
    const prices = new Map<string, JsonObject>();
    const unknown = models.filter((model) => {
      const known = this.prices.get(`${organizationId} ${model}`);
      if (known !== undefined) prices.set(model, known);
      return known === undefined;
    });
    const found = await this.models.byIdsOrValues({ organizationId }, unknown);
    for (const model of unknown) {
      const read = pricesIn(found.get(model)?.pricing ?? {});
      this.prices.set(`${organizationId} ${model}`, read);
      prices.set(model, read);
    }
    return prices;
  }
}
