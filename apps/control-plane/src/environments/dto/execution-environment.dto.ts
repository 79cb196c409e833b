import { ObjectField, StringField, StringListField } from '@app/http';
import type { JsonObject } from '@app/kernel';

/** The known keys of an execution environment; other keys are stored with them. */
export class ExecutionEnvironment {
  @ObjectField({ description: 'Environment variables: values by name' })
  readonly env_vars?: JsonObject | null;

  @StringListField({
    description:
      'Names of the variables whose values are secret. Keys that only read get `***` in place of these values; `***` in a write keeps the stored value',
  })
  readonly secrets?: string[] | null;

  @StringListField({ maxItems: 50, description: 'Ids of integrations, at most 50' })
  readonly integration_ids?: string[] | null;

  @ObjectField({ description: 'MCP servers: configuration by name' })
  readonly mcp_servers?: JsonObject | null;

  @StringListField({
    description:
      'Names of variables that the MCP servers of a run receive even if only the request that starts the run sets them',
  })
  readonly start_variables?: string[] | null;

  @StringField({ description: 'Working directory of the execution' })
  readonly working_dir?: string | null;
}
