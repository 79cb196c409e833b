import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { LedgerEntry, Timeline, TracedExecution } from './timeline.types.js';
import { FIND_TIMELINE_FACTS, FIND_TRACED, FIND_TRANSITIONS, FIND_TRANSITIONS_OF } from './timeline.sql.js';

/**
 * Limits the size of a response. Most entries have 200 bytes; with 1,000 characters in each reason, a response has 10
 * MB.
 */
const MAX_ENTRIES = 5000;
/** Entries per execution: about 250 leases. */
const MAX_TRACED_ENTRIES = 1000;
const MAX_COUNTED_CHILDREN = 10_000;

type OwnedEntry = LedgerEntry & { readonly execution_id: string };
type TimelineFacts = Omit<Timeline, 'trace_id' | 'attempts' | 'transitions'> & { readonly traceparent: string | null };

@Injectable()
export class TimelineRepository {
  constructor(private readonly database: Database) {}

  async findFacts({ organizationId }: Scope, id: string): Promise<TimelineFacts | undefined> {
    const values = [organizationId, id, MAX_COUNTED_CHILDREN];
    const [row] = await this.database.sql<TimelineFacts>(FIND_TIMELINE_FACTS, values);
    return row;
  }

  /** Returns the ended executions of these ids that have a trace, without attempts, in any order. */
  async findTraced({ organizationId }: Scope, ids: readonly string[]): Promise<Omit<TracedExecution, 'attempts'>[]> {
    return this.database.prepared<Omit<TracedExecution, 'attempts'>>(FIND_TRACED, [organizationId, ids]);
  }

  /** Returns the newest entries of the ledgers of executions, oldest first. */
  async findEntriesOf({ organizationId }: Scope, ids: readonly string[]): Promise<OwnedEntry[]> {
    return this.database.prepared<OwnedEntry>(FIND_TRANSITIONS_OF, [organizationId, ids, MAX_TRACED_ENTRIES]);
  }

  /** Returns the newest entries of the ledger, oldest first. */
  async findEntries({ organizationId }: Scope, id: string): Promise<LedgerEntry[]> {
    return this.database.sql<LedgerEntry>(FIND_TRANSITIONS, [organizationId, id, MAX_ENTRIES]);
  }
}
