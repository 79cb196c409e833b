import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { EXECUTION_TYPES } from '@app/executions';
import { errorCatalogue } from '@app/http';

const ROOT = join(__dirname, '..', '..');
const TABLES = /error-(codes|catalogue)\.ts$/;
const codes = errorCatalogue().map(({ code }) => code);

const sources = ['libs', 'apps']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  .filter((name) => /\/src\/.*(?<!spec)\.ts$/.test(name) && !TABLES.test(name) && !name.includes('generated'))
  .map((name) => readFileSync(join(ROOT, name), 'utf8'));

describe('the error catalogue', () => {
  it('contains each code once', () => {
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  it('contains no unused code', () => {
    const all = sources.join('\n');
    const ofRunnables: readonly string[] = EXECUTION_TYPES.map((kind) => `${kind}_not_found`);
    expect(codes.filter((code) => !all.includes(`'${code}'`) && !ofRunnables.includes(code))).toEqual([]);
  });

  it('is listed completely in the guide', () => {
    const guide = readFileSync(join(ROOT, 'docs', 'guides', 'errors.md'), 'utf8');
    const listed = [...guide.matchAll(/^\| `(\w+)` +\| (\d{3}) /gm)].map(([, code, status]) => `${code} ${status}`);
    expect(listed).toEqual(errorCatalogue().map(({ code, status }) => `${code} ${status}`));
  });
});

describe('errors in the source code', () => {
  /** The compiler enforces this for literals, but not behind a cast. */
  it('use only codes of the catalogue', () => {
    const made = sources.flatMap((source) => [
      ...source.matchAll(/\b(?:notFound|conflict|unavailable|DomainError|HttpProblem|problem)\(\s*'(\w+)'/g),
    ]);
    expect(made.length).toBeGreaterThan(50);
    expect(made.flatMap(([, code]) => (code === undefined || codes.includes(code) ? [] : [code]))).toEqual([]);
  });
});
