import { ModelGatewayConfig } from '@app/config';
import { Clock, newId, type Listed, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { modelNotFound } from './model.errors.js';
import { ModelRepository } from './model.repository.js';
import type { CreateModel, Model, ModelFields, ModelFilter, UpdateModel } from './model.types.js';

/** What a model is where the client does not say. */
const DEFAULTS: Omit<ModelFields, 'value' | 'label' | 'provider'> = {
  model_type: 'text-generation',
  logo: null,
  description: null,
  enabled: true,
  recommended: false,
  compatible_runtimes: [],
  capabilities: {},
  pricing: {},
  display_order: 1000,
};

@Injectable()
export class ModelService {
  constructor(
    private readonly models: ModelRepository,
    private readonly gateway: ModelGatewayConfig,
    private readonly clock: Clock,
  ) {}

  async create(scope: Scope, request: CreateModel): Promise<Model> {
    const now = this.clock.now();
    return this.models.insert(scope, { ...DEFAULTS, ...request, id: newId(), created_at: now, updated_at: now });
  }

  async list(scope: Scope, filter: ModelFilter, page: Page): Promise<Listed<Model>> {
    return this.models.list(scope, filter, page);
  }

  async read(scope: Scope, idOrValue: string): Promise<Model> {
    const model = await this.models.find(scope, idOrValue);
    if (model === undefined) throw modelNotFound();
    return model;
  }

  /** The configured default where it is stored, else a recommended model, else the first one. */
  async readDefault(scope: Scope): Promise<Model> {
    const { defaultModel } = this.gateway;
    const configured = defaultModel === null ? undefined : await this.models.find(scope, defaultModel);
    const model = configured ?? (await this.models.findPreferred(scope));
    if (model === undefined) throw modelNotFound();
    return model;
  }

  async providers(scope: Scope, page: Page): Promise<Listed<string>> {
    return this.models.providers(scope, page);
  }

  async update(scope: Scope, idOrValue: string, changes: UpdateModel): Promise<Model> {
    const { id } = await this.read(scope, idOrValue);
    const updated = await this.models.update(scope, id, { ...changes, updated_at: this.clock.now() });
    if (updated === undefined) throw modelNotFound();
    return updated;
  }

  /** Answers the id of what was deleted. */
  async delete(scope: Scope, idOrValue: string): Promise<string> {
    const { id } = await this.read(scope, idOrValue);
    if (!(await this.models.delete(scope, id))) throw modelNotFound();
    return id;
  }
}
