import { describe, expect, it } from '@jest/globals';
import { transitionsOf } from './timeline.js';
import type { LedgerEntry } from './timeline.types.js';

const ENTRY: LedgerEntry = {
  at: new Date(0),
  from_status: 'pending',
  to_status: 'pending',
  attempt: 7,
  lease: null,
  queued_at: null,
  actor_kind: 'platform',
  actor_id: null,
  actor_name: null,
  reason: null,
};

const changesOf = (...entries: readonly Partial<LedgerEntry>[]): unknown[] =>
  transitionsOf(entries.map((entry) => ({ ...ENTRY, ...entry }))).map(({ from, to, attempt }) => [from, to, attempt]);

describe('the transitions of a ledger whose beginning is missing', () => {
  it('do not show the lease that its first entry acquires or returns as a change', () => {
    const started = { from_status: 'pending', to_status: 'running' } as const;
    for (const lease of ['acquired', 'handed_back'] as const) {
      expect(changesOf({ lease }, started)).toEqual([['pending', 'running', 7]]);
    }
  });

  it('show a change of the status in its first entry, and later changes of the attempt', () => {
    const lost = { from_status: 'running', to_status: 'pending', lease: 'expired' } as const;
    expect(changesOf(lost, { lease: 'handed_back', attempt: 8 })).toEqual([
      ['running', 'pending', 7],
      ['pending', 'pending', 8],
    ]);
  });
});
