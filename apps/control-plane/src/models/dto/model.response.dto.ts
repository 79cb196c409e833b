import { OutBoolean, OutInteger, OutObject, OutString, OutStrings, OutTime } from '@app/http';
import type { JsonObject } from '@app/kernel';
import { MODEL_TYPES } from '@app/models';

export class ModelResponse {
  @OutString()
  readonly id!: string;

  @OutString({ description: 'Model identifier' })
  readonly value!: string;

  @OutString({ description: 'Display name' })
  readonly label!: string;

  @OutString()
  readonly provider!: string;

  @OutString({ enum: MODEL_TYPES })
  readonly model_type!: string;

  @OutString({ nullable: true })
  readonly logo!: string | null;

  @OutString({ nullable: true })
  readonly description!: string | null;

  @OutBoolean()
  readonly enabled!: boolean;

  @OutBoolean()
  readonly recommended!: boolean;

  @OutStrings()
  readonly compatible_runtimes!: readonly string[];

  @OutObject()
  readonly capabilities!: JsonObject;

  @OutObject()
  readonly pricing!: JsonObject;

  @OutInteger()
  readonly display_order!: number;

  @OutTime()
  readonly created_at!: string;

  @OutTime()
  readonly updated_at!: string;
}
