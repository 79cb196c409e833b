import { ModelGatewayConfig } from '@app/config';
import { EntityUses } from '@app/database';
import { Clock, newId, type Page, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { ModelCatalogue } from './catalogue/model-catalogue.js';
import { modelInUse, modelNotFound, modelNotStored } from './model.errors.js';
import { ModelRepository } from './model.repository.js';
import type {
  CreateModel,
  Model,
  ModelFields,
  ModelFilter,
  ModelOrigin,
  OriginatedPage,
  UpdateModel,
} from './model.types.js';

/** The values of omitted fields. */
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

/** The provider of the default model. Only the gateway knows the actual one. */
const PROVIDER = 'gateway';

/** A placeholder while the gateway has not listed any models. Every model of the gateway precedes it. */
const UNLISTED: CreateModel = {
  value: 'default',
  label: 'Default model of the gateway',
  provider: PROVIDER,
  description:
    'The model gateway had not listed its models when the organization was created. Delete this model once it has.',
  display_order: 1_000_000,
};

/** Time for which a starting process waits for the first list of the gateway. */
const START_WAIT_MS = 2000;

@Injectable()
export class ModelService {
  constructor(
    private readonly models: ModelRepository,
    private readonly catalogue: ModelCatalogue,
    private readonly gateway: ModelGatewayConfig,
    private readonly uses: EntityUses,
    private readonly clock: Clock,
  ) {}

  /** Reads the models of the gateway at the start of a process, so that the first reader finds them. */
  async start(): Promise<void> {
    await this.catalogue.start(START_WAIT_MS);
  }

  async create(scope: Scope, request: CreateModel): Promise<Model> {
    const now = this.clock.now();
    return this.models.insert(scope, { ...DEFAULTS, ...request, id: newId(), created_at: now, updated_at: now });
  }

  /**
   * Stores a model for a new organization, so that its list and its default are not empty: the default model of the
   * configuration, unless the gateway lists it; `UNLISTED` if none is configured and the gateway has not listed any
   * models yet. A model that the gateway lists is not stored, because this would hide the prices and capabilities that
   * the gateway states.
   */
  async provisionDefault(scope: Scope): Promise<void> {
    const { defaultModel, url } = this.gateway;
    const { gateway } = await this.catalogue.current();
    if (defaultModel === null) {
      if (url !== null && gateway === null) await this.create(scope, UNLISTED);
      return;
    }
    if ((await this.models.find(scope, gateway, defaultModel)) !== undefined) return;
    await this.create(scope, { value: defaultModel, label: defaultModel, provider: PROVIDER, recommended: true });
  }

  /** Ordered by `display_order`, then newest first. */
  async list(scope: Scope, filter: ModelFilter, page: Page): Promise<OriginatedPage<Model>> {
    const { gateway, ageSeconds } = await this.catalogue.revalidated();
    return { ...(await this.models.list(scope, gateway, filter, page)), origin: originOf(ageSeconds) };
  }

  async read(scope: Scope, idOrValue: string): Promise<Model> {
    const { gateway } = await this.catalogue.revalidated();
    const model = await this.models.find(scope, gateway, idOrValue);
    if (model === undefined) throw modelNotFound();
    return model;
  }

  /** Returns the models that exist, by the requested id or value. Runs at most one statement. */
  async byIdsOrValues(scope: Scope, idsOrValues: readonly string[]): Promise<ReadonlyMap<string, Model>> {
    if (idsOrValues.length === 0) return new Map();
    const { gateway } = await this.catalogue.revalidated();
    return this.models.findNamed(scope, gateway, [...new Set(idsOrValues)]);
  }

  /**
   * Returns the model of runs without one: the configured default model, even if it is disabled, as a value if it is
   * neither stored nor listed by the gateway. If none is configured, the first enabled model: one that the gateway
   * recommends, otherwise a stored recommended one, otherwise any; an embedding model only if there is no other.
   */
  async findDefault(scope: Scope): Promise<Model | Pick<Model, 'value'> | undefined> {
    const { defaultModel } = this.gateway;
    const { gateway } = await this.catalogue.revalidated();
    if (defaultModel === null) return this.models.findPreferred(scope, gateway);
    return (await this.models.find(scope, gateway, defaultModel)) ?? { value: defaultModel };
  }

  /**
   * Like `findDefault`, but if the configured default model is neither stored nor listed by the gateway, returns the
   * model of runs without that setting, because the interface promises a model of the catalogue. Throws `not_found` if
   * there is none.
   */
  async readDefault(scope: Scope): Promise<Model> {
    const found = await this.findDefault(scope);
    if (found !== undefined && 'id' in found) return found;
    const { gateway } = await this.catalogue.revalidated();
    const model = await this.models.findPreferred(scope, gateway);
    if (model === undefined) throw modelNotFound();
    return model;
  }

  async originOf({ source }: Model): Promise<ModelOrigin> {
    const { ageSeconds } = await this.catalogue.current();
    return { sources: [source], ageSeconds: source === 'gateway' ? ageSeconds : null };
  }

  /** Returns the providers of all models, in alphabetical order without duplicates. */
  async listProviders(scope: Scope, page: Page): Promise<OriginatedPage<string>> {
    const { gateway, ageSeconds } = await this.catalogue.revalidated();
    return { ...(await this.models.listProviders(scope, gateway, page)), origin: originOf(ageSeconds) };
  }

  async update(scope: Scope, idOrValue: string, changes: UpdateModel): Promise<Model> {
    const { id } = await this.readStored(scope, idOrValue);
    const updated = await this.models.update(scope, id, { ...changes, updated_at: this.clock.now() });
    if (updated === undefined) throw modelNotFound();
    return updated;
  }

  /**
   * Returns the id of the deleted model. Throws a `conflict` that lists what refers to it, unless the references are by
   * value and the gateway lists the value.
   */
  async delete(scope: Scope, idOrValue: string): Promise<string> {
    const { id, value } = await this.readStored(scope, idOrValue);
    const { gateway } = await this.catalogue.revalidated();
    const listed = await this.models.isListed(gateway, value);
    const places = await this.uses.describe(scope, 'model', listed ? [id] : [id, value]);
    if (places !== undefined) throw modelInUse(value, places);
    if (!(await this.models.delete(scope, id))) throw modelNotFound();
    return id;
  }

  private async readStored(scope: Scope, idOrValue: string): Promise<Model> {
    const model = await this.read(scope, idOrValue);
    if (model.source === 'gateway') throw modelNotStored(model.value);
    return model;
  }
}

/** Returns the sources of a list: stored models and, if their age is known, those of the gateway. */
function originOf(ageSeconds: number | null): ModelOrigin {
  return { sources: ageSeconds === null ? ['stored'] : ['gateway', 'stored'], ageSeconds };
}
