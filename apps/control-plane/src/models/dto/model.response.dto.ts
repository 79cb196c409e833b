import {
  ResponseBoolean,
  ResponseInteger,
  ResponseObject,
  ResponseString,
  ResponseStringList,
  ResponseTime,
} from '@app/http';
import type { JsonObject } from '@app/kernel';
import { MODEL_TYPES } from '@app/models';

export class ModelResponse {
  @ResponseString()
  readonly id!: string;

  @ResponseString({ description: 'Model name at the model gateway, unique in the organization' })
  readonly value!: string;

  @ResponseString({ description: 'Display name' })
  readonly label!: string;

  @ResponseString({ description: 'Provider name' })
  readonly provider!: string;

  @ResponseString({ enum: MODEL_TYPES, description: 'Kind of model' })
  readonly model_type!: string;

  @ResponseString({ nullable: true, description: 'Path or URL of a logo; null without one' })
  readonly logo!: string | null;

  @ResponseString({ nullable: true })
  readonly description!: string | null;

  @ResponseBoolean({ description: 'Whether the model is offered for use' })
  readonly enabled!: boolean;

  @ResponseBoolean({ description: 'Whether clients should recommend the model' })
  readonly recommended!: boolean;

  @ResponseStringList({ description: 'Ids of the runtimes that can use the model' })
  readonly compatible_runtimes!: readonly string[];

  @ResponseObject({ description: 'Free-form capabilities, for example `{"vision": true}`' })
  readonly capabilities!: JsonObject;

  @ResponseObject({ description: 'Free-form prices' })
  readonly pricing!: JsonObject;

  @ResponseInteger({ description: 'Position in lists; lower values come first' })
  readonly display_order!: number;

  @ResponseTime()
  readonly created_at!: string;

  @ResponseTime()
  readonly updated_at!: string;
}
