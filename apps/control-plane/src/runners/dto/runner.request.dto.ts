import { NamedListQuery, ObjectField, PatchOf, StringField, StringListField } from '@app/http';
import type { JsonObject } from '@app/kernel';

export class CreateRunnerRequest {
  @StringField({
    required: true,
    maxLength: 255,
    description: 'Name, unique in the organization. Workers that send it as `runner_name` belong to the runner',
    example: 'gpu-7',
  })
  readonly name!: string;

  @StringField()
  readonly description?: string | null;

  @ObjectField({ empty: 'keep', description: 'Labels: values by name', example: { region: 'eu' } })
  readonly labels?: JsonObject;

  @ObjectField({ empty: 'keep', description: 'Free-form configuration' })
  readonly configuration?: JsonObject;

  @StringListField({ empty: 'keep' })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep', description: 'Free-form JSON object, stored unchanged' })
  readonly metadata?: JsonObject;
}

export class UpdateRunnerRequest extends PatchOf(CreateRunnerRequest) {}

export class ListRunnersQuery extends NamedListQuery {
  @StringField({ empty: 'keep', description: 'One of the tags' })
  readonly tag?: string;
}
