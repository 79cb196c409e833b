import type { JsonObject, PageResult, Patch } from '@app/kernel';

export const MODEL_TYPES = ['text-generation', 'embedding', 'multimodal'] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

/** The fields a client can set. */
export interface ModelFields {
  /** Name of the model at the model gateway; unique in the organization. */
  readonly value: string;
  readonly label: string;
  readonly provider: string;
  readonly model_type: ModelType;
  readonly logo: string | null;
  readonly description: string | null;
  readonly enabled: boolean;
  readonly recommended: boolean;
  readonly compatible_runtimes: readonly string[];
  readonly capabilities: JsonObject;
  readonly pricing: JsonObject;
  /** Position in lists; lower values come first. */
  readonly display_order: number;
}

/** Where a model comes from: the organization stored it, or the model gateway lists it. */
export type ModelSource = 'stored' | 'gateway';

export interface Model extends ModelFields {
  readonly id: string;
  readonly source: ModelSource;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Row of a stored model. */
export interface StoredModel extends Omit<Model, 'source'> {
  readonly organization_id: string;
}

/** Row of a new model, without its organization. */
export type NewModel = Omit<StoredModel, 'organization_id'>;
export type CreateModel = Pick<ModelFields, 'value' | 'label' | 'provider'> & Patch<ModelFields>;
export type UpdateModel = Patch<ModelFields>;

export interface ModelFilter {
  readonly provider?: string;
  /** Matches models that list this runtime in `compatible_runtimes`. */
  readonly runtime?: string;
  readonly type?: string;
  readonly enabled?: boolean;
  readonly recommended?: boolean;
}

/** The sources of a response. */
export interface ModelOrigin {
  readonly sources: readonly ModelSource[];
  /** Seconds since the gateway listed its models; null if they are not a source. */
  readonly ageSeconds: number | null;
}

/** A page with its sources. */
export interface OriginatedPage<T> extends PageResult<T> {
  readonly origin: ModelOrigin;
}
