import { QueryIntegerField, QueryListField, ResponseList, ResponseString, StringField } from '@app/http';

export const SEARCH_LIMIT = 20;

export class SearchQuery {
  @StringField({
    required: true,
    maxLength: 100,
    description: 'Beginnings of words of a name, in any order and any case; or the whole id of an execution',
  })
  readonly q!: string;

  @QueryListField({
    maxItems: 50,
    description: 'Kinds to search, separated by commas. Default: all that the key may read',
  })
  readonly kinds?: string[];

  @QueryIntegerField({
    min: 1,
    max: SEARCH_LIMIT,
    default: SEARCH_LIMIT,
    description: 'Maximum number of items, 1 to 20. Default 20',
  })
  readonly limit?: number;
}

export class FoundItemResponse {
  @ResponseString({ example: 'agent', description: 'Kind of the item' })
  readonly kind!: string;

  @ResponseString({ description: 'Id of the item' })
  readonly id!: string;

  @ResponseString({ description: 'Name of the item; for an execution, its id' })
  readonly name!: string;

  @ResponseString({
    nullable: true,
    description:
      'Beginning of the description; for an execution, the name of the agent, team, or workflow that it runs',
  })
  readonly detail!: string | null;

  @ResponseString({ nullable: true, description: 'Status; null for kinds without one' })
  readonly status!: string | null;
}

export class SearchResponse {
  @ResponseList(FoundItemResponse, { description: 'Items found, best matches first' })
  readonly items!: readonly FoundItemResponse[];
}
