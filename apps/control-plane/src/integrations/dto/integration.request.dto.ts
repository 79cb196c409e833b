import { NamedListQuery, ObjectField, OpenObjectField, PatchOf, StringField, StringListField } from '@app/http';
import type { JsonObject } from '@app/kernel';

/** A run reads the configurations of up to 50 integrations per layer. */
const MAX_CONFIGURATION_BYTES = 65_536;

/** The keys of a configuration that affect runs; other keys are only stored. */
class IntegrationConfiguration {
  @ObjectField({ description: 'Environment variables: values by name. `secret:NAME` stands for the value of a secret' })
  readonly env_vars?: JsonObject | null;

  @StringListField({ description: 'Names of the variables whose values are secret' })
  readonly secrets?: string[] | null;

  @ObjectField({ description: 'MCP servers: configuration by name' })
  readonly mcp_servers?: JsonObject | null;

  @StringListField({
    description:
      'Names of variables that the MCP servers of a run receive even if only the request that starts the run sets them',
  })
  readonly start_variables?: string[] | null;
}

export class CreateIntegrationRequest {
  @StringField({ required: true, maxLength: 255, description: 'Name, unique in the organization', example: 'mail' })
  readonly name!: string;

  @StringField({ required: true, maxLength: 255, description: 'Kind of the connected system', example: 'smtp' })
  readonly type!: string;

  @StringField()
  readonly description?: string | null;

  @OpenObjectField(IntegrationConfiguration, {
    empty: 'keep',
    maxBytes: MAX_CONFIGURATION_BYTES,
    isFreeForm: true,
    description:
      'Free-form configuration, at most 64 KiB. Runs that name the integration get its variables and MCP servers. A secret that it refers to ' +
      'by `secret:NAME` must exist. `***` keeps the stored value in the same place',
  })
  readonly configuration?: JsonObject;

  @StringListField({ empty: 'keep' })
  readonly tags?: string[];

  @ObjectField({ empty: 'keep', description: 'Free-form JSON object, stored unchanged' })
  readonly metadata?: JsonObject;
}

export class UpdateIntegrationRequest extends PatchOf(CreateIntegrationRequest) {}

export class ListIntegrationsQuery extends NamedListQuery {
  @StringField({ empty: 'keep', description: 'Kind of the connected system' })
  readonly type?: string;

  @StringField({ empty: 'keep', description: 'One of the tags' })
  readonly tag?: string;
}
