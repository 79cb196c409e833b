import {
  BooleanField,
  EnumField,
  IntegerField,
  ListQuery,
  ObjectField,
  PatchOf,
  QueryBooleanField,
  StringField,
  StringListField,
} from '@app/http';
import { ADDRESSABLE_MEANS, ADDRESSABLE_PATTERN, type JsonObject } from '@app/kernel';
import { MODEL_TYPES, type ModelType } from '@app/models';

const VALUE = { maxLength: 255, pattern: ADDRESSABLE_PATTERN, patternMeans: ADDRESSABLE_MEANS };
/** Bounded because one response lists all providers. */
const PROVIDER = { maxLength: 255 };

export class CreateModelRequest {
  @StringField({
    required: true,
    ...VALUE,
    description: 'Model name at the model gateway, unique in the organization',
    example: 'acme/large',
  })
  readonly value!: string;

  @StringField({ required: true, description: 'Display name' })
  readonly label!: string;

  @StringField({ required: true, ...PROVIDER, description: 'Provider name' })
  readonly provider!: string;

  @EnumField(MODEL_TYPES, {
    empty: 'keep',
    default: 'text-generation',
    description: 'Kind of model. Default `text-generation` on creation',
  })
  readonly model_type?: ModelType;

  @StringField({ description: 'Path or URL of a logo' })
  readonly logo?: string | null;

  @StringField()
  readonly description?: string | null;

  @BooleanField({
    empty: 'keep',
    default: true,
    description: 'Whether the model is offered for use. Default true on creation',
  })
  readonly enabled?: boolean;

  @BooleanField({
    empty: 'keep',
    default: false,
    description: 'Whether clients should recommend the model. Default false on creation',
  })
  readonly recommended?: boolean;

  @StringListField({ empty: 'keep', description: 'Ids of the runtimes that can use the model', example: ['default'] })
  readonly compatible_runtimes?: string[];

  @ObjectField({ empty: 'keep', description: 'Free-form capabilities, for example `{"vision": true}`' })
  readonly capabilities?: JsonObject;

  @ObjectField({ empty: 'keep', description: 'Free-form prices' })
  readonly pricing?: JsonObject;

  @IntegerField({
    empty: 'keep',
    default: 1000,
    description: 'Position in lists; lower values come first. Default 1000 on creation',
  })
  readonly display_order?: number;
}

export class UpdateModelRequest extends PatchOf(CreateModelRequest) {}

export class ListModelsQuery extends ListQuery {
  @StringField({ empty: 'keep', description: 'Provider name' })
  readonly provider?: string;

  @StringField({ empty: 'keep', description: 'Id of a runtime that the model supports' })
  readonly runtime?: string;

  @StringField({ empty: 'keep', description: 'Kind of model' })
  readonly type?: string;

  @QueryBooleanField({ description: 'Whether the model is offered for use. Default: both' })
  readonly enabled?: boolean;

  @QueryBooleanField({ description: 'Whether the model is recommended. Default: both' })
  readonly recommended?: boolean;
}
