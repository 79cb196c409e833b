import { ObjectField, StringField, StringListField } from '@app/http';
import type { JsonObject } from '@app/kernel';

/** The keys of an execution environment that have a meaning here; others are kept beside them. */
export class ExecutionEnvironment {
  @ObjectField({ description: 'Name → value' })
  readonly env_vars?: JsonObject | null;

  @StringListField({ description: 'Names of variables whose values are not to be shown' })
  readonly secrets?: string[] | null;

  @StringListField()
  readonly integration_ids?: string[] | null;

  @ObjectField()
  readonly mcp_servers?: JsonObject | null;

  @StringField()
  readonly working_dir?: string | null;
}
