import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runSuite } from '@app/rego';
import type { CategorySource, SuiteReport } from '@app/rego';

/** Every `*.json` file of a folder is a category of cases. */
export function* readCategories(folder: string): Generator<CategorySource> {
  for (const name of readdirSync(folder).sort()) {
    if (name.endsWith('.json'))
      yield { category: basename(name, '.json'), text: readFileSync(join(folder, name), 'utf8') };
  }
}

export function conformance(folder: string): SuiteReport {
  return runSuite(readCategories(folder));
}

/** The report as a table with a row per category, what did not pass after it. */
export function conformanceTable(report: SuiteReport): string {
  const width = Math.max(8, ...report.categories.map(({ category }) => category.length));
  const row = (name: string, ...cells: readonly (string | number)[]): string =>
    [name.padEnd(width), ...cells.map((cell) => String(cell).padStart(8))].join('');
  const lines = [row('category', 'passed', 'failed', 'refused')];
  for (const { category, passed, failed, refused } of report.categories)
    lines.push(row(category, passed, failed, refused));
  lines.push(row('total', report.passed, report.failed, report.refused));
  const problems = report.categories.flatMap(({ problems: found }) => found);
  if (problems.length > 0) lines.push('');
  for (const { note, status, reason } of problems)
    lines.push(`${status}: ${note}: ${reason.replaceAll('\n', ' | ').slice(0, 400)}`);
  return lines.join('\n');
}
