import { describe, expect, it } from '@jest/globals';
import { tableOf } from './output.js';

describe('a table', () => {
  it('has columns as wide as their longest cell', () => {
    const rows = [
      { id: '1', last_used: null, tags: ['a'] },
      { id: '22222', last_used: '2026-01-01', tags: [] },
    ];
    expect(tableOf(rows, ['id', 'last_used', 'tags'])).toBe(
      ['ID     LAST USED   TAGS', '1      -           ["a"]', '22222  2026-01-01  []'].join('\n'),
    );
  });

  it('has one line per row, whatever the values contain', () => {
    const rows = [{ text: `a\n\u001b[31mb\tc\r\u0085${'x'.repeat(100)}` }];
    const [, line, ...others] = tableOf(rows, ['text']).split('\n');
    expect(others).toEqual([]);
    expect(line).toMatch(/^a \[31mb c x+…$/);
    expect(line).toHaveLength(60);
  });

  it('without rows has only the header line', () => {
    expect(tableOf([], ['id'])).toBe('ID');
  });
});
