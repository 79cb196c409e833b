import { describe, expect, it } from '@jest/globals';
import { compile } from './program.js';
import type { Json } from './values/convert.js';

const RULE = 'p := rego.metadata.rule()';
const CHAIN = 'p := rego.metadata.chain()';

function ask(modules: readonly string[], query = 'data.t.p'): Json | undefined {
  return compile(modules.map((text, at) => ({ name: `${at}.rego`, text })))
    .query(query)
    .value();
}

/** Returns a block of metadata from lines without comment signs. */
function block(...lines: readonly string[]): string {
  return ['METADATA', ...lines].map((line) => `# ${line}\n`).join('');
}

describe('metadata of a rule', () => {
  it.each<readonly [string, readonly string[], Json]>([
    ['omits empty fields', ['title: x', 'description: ""', 'organizations: []', 'entrypoint: false'], { title: 'x' }],
    ['omits unknown fields', ['title: x', 'nonsense: y'], { title: 'x' }],
    ['reads titles as text', ['title: 5'], { title: '5' }],
    [
      'splits authors',
      ['authors:', '- Jane Doe <j@x.org>', '- name: Bob'],
      { authors: [{ name: 'Jane Doe', email: 'j@x.org' }, { name: 'Bob' }] },
    ],
    [
      'accepts related resources as a URL or with a description',
      ['related_resources:', '- https://a.b/c', '- ref: https://d', '  description: D'],
      { related_resources: [{ ref: 'https://a.b/c' }, { ref: 'https://d', description: 'D' }] },
    ],
    [
      'accepts schemas as references or definitions',
      ['schemas:', '- input: schema.foo', '- input["a b"].c: {type: string}'],
      {
        schemas: [
          { path: ['input'], schema: ['schema', 'foo'] },
          { path: ['input', 'a b', 'c'], definition: { type: 'string' } },
        ],
      },
    ],
    ['keeps custom fields', ['custom:', '  k: [1, {z: 2}]'], { custom: { k: [1, { z: 2 }] } }],
  ])('%s', (_, lines, expected) => {
    expect(ask([`package t\n\n${block(...lines)}${RULE}`])).toEqual({ scope: 'rule', ...(expected as object) });
  });

  it('is the block next to the rule', () => {
    expect(ask([`package t\n\n${block('title: one')}\n${block('title: two')}${RULE}`])).toEqual({
      scope: 'rule',
      title: 'two',
    });
  });

  it('does not include metadata of the document, such as that of an entrypoint', () => {
    expect(ask([`package t\n\n${block('entrypoint: true')}${RULE}`])).toEqual({});
  });
});

describe('the chain of metadata', () => {
  it('is ordered from the rule outwards', () => {
    const modules = [
      `${block('title: top', 'scope: subpackages')}package top`,
      `${block('title: sub', 'scope: subpackages')}\n${block('title: pkg')}package top.t\n\n` +
        `${block('title: doc', 'scope: document')}\n${block('title: one')}\n${block('title: two')}p := [a.annotations.title | some a in rego.metadata.chain()]`,
    ];
    expect(ask(modules, 'data.top.t.p')).toEqual(['two', 'one', 'doc', 'pkg', 'sub', 'top']);
  });

  it('begins with the path of a rule that has no metadata', () => {
    expect(ask([`package t\n\n${CHAIN}`])).toEqual([{ path: ['t', 'p'] }]);
  });
});

describe('metadata is rejected', () => {
  it.each([
    ['before an import', `package t\n\n${block('title: x')}import data.a\n${RULE}`, 'rego_parse_error'],
    [
      'of a rule before a package',
      `${block('scope: rule')}package t\n${RULE}`,
      'must be applied to rule (have package)',
    ],
    [
      'of a package before a rule',
      `package t\n\n${block('scope: package')}${RULE}`,
      'must be applied to package (have rule)',
    ],
    [
      'of an entrypoint with the scope of a rule',
      `package t\n\n${block('scope: rule', 'entrypoint: true')}${RULE}`,
      'non-document or package scope',
    ],
    ['with an author without a name', `package t\n\n${block('authors:', '- ""')}${RULE}`, 'an author needs'],
    ['with an invalid path', `package t\n\n${block('schemas:', '- "a b": s.x')}${RULE}`, 'invalid document reference'],
    [
      'that occurs twice for a document',
      `package t\n\n${block('scope: document')}p := 1 if false\n\n${block('scope: document')}${RULE}`,
      'rego_type_error',
    ],
  ])('%s', (_, module, message) => {
    expect(() => ask([module])).toThrow(message);
  });
});
