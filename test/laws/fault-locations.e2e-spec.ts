import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const LIBS = join(__dirname, '..', '..', 'libs');
/** `http` maps faults to the wire; `api-client` and `rego` have no faults. */
const EXCLUDED_LIBS: readonly string[] = ['foundation/http', 'alone/api-client', 'alone/rego'];
/** An array that starts with a part of a request, or a `loc` field. */
const WIRE_LOCATION = /\[\s*(['"`])(?:body|query|path|header)\1\s*[,\]]|\bloc\s*:/;

const sources = readdirSync(LIBS)
  .flatMap((layer) => readdirSync(join(LIBS, layer)).map((lib) => `${layer}/${lib}`))
  .filter((lib) => !EXCLUDED_LIBS.includes(lib))
  .flatMap((lib) =>
    readdirSync(join(LIBS, lib, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('spec.ts'))
      .map((name) => join(lib, 'src', name)),
  );

describe('faults outside libs/foundation/http', () => {
  it.each([
    "invalid([{ path: ['body', 'name'], msg, type }])",
    "const at = [\n  'query',\n  name,\n]",
    "path: ['header']",
    "{ loc: [...place, 'name'], msg, type }",
  ])('recognizes %j', (source) => {
    expect(source).toMatch(WIRE_LOCATION);
  });

  it.each(["path: ['parameters']", "path: ['policy', 'body']", 'const locked: boolean'])('allows %j', (source) => {
    expect(source).not.toMatch(WIRE_LOCATION);
  });

  it('have paths relative to the parameter of the service, without body, query, path and header', () => {
    expect(sources.length).toBeGreaterThan(100);
    const violations = sources.filter((name) => WIRE_LOCATION.test(readFileSync(join(LIBS, name), 'utf8')));
    expect(violations).toEqual([]);
  });
});
