import { describe, expect, it } from '@jest/globals';
import type { UsageColumns } from '../usage/usage-columns.js';
import { fold } from './fold.js';
import type { Change, LifecycleColumns, WrittenContent } from './lifecycle.types.js';

function change(content: WrittenContent, others: Partial<Change> = {}): Change {
  const columns = {} as LifecycleColumns;
  return { outcome: 'changed', from: 'running', columns, content, keepsUsage: false, ...others };
}

function usage(model: string | null): WrittenContent {
  const columns: UsageColumns = { model, input_tokens: 1, output_tokens: null, total_tokens: null, cost_nanos: null };
  return { usage: { prompt_tokens: 1 }, usageColumns: columns };
}

describe('two changes of one execution', () => {
  it('are one write, in which the second prevails', () => {
    const folded = fold(change({ response: 'a', duration_ms: 1 }), change({ response: 'b' }, { from: 'running' }));
    expect(folded?.content).toEqual({ response: 'b', duration_ms: 1 });
  });

  it('are two writes if the first one must be recorded or sent', () => {
    const note = {
      lease: null,
      queuedAt: null,
      actor: { kind: 'platform', id: null, name: null },
      reason: null,
    } as const;
    expect(fold(change({}, { note }), change({}))).toBeUndefined();
    expect(fold(change({}, { keepsUsage: true }), change({}))).toBeUndefined();
    expect(fold(change({}, { message: { topic: 'finished', from: 'running' } }), change({}))).toBeUndefined();
  });

  it('are two writes if the usage of the first one would be lost', () => {
    expect(fold(change(usage('a')), change(usage('b')))).toBeDefined();
    expect(fold(change(usage(null)), change(usage(null)))).toBeDefined();
    expect(fold(change(usage('a')), change(usage(null)))).toBeUndefined();
    expect(fold(change(usage('a')), change({}, { keepsUsage: true }))).toBeUndefined();
    expect(fold(change({}), change(usage(null), { keepsUsage: true }))).toBeDefined();
  });
});
