import { RegoInputError } from '../errors.js';
import { parseJson } from '../values/json.js';
import { isArray, RegoObject } from '../values/value.js';
import { runCase } from './case.js';

export interface CategoryReport {
  readonly category: string;
  readonly passed: number;
  readonly failed: number;
  readonly refused: number;
  readonly problems: readonly {
    readonly note: string;
    readonly status: 'failed' | 'refused';
    readonly reason: string;
  }[];
}

export interface SuiteReport {
  readonly categories: readonly CategoryReport[];
  readonly passed: number;
  readonly failed: number;
  readonly refused: number;
}

export interface CategorySource {
  readonly category: string;
  /** JSON: an array of cases or, as in the files of the suite, an object with the array `cases`. */
  readonly text: string;
}

/** Throws `RegoInputError` if a category is not an array of cases. */
export function runSuite(sources: Iterable<CategorySource>): SuiteReport {
  const categories = [...sources].map(runCategory);
  const sum = (name: 'passed' | 'failed' | 'refused'): number =>
    categories.reduce((total, report) => total + report[name], 0);
  return { categories, passed: sum('passed'), failed: sum('failed'), refused: sum('refused') };
}

function runCategory({ category, text }: CategorySource): CategoryReport {
  const cases = casesIn(category, text);
  const problems: { note: string; status: 'failed' | 'refused'; reason: string }[] = [];
  let passed = 0;
  for (const test of cases) {
    const outcome = runCase(test);
    if (outcome.status === 'passed') passed++;
    else problems.push({ note: String(test.get('note') ?? ''), ...outcome });
  }
  const count = (status: string): number => problems.filter((problem) => problem.status === status).length;
  return { category, passed, failed: count('failed'), refused: count('refused'), problems };
}

/**
 * Returns the cases of a category. Anything else is an error: if it were ignored, it would look as if no case failed.
 */
function casesIn(category: string, text: string): readonly RegoObject[] {
  try {
    const parsed = parseJson(text);
    const cases = parsed instanceof RegoObject ? parsed.get('cases') : parsed;
    if (cases !== undefined && isArray(cases) && cases.every((test) => test instanceof RegoObject)) return cases;
  } catch (error) {
    throw new RegoInputError(`${category}: ${(error as Error).message}`);
  }
  throw new RegoInputError(`${category}: a category must be an array of cases`);
}
