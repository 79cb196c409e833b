import { ExecutionSummaryService } from '@app/executions';
import { grants, invalid, type Caller } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { rankOf } from './search-terms.js';
import { SearchRepository } from './search.repository.js';
import { EXECUTION, type FoundItem, type SearchRequest } from './search.types.js';

/** Finds the entities of an organization by name, and executions by id. */
@Injectable()
export class SearchService {
  constructor(
    private readonly repository: SearchRepository,
    private readonly executions: ExecutionSummaryService,
  ) {}

  /**
   * Returns the items whose names contain, for each word of the text, a word that begins with it; best matches first.
   * Kinds that the key of the caller may not read are omitted. Throws `invalid` for a kind that does not exist.
   */
  async find(caller: Caller, { text, kinds, limit }: SearchRequest): Promise<readonly FoundItem[]> {
    const searched = this.repository.kinds();
    const known = [EXECUTION, ...searched.map(({ kind }) => kind)];
    if (kinds?.some((kind) => !known.includes(kind)) === true) throw unknownKind(known);
    const isWanted = (kind: string): boolean => kinds === undefined || kinds.includes(kind);
    const readable = searched.filter(
      ({ kind, scope }) => isWanted(kind) && text.trim() !== '' && (scope === undefined || grants(caller, scope)),
    );
    const found = await Promise.all([
      isWanted(EXECUTION) && grants(caller, 'tasks:read') ? this.findExecution(caller, text) : [],
      ...readable.map((entity) => this.repository.find(caller, entity, text, limit)),
    ]);
    return found
      .flat()
      .toSorted((one, other) => rankOf(one.name, text) - rankOf(other.name, text) || compare(one.name, other.name))
      .slice(0, limit);
  }

  private async findExecution(caller: Caller, text: string): Promise<FoundItem[]> {
    const { items } = await this.executions.list(caller, { ids: [text.trim()] }, '-created_at', { skip: 0, limit: 1 });
    return items.map(({ id, entity_name, status }) => ({ kind: EXECUTION, id, name: id, detail: entity_name, status }));
  }
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function unknownKind(known: readonly string[]): Error {
  const msg = `Input should contain only ${known.join(', ')}`;
  return invalid([{ path: ['kinds'], msg, type: 'enum' }]);
}
