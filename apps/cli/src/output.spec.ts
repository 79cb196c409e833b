import { describe, expect, it } from '@jest/globals';
import { jsonText, serialize, tableOf } from './output.js';

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

  it('has integers with all digits, as JSON and YAML have', async () => {
    const row = { id: 9007199254740993n, all: [9007199254740993n, 1] };
    expect(tableOf([row], ['id', 'all']).split('\n')[1]).toBe('9007199254740993  [9007199254740993,1]');
    expect(jsonText(row)).toBe('{"id":9007199254740993,"all":[9007199254740993,1]}');
    expect(await serialize(row, 'yaml')).toBe('id: 9007199254740993\nall:\n  - 9007199254740993\n  - 1\n');
  });

  it('without rows has only the header line', () => {
    expect(tableOf([], ['id'])).toBe('ID');
  });
});
