import { Database, isUniqueViolation } from '@app/database';
import type { Listed, Page, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ModelEntity } from './model.entity.js';
import { modelValueTaken } from './model.errors.js';
import type { Model, ModelFilter, UpdateModel } from './model.types.js';

@Injectable()
export class ModelRepository {
  constructor(private readonly database: Database) {}

  async insert(scope: Scope, model: Omit<Model, 'organization_id'>): Promise<Model> {
    const row = { ...model, organization_id: scope.organizationId };
    try {
      await this.database.insert(ModelEntity, row);
    } catch (error) {
      throw isUniqueViolation(error, 'uq_models_organization_id_value') ? modelValueTaken(model.value) : error;
    }
    return row;
  }

  /** In the order in which they are shown. */
  async list(scope: Scope, filter: ModelFilter, page: Page): Promise<Listed<Model>> {
    return this.database.list<Model>(page, {
      columns: '*',
      from: `models WHERE organization_id = $1 AND ($2::text IS NULL OR provider = $2)
        AND ($3::text IS NULL OR model_type = $3) AND ($4::text IS NULL OR $4 = ANY(compatible_runtimes))`,
      order: 'display_order, created_at DESC, id DESC',
      values: [scope.organizationId, filter.provider ?? null, filter.type ?? null, filter.runtime ?? null],
    });
  }

  /** By id, or else by value: both name one model. */
  async find(scope: Scope, idOrValue: string): Promise<Model | undefined> {
    const query = this.database
      .repository(ModelEntity)
      .createQueryBuilder('model')
      .where('model.organization_id = :organizationId', scope)
      .andWhere('(model.id = :idOrValue OR model.value = :idOrValue)', { idOrValue })
      .orderBy('model.id = :idOrValue', 'DESC');
    return (await query.getOne()) ?? undefined;
  }

  /** The recommended model that is shown first, or else the one that is shown first. */
  async findPreferred(scope: Scope): Promise<Model | undefined> {
    const preferred = await this.database.repository(ModelEntity).findOne({
      where: { organization_id: scope.organizationId, enabled: true },
      order: { recommended: 'DESC', display_order: 'ASC', created_at: 'DESC' },
    });
    return preferred ?? undefined;
  }

  /** Each once, by name. */
  async providers(scope: Scope, { skip, limit }: Page): Promise<Listed<string>> {
    const from = 'FROM models WHERE organization_id = $1';
    const [rows, counted] = await Promise.all([
      this.database.sql<{ provider: string }>(`SELECT DISTINCT provider ${from} ORDER BY provider LIMIT $2 OFFSET $3`, [
        scope.organizationId,
        limit,
        skip,
      ]),
      this.database.sql<{ total: number }>(`SELECT count(DISTINCT provider)::int AS total ${from}`, [
        scope.organizationId,
      ]),
    ]);
    return { items: rows.map(({ provider }) => provider), total: counted[0]?.total ?? 0 };
  }

  async update(
    scope: Scope,
    id: string,
    changes: UpdateModel & { readonly updated_at: Date },
  ): Promise<Model | undefined> {
    try {
      return await this.database.update(ModelEntity, { id, organization_id: scope.organizationId }, changes);
    } catch (error) {
      throw isUniqueViolation(error, 'uq_models_organization_id_value') ? modelValueTaken(changes.value ?? '') : error;
    }
  }

  /** Whether there was such a model. */
  async delete(scope: Scope, id: string): Promise<boolean> {
    const result = await this.database.repository(ModelEntity).delete({ id, organization_id: scope.organizationId });
    return (result.affected ?? 0) > 0;
  }
}
