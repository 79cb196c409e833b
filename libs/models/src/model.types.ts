import type { JsonObject, Patch } from '@app/kernel';

export const MODEL_TYPES = ['text-generation', 'embedding', 'multimodal'] as const;
export type ModelType = (typeof MODEL_TYPES)[number];

/** What a client may say of a model. */
export interface ModelFields {
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
  /** Lower is shown first. */
  readonly display_order: number;
}

export interface Model extends ModelFields {
  readonly id: string;
  readonly organization_id: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export type CreateModel = Pick<ModelFields, 'value' | 'label' | 'provider'> & Patch<ModelFields>;
export type UpdateModel = Patch<ModelFields>;

export interface ModelFilter {
  readonly provider?: string;
  /** One of the model's compatible runtimes. */
  readonly runtime?: string;
  readonly type?: string;
}
