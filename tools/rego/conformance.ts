import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runSuite } from '@app/rego';
import type { CategorySource, SuiteReport } from '@app/rego';

const MAX_REASON_LENGTH = 400;

/** Reads every `*.json` file of a folder as a category of test cases. */
export function* readCategories(folder: string): Generator<CategorySource> {
  for (const name of readdirSync(folder).sort()) {
    if (name.endsWith('.json'))
      yield { category: basename(name, '.json'), text: readFileSync(join(folder, name), 'utf8') };
  }
}

export function conformance(folder: string): SuiteReport {
  return runSuite(readCategories(folder));
}

/** Renders the report as a table with one row per category, followed by the cases that did not pass. */
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
    lines.push(`${status}: ${note}: ${reason.replaceAll('\n', ' | ').slice(0, MAX_REASON_LENGTH)}`);
  return lines.join('\n');
}
