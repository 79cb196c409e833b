import { EntityUses } from '@app/database';
import { Clock, invalid, newId, type Caller, type Page, type PageResult, type Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import { knowledgeInUse, knowledgeNotFound } from './knowledge.errors.js';
import { KnowledgeRepository } from './knowledge.repository.js';
import {
  knowledgeFaults,
  type CreateKnowledge,
  type KnowledgeEntry,
  type KnowledgeFields,
  type KnowledgeFilter,
  type KnowledgeSummary,
  type NamedKnowledge,
  type UpdateKnowledge,
} from './knowledge.types.js';

/** The values of omitted fields. */
const DEFAULTS: Omit<KnowledgeFields, 'name'> = { description: null, content: null, tags: [], metadata: {} };

/** Texts with a name and tags, with full-text search. Contexts name them by id. */
@Injectable()
export class KnowledgeService {
  constructor(
    private readonly entries: KnowledgeRepository,
    private readonly uses: EntityUses,
    private readonly clock: Clock,
  ) {}

  /** Throws `invalid` with a fault for each field that is too large. */
  async create(caller: Caller, request: CreateKnowledge): Promise<KnowledgeEntry> {
    checkSizes(request);
    const [id, now] = [newId(), this.clock.now()];
    const entry = { ...DEFAULTS, ...request, id, created_by: caller.userId, created_at: now, updated_at: now };
    await this.entries.insert(caller, entry);
    const size = Buffer.byteLength(entry.content ?? '');
    return { ...entry, organization_id: caller.organizationId, size };
  }

  /** Returns entries without their contents, newest first; the results of a search with the best matches first. */
  async list(scope: Scope, filter: KnowledgeFilter, page: Page): Promise<PageResult<KnowledgeSummary>> {
    return this.entries.list(scope, filter, page);
  }

  /** Returns the entries that exist, by id. Throws `related_data_too_large` if their descriptions are too large together. */
  async byIds(scope: Scope, ids: readonly string[]): Promise<ReadonlyMap<string, NamedKnowledge>> {
    const named = ids.length === 0 ? [] : await this.entries.findByIds(scope, ids);
    return new Map(named.map((entry) => [entry.id, entry]));
  }

  /** Throws `not_found`. */
  async read(scope: Scope, id: string): Promise<KnowledgeEntry> {
    const entry = await this.entries.find(scope, id);
    if (entry === undefined) throw knowledgeNotFound();
    return entry;
  }

  /** Throws like `create`. */
  async update(scope: Scope, id: string, changes: UpdateKnowledge): Promise<KnowledgeEntry> {
    checkSizes(changes);
    const updated = await this.entries.update(scope, id, { ...changes, updated_at: this.clock.now() });
    if (!updated) throw knowledgeNotFound();
    return this.read(scope, id);
  }

  /** Throws a `conflict` that lists the contexts and teams that refer to the entry. */
  async delete(scope: Scope, id: string): Promise<void> {
    if (!(await this.entries.exists(scope, id))) throw knowledgeNotFound();
    const places = await this.uses.describe(scope, 'knowledge', [id]);
    if (places !== undefined) throw knowledgeInUse(places);
    if (!(await this.entries.delete(scope, id))) throw knowledgeNotFound();
  }
}

function checkSizes(fields: UpdateKnowledge): void {
  const faults = knowledgeFaults({ ...fields });
  if (faults.length > 0) throw invalid(faults);
}
