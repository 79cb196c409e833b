import { BooleanField, EnumField, IntegerField, ListQuery, ObjectField, StringField, StringListField } from '@app/http';
import { ADDRESSABLE_MEANS, ADDRESSABLE_PATTERN, type JsonObject } from '@app/kernel';
import { MODEL_TYPES, type ModelType } from '@app/models';

const VALUE = { maxLength: 255, pattern: ADDRESSABLE_PATTERN, patternMeans: ADDRESSABLE_MEANS };
/** All of them are listed at once. */
const PROVIDER = { maxLength: 255 };

export class CreateModelRequest {
  @StringField({
    required: true,
    ...VALUE,
    description: 'Model identifier, unique in the organization',
    example: 'acme/large',
  })
  readonly value!: string;

  @StringField({ required: true, description: 'Display name' })
  readonly label!: string;

  @StringField({ required: true, ...PROVIDER, description: 'Provider name' })
  readonly provider!: string;

  @EnumField(MODEL_TYPES, { empty: 'keep', default: 'text-generation' })
  readonly model_type?: ModelType;

  @StringField({ description: 'Logo path or URL' })
  readonly logo?: string | null;

  @StringField()
  readonly description?: string | null;

  @BooleanField({ empty: 'keep', default: true })
  readonly enabled?: boolean;

  @BooleanField({ empty: 'keep', default: false })
  readonly recommended?: boolean;

  @StringListField({ empty: 'keep', description: 'Runtime ids', example: ['default'] })
  readonly compatible_runtimes?: string[];

  @ObjectField({ empty: 'keep' })
  readonly capabilities?: JsonObject;

  @ObjectField({ empty: 'keep' })
  readonly pricing?: JsonObject;

  @IntegerField({ empty: 'keep', default: 1000, description: 'Lower is shown first' })
  readonly display_order?: number;
}

export class UpdateModelRequest {
  @StringField({ empty: 'keep', ...VALUE })
  readonly value?: string;

  @StringField({ empty: 'keep' })
  readonly label?: string;

  @StringField({ empty: 'keep', ...PROVIDER })
  readonly provider?: string;

  @EnumField(MODEL_TYPES, { empty: 'keep' })
  readonly model_type?: ModelType;

  @StringField({ description: 'Logo path or URL' })
  readonly logo?: string | null;

  @StringField()
  readonly description?: string | null;

  @BooleanField({ empty: 'keep' })
  readonly enabled?: boolean;

  @BooleanField({ empty: 'keep' })
  readonly recommended?: boolean;

  @StringListField({ empty: 'keep' })
  readonly compatible_runtimes?: string[];

  @ObjectField({ empty: 'keep' })
  readonly capabilities?: JsonObject;

  @ObjectField({ empty: 'keep' })
  readonly pricing?: JsonObject;

  @IntegerField({ empty: 'keep' })
  readonly display_order?: number;
}

export class ListModelsQuery extends ListQuery {
  @StringField({ empty: 'keep' })
  readonly provider?: string;

  @StringField({ empty: 'keep', description: 'A compatible runtime' })
  readonly runtime?: string;

  @StringField({ empty: 'keep', description: 'The model type' })
  readonly type?: string;
}
