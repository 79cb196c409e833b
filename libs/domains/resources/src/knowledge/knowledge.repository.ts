import { columnsOf, Database, statementOf } from '@app/database';
import type { Page, PageResult, Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { SelectQueryBuilder } from 'typeorm';
import { KnowledgeEntity } from './knowledge.entity.js';
import { matches, ownerWord, RANK } from './knowledge.sql.js';
import type {
  KnowledgeEntry,
  KnowledgeFilter,
  KnowledgeSummary,
  NamedKnowledge,
  NewKnowledge,
  UpdateKnowledge,
} from './knowledge.types.js';

/** The columns of a summary. */
const SHOWN = columnsOf(KnowledgeEntity, 'content');
const SIZE = 'coalesce(octet_length(knowledge.content), 0)';

@Injectable()
export class KnowledgeRepository {
  constructor(private readonly database: Database) {}

  async insert({ organizationId }: Scope, entry: NewKnowledge): Promise<void> {
    await this.database.insert(KnowledgeEntity, { ...entry, organization_id: organizationId });
  }

  /**
   * Newest first; the results of a search by rank, then newest first. A search finds at most the newest `MAX_MATCHES`
   * matches.
   */
  async list(
    scope: Scope,
    { name, tag, text, ids }: KnowledgeFilter,
    page: Page,
  ): Promise<PageResult<KnowledgeSummary>> {
    const query = this.entries(scope).select(SHOWN.map((column) => `knowledge.${column}`));
    query.addSelect(SIZE, 'size');
    if (name !== undefined) query.andWhere('knowledge.name = :name', { name });
    if (tag !== undefined) query.andWhere('knowledge.tags @> :tags', { tags: [tag] });
    if (ids !== undefined) query.andWhere('knowledge.id = ANY(:ids)', { ids });
    if (text !== undefined) {
      const { organizationId: organization } = scope;
      const parameters = { words: text, organization, owner: ownerWord(organization) };
      query
        .innerJoin(
          matches({ tagged: tag !== undefined, chosen: ids !== undefined }),
          'match',
          'match.knowledge_id = knowledge.id',
          parameters,
        )
        .innerJoin('knowledge_vectors', 'found', 'found.knowledge_id = knowledge.id')
        .orderBy(RANK, 'DESC');
    }
    query.addOrderBy('knowledge.created_at', 'DESC');
    return this.database.listPage<KnowledgeEntity, KnowledgeSummary>(query, page);
  }

  /** Returns the entries that exist, in any order. */
  async findByIds(scope: Scope, ids: readonly string[]): Promise<NamedKnowledge[]> {
    const query = this.entries(scope).andWhere('knowledge.id = ANY(:ids)', { ids });
    query.select(['knowledge.id', 'knowledge.name', 'knowledge.description']);
    const { text, values } = statementOf(query);
    return this.database.boundedSet<NamedKnowledge>('The knowledge entries of the context', { text }, values);
  }

  async find(scope: Scope, id: string): Promise<KnowledgeEntry | undefined> {
    const query = this.entries(scope).andWhere('knowledge.id = :id', { id }).addSelect(SIZE, 'size');
    const [entry] = await this.database.rows<KnowledgeEntity, KnowledgeEntry>(query);
    return entry;
  }

  async exists({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.repository(KnowledgeEntity).existsBy({ id, organization_id: organizationId });
  }

  /** Returns false if there is no such entry. */
  async update(
    { organizationId }: Scope,
    id: string,
    changes: UpdateKnowledge & { readonly updated_at: Date },
  ): Promise<boolean> {
    return (
      (await this.database.update(KnowledgeEntity, { id, organization_id: organizationId }, changes)) !== undefined
    );
  }

  /** Returns false if there is no such entry. */
  async delete({ organizationId }: Scope, id: string): Promise<boolean> {
    return this.database.delete(KnowledgeEntity, { id, organization_id: organizationId });
  }

  private entries({ organizationId }: Scope): SelectQueryBuilder<KnowledgeEntity> {
    return this.database.select(KnowledgeEntity, 'knowledge', { organization_id: organizationId });
  }
}
