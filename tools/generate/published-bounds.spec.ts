import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../provision/project-root.js';

type Property = Readonly<Record<string, unknown>>;

/** Not `minLength`: nothing at all means in an update that the present value stays. */
const BOUNDS = ['maxLength', 'pattern', 'minimum', 'maximum', 'maxItems'];

const schemas = readSchemas('control-plane');
const pairs = Object.keys(schemas).flatMap((create) => {
  const update = create.replace(/^Create/, 'Update');
  return update !== create && update in schemas ? [[update, create] as const] : [];
});

describe('the requests of the published documents', () => {
  it.each(pairs)('%s is held to the bounds of %s', (update, create) => {
    const { [update]: updated = {}, [create]: created = {} } = schemas;
    for (const name of Object.keys(updated).filter((field) => field in created)) {
      expect([name, boundsOf(updated[name])]).toEqual([name, boundsOf(created[name])]);
    }
  });

  it('come in pairs', () => {
    expect(pairs.length).toBeGreaterThan(5);
  });
});

function boundsOf(property: Property = {}): readonly unknown[] {
  return BOUNDS.map((bound) => property[bound]);
}

function readSchemas(name: string): Readonly<Record<string, Readonly<Record<string, Property>>>> {
  const text = readFileSync(join(projectRoot, 'docs', 'openapi', `${name}.json`), 'utf8');
  const { components } = JSON.parse(text) as { components: { schemas: Record<string, { properties?: object }> } };
  return Object.fromEntries(
    Object.entries(components.schemas).map(([schema, { properties }]) => [
      schema,
      (properties ?? {}) as Record<string, Property>,
    ]),
  );
}
