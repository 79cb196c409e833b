import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

it('shows the budgets of the console in its guide', () => {
  const budgets = JSON.parse(readFileSync('tools/console-budgets.json', 'utf8')) as Readonly<Record<string, number>>;
  const guide = readFileSync('docs/guides/console.md', 'utf8');
  const [, table = ''] = guide.split(/^\| Part +\| Budget \|$/m);
  const rows = [...table.matchAll(/^\| ([^|]+?) +\| (\d+) +\|$/gm)].map(([, part, kB]) => [part, Number(kB)]);
  expect(rows).toEqual(Object.entries(budgets));
});
