import { Database, rejectDuplicate, rejectWrongKeys } from '@app/database';
import {
  decodeCursor,
  encodeCursor,
  pageOf,
  type CursorKeys,
  type Page,
  type PageResult,
  type Scope,
} from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ModelEntity } from './model.entity.js';
import { modelValueTaken } from './model.errors.js';
import {
  COUNT_MODELS,
  FIND_MODEL,
  FIND_NAMED_MODELS,
  FIND_PREFERRED_MODEL,
  IS_LISTED,
  LIST_MODELS,
  LIST_PROVIDERS,
} from './model.sql.js';
import type { Model, ModelFilter, NewModel, StoredModel, UpdateModel } from './model.types.js';

/** `page_more`: whether rows follow the page. */
type ListedModel = Model & { readonly page_more: boolean };

const UNIQUE_VALUE = 'uq_models_organization_id_value';

/**
 * The models of an organization: stored models, and models of a gateway whose values are not stored. `gateway`: the
 * gateway whose models are listed; null lists only stored models.
 */
@Injectable()
export class ModelRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, model: NewModel): Promise<Model> {
    const inserted = this.database.insert(ModelEntity, { ...model, organization_id: organizationId });
    return toModel(await rejectDuplicate(inserted, UNIQUE_VALUE, () => modelValueTaken(model.value)));
  }

  /** Ordered by `display_order`, then newest first. */
  async list(
    { organizationId }: Scope,
    gateway: string | null,
    filter: ModelFilter,
    { skip, limit, cursor, total = true }: Page,
  ): Promise<PageResult<Model>> {
    const { provider, type, runtime, enabled, recommended } = filter;
    const given = [provider, type, runtime, enabled, recommended].map((value) => value ?? null);
    const matching = [organizationId, gateway, ...given];
    const list = `models:${JSON.stringify([organizationId, ...given])}`;
    const after = cursor === undefined ? [null, null, null] : decodeCursor(cursor, list, 3);
    const listed = this.database.boundedRows<ListedModel>(limit, {
      text: LIST_MODELS,
      values: [...matching, skip, limit, ...after],
    });
    const [rows, counted] = await Promise.all([
      cursor === undefined ? listed : rejectWrongKeys(listed),
      total ? this.database.sql<{ total: number }>(COUNT_MODELS, matching) : undefined,
    ]);
    const last = rows.at(-1);
    return {
      items: rows.map(({ page_more: _more, ...model }) => model),
      total: counted === undefined ? undefined : (counted[0]?.total ?? 0),
      nextCursor: last?.page_more === true ? encodeCursor(list, positionOf(last)) : undefined,
    };
  }

  /** Returns the model with this id, otherwise the model with this value; stored ones take precedence. */
  async find({ organizationId }: Scope, gateway: string | null, idOrValue: string): Promise<Model | undefined> {
    const [model] = await this.database.shared<Model & object>(FIND_MODEL, [organizationId, gateway, idOrValue]);
    return model;
  }

  /** Like `find` for several ids or values. Returns the models that exist, by the requested id or value. */
  async findNamed(
    { organizationId }: Scope,
    gateway: string | null,
    idsOrValues: readonly string[],
  ): Promise<ReadonlyMap<string, Model>> {
    const found = await this.database.shared<Model & { readonly word: string }>(FIND_NAMED_MODELS, [
      organizationId,
      gateway,
      idsOrValues,
    ]);
    return new Map(found.map(({ word, ...model }) => [word, model]));
  }

  /** Returns whether the gateway lists a model with this value. */
  async isListed(gateway: string | null, value: string): Promise<boolean> {
    return (await this.database.sql(IS_LISTED, [gateway, value])).length > 0;
  }

  /**
   * Returns the first enabled model, in this order: models that the gateway recommends, stored recommended ones, others
   * in the order of the list, embedding models.
   */
  async findPreferred({ organizationId }: Scope, gateway: string | null): Promise<Model | undefined> {
    const [model] = await this.database.shared<Model & object>(FIND_PREFERRED_MODEL, [organizationId, gateway]);
    return model;
  }

  /** Returns the distinct providers in alphabetical order. */
  async listProviders(scope: Scope, gateway: string | null, page: Page): Promise<PageResult<string>> {
    const { organizationId } = scope;
    const rows = await this.database.sql<{ provider: string }>(LIST_PROVIDERS, [organizationId, gateway]);
    const providers = rows.map(({ provider }) => provider).toSorted();
    return pageOf(providers, page, `model-providers:${organizationId}`, (provider) => provider);
  }

  async update(
    { organizationId }: Scope,
    id: string,
    changes: UpdateModel & { readonly updated_at: Date },
  ): Promise<Model | undefined> {
    const update = this.database.update(ModelEntity, { id, organization_id: organizationId }, changes);
    const updated = await rejectDuplicate(update, UNIQUE_VALUE, () => modelValueTaken(changes.value ?? ''));
    return updated === undefined ? undefined : toModel(updated);
  }

  /** Returns false if there is no such model. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(ModelEntity, { id, organization_id: organizationId });
  }
}

function toModel({ organization_id: _organization, ...model }: StoredModel): Model {
  return { ...model, source: 'stored' };
}

/** Returns the values that the list is ordered by. */
function positionOf({ display_order, created_at, id }: Model): CursorKeys {
  return [String(display_order), created_at.toISOString(), id];
}
