import { InheritanceService, NO_INHERITANCE } from '@app/entity-contexts';
import { ExecutionService, RunnableSources } from '@app/executions';
import { DomainError, grants, notFound, withoutUndefined, type Caller, type Page, type PageResult } from '@app/kernel';
import { KnowledgeService, type KnowledgeEntry, type KnowledgeSummary } from '@app/resources';
import { Injectable } from '@nestjs/common';
import { contextOfRun } from './run-context.js';

/**
 * The reader of the knowledge of a run: the holder of its lease or, without a token, a key with the scope
 * `knowledge:read`.
 */
export interface KnowledgeReader {
  readonly caller: Caller;
  readonly executionId: string;
  readonly leaseToken: string | null;
}

/**
 * The knowledge entries in the contexts of a run and of the runnables that it may call. The contexts are resolved for
 * each request, so that an entry that was removed from them can no longer be read.
 *
 * Throws `not_found` for an unknown execution, `lease_lost` for a stale token, and `insufficient_scope` without a token
 * if the key lacks `knowledge:read`.
 */
@Injectable()
export class RunKnowledgeService {
  constructor(
    private readonly executions: ExecutionService,
    private readonly runnables: RunnableSources,
    private readonly inheritance: InheritanceService,
    private readonly entries: KnowledgeService,
  ) {}

  /** Returns the matches of a search, the best ones first. Without `text`, returns all entries, newest first. */
  async list(reader: KnowledgeReader, text: string | undefined, page: Page): Promise<PageResult<KnowledgeSummary>> {
    const ids = await this.idsOf(reader);
    return this.entries.list(reader.caller, withoutUndefined({ ids, text }), page);
  }

  /** Throws `not_found` if the entry is in none of the contexts. */
  async read(reader: KnowledgeReader, id: string): Promise<KnowledgeEntry> {
    const ids = await this.idsOf(reader);
    if (!ids.includes(id)) throw notFound('knowledge_not_found', 'Knowledge entry');
    return this.entries.read(reader.caller, id);
  }

  private async idsOf({ caller, executionId, leaseToken }: KnowledgeReader): Promise<readonly string[]> {
    const execution = await this.executions.readLeased(caller, executionId, leaseToken);
    if (leaseToken === null && !grants(caller, 'knowledge:read')) {
      throw new DomainError('insufficient_scope', 'Without a lease this key lacks the required scope: knowledge:read');
    }
    const { execution_type: kind, entity_id: id, definition, callable } = execution;
    if (id === null) return [];
    const ref = { kind, id, definition, callable };
    const [own, called] = await Promise.all([
      this.runnables.assemble(caller, ref),
      this.runnables.membersOf(caller, ref).then((members) => this.runnables.assembleByRefs(caller, members)),
    ]);
    const runnables = [...(own === undefined ? [] : [own]), ...called.values()];
    const inherited = await this.inheritance.ofRuns(caller, runnables);
    const ids = runnables.flatMap((runnable, index) => {
      const { context } = inherited[index] ?? NO_INHERITANCE;
      return contextOfRun(context, runnable).knowledge_uuids;
    });
    return [...new Set(ids)];
  }
}
