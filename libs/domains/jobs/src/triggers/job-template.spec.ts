import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_PROMPT_LENGTH, renderTemplate } from './job-template.js';

const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,8}$/);
/** Text with many characters that are special in a template or in `String.replace`. */
const tricky = fc.string({
  unit: fc.constantFrom('{{', '}}', '{', '}', ' ', 'a', 'b.c', '.', '$&', '$1', '\\', '\n', 'ä'),
});
const withoutPlaceholder = tricky.filter((text) => !/\{\{\s*[A-Za-z_][\w.-]*\s*\}\}/.test(text));

describe('renderTemplate', () => {
  it.each([
    ['Hello {{ name }}!', 'Hello Ada!'],
    ['{{name}}{{ name}}{{name }}', 'AdaAdaAda'],
    ['{{ user.address.city }}', 'London'],
    ['{{ user.address }}', '{"city":"London"}'],
    ['{{ list }} {{ count }} {{ yes }} {{ none }}', '[1,"x"] 3 true null'],
    ['{{ kebab-name }}', 'k'],
    ['{{ unknown }} {{ user.unknown }} {{ name.length }}', '{{ unknown }} {{ user.unknown }} {{ name.length }}'],
    ['{{ list.0 }} {{ list.length }} {{ user. }}', '{{ list.0 }} {{ list.length }} {{ user. }}'],
    ['{{ __proto__ }} {{ toString }} {{ user.__proto__ }}', '{{ __proto__ }} {{ toString }} {{ user.__proto__ }}'],
    ['{{ 1a }} {{ a b }} {{}} { name } {{{name}}}', '{{ 1a }} {{ a b }} {{}} { name } {Ada}'],
    ['{{ re }}', '{{ name }}'],
  ])('renders %j as %j', (template, expected) => {
    const values = {
      name: 'Ada',
      user: { address: { city: 'London' } },
      list: [1, 'x'],
      count: 3,
      yes: true,
      none: null,
      'kebab-name': 'k',
      re: '{{ name }}',
    };
    expect(renderTemplate(template, values)).toBe(expected);
  });

  it('inserts any string unchanged, without expanding it again', () => {
    fc.assert(
      fc.property(withoutPlaceholder, name, tricky, withoutPlaceholder, (before, key, value, after) => {
        fc.pre(!before.endsWith('{') && !after.startsWith('}'));
        const values = { [key]: value, a: 'EXPANDED', b: { c: 'EXPANDED' }, [`x${key}`]: 'EXPANDED' };
        values[key] = value;
        expect(renderTemplate(`${before}{{${key}}}${after}`, values)).toBe(before + value + after);
      }),
    );
  });

  it('inserts other values as JSON', () => {
    fc.assert(
      fc.property(
        name,
        fc.jsonValue().filter((value) => typeof value !== 'string'),
        (key, value) => {
          expect(renderTemplate(`{{ ${key} }}`, { [key]: value })).toBe(JSON.stringify(value));
        },
      ),
    );
  });

  it('resolves dotted names in nested objects', () => {
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), fc.string(), (path, leaf) => {
        const values = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), leaf);
        expect(renderTemplate(`<{{ ${path.join('.')} }}>`, values as Record<string, unknown>)).toBe(`<${leaf}>`);
      }),
    );
  });

  it('keeps placeholders without a value', () => {
    fc.assert(fc.property(tricky, (template) => expect(renderTemplate(template, {})).toBe(template)));
  });

  it('returns undefined for a result that is too long, before building it', () => {
    const value = 'x'.repeat(100_000);
    expect(renderTemplate('{{ a }}'.repeat(100_000), { a: value })).toBeUndefined();
    expect(renderTemplate('x'.repeat(MAX_PROMPT_LENGTH), {})).toHaveLength(MAX_PROMPT_LENGTH);
  });
});
