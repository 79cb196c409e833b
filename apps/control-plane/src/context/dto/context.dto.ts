import { PatchOf, ResponseMap, ResponseString, ResponseStringList, StringListField } from '@app/http';
import { MAX_CONTEXT_IDS } from '@app/entity-contexts';

const IDS = { empty: 'keep', maxItems: MAX_CONTEXT_IDS } as const;

class ContextLists {
  @StringListField({ ...IDS, description: 'Ids of knowledge entries, at most 1000. Default: unchanged; null: none' })
  readonly knowledge_uuids?: string[];

  @StringListField({
    ...IDS,
    description: 'Ids of resources, at most 1000, passed to runs as sent. Default: unchanged',
  })
  readonly resource_ids?: string[];

  @StringListField({
    ...IDS,
    description:
      'Ids of policies for everything that inherits from the entity, at most 1000. A change requires the scope `admin`. ' +
      'Default: unchanged',
  })
  readonly policy_ids?: string[];
}

/** A list that is not sent keeps its stored ids. */
export class PutContextRequest extends PatchOf(ContextLists) {}

export class ContextResponse {
  @ResponseString({ description: 'Kind of the entity: `environment`, `team`, `project` or `agent`' })
  readonly entity_type!: string;

  @ResponseString({ description: 'Id of the entity' })
  readonly entity_id!: string;

  @ResponseStringList({ description: 'Ids of knowledge entries' })
  readonly knowledge_uuids!: readonly string[];

  @ResponseStringList({ description: 'Ids of resources' })
  readonly resource_ids!: readonly string[];

  @ResponseStringList({ description: 'Ids of policies' })
  readonly policy_ids!: readonly string[];
}

/** A context with the entries of all layers, in the order of their first occurrence, without duplicates. */
export class ResolvedContextResponse extends ContextResponse {
  @ResponseString({ nullable: true, description: 'Id of the first environment; null without one' })
  readonly environment_id!: string | null;

  @ResponseString({ nullable: true, description: 'Team id; null without a team' })
  readonly team_id!: string | null;

  @ResponseString({ nullable: true, description: 'Id of the first project; null without one' })
  readonly project_id!: string | null;

  @ResponseMap(ContextResponse, { description: 'Contexts of the layers by `type:id`, in the order of the layers' })
  readonly layers!: Readonly<Record<string, ContextResponse>>;
}
