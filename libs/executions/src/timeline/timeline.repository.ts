import { Database } from '@app/database';
import type { Scope } from '@app/kernel';
import { Injectable } from '@nestjs/common';
import type { LedgerEntry, Timeline } from './timeline.types.js';
import { FIND_TIMELINE_FACTS, FIND_TRANSITIONS } from './timeline.sql.js';

/**
 * Limits the size of a response. Most entries have 200 bytes; with 1,000 characters in each reason, a response has 10
 * MB.
 */
const MAX_ENTRIES = 5000;
const MAX_COUNTED_CHILDREN = 10_000;

type TimelineFacts = Omit<Timeline, 'trace_id' | 'attempts' | 'transitions'> & { readonly traceparent: string | null };

@Injectable()
export class TimelineRepository {
  constructor(private readonly database: Database) {}

  async findFacts({ organizationId }: Scope, id: string): Promise<TimelineFacts | undefined> {
    const values = [organizationId, id, MAX_COUNTED_CHILDREN];
    const [row] = await this.database.sql<TimelineFacts>(FIND_TIMELINE_FACTS, values);
    return row;
  }

  /** Returns the newest entries of the ledger, oldest first. */
  async findEntries({ organizationId }: Scope, id: string): Promise<LedgerEntry[]> {
    return this.database.sql<LedgerEntry>(FIND_TRANSITIONS, [organizationId, id, MAX_ENTRIES]);
  }
}
