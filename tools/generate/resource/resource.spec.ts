import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectRoot } from '../../provision/project-root.js';
import { fillTemplate, rejectUsedIdentifiers } from './fill-template.js';
import { InvalidResource } from './invalid-resource.js';
import { planResource } from './plan-resource.js';
import { register, registerInTree, registerLib, REGISTRATIONS } from './registrations.js';
import { resourceNames, type ResourceNames } from './resource-names.js';

const named = (name: string, plural?: string): ResourceNames =>
  resourceNames({ name, scope: 'agents', ...(plural === undefined ? {} : { plural }) });

describe('the names of a resource', () => {
  it.each([
    ['widget', 'widgets'],
    ['work item', 'work items'],
    ['work-item', 'work items'],
    ['order entry', 'order entries'],
    ['relay', 'relays'],
    ['mailbox', 'mailboxes'],
    ['sandbox match', 'sandbox matches'],
  ])('form the plural of "%s"', (name, plural) => {
    expect(named(name).plural.join(' ')).toBe(plural);
  });

  it('use a given plural', () => {
    expect(named('person', 'people').plural).toEqual(['people']);
  });

  it.each(['', 'Widget', 'wid_get', 'widget ', '1st', '../widget', 'wïdget'])('cannot be formed from "%s"', (name) => {
    expect(() => named(name)).toThrow(InvalidResource);
  });

  it('differ in singular and plural and leave room for the names of indexes', () => {
    expect(() => named('sheep', 'sheep')).toThrow('The plural must differ');
    expect(() => named('extraordinarily long compound name')).toThrow('is too long');
  });

  it('require existing key scopes', () => {
    expect(resourceNames({ name: 'widget', scope: 'runners' })).toMatchObject({
      readScope: 'runners:read',
      writeScope: 'runners:manage',
    });
    expect(resourceNames({ name: 'integration' }).writeScope).toBe('integrations:write');
    expect(() => resourceNames({ name: 'widget' })).toThrow('There are no key scopes to read and write "widgets"');
  });
});

describe('the description of a resource', () => {
  it('is one line, in sentence case, and the plural by default', () => {
    expect(resourceNames({ name: 'widget', scope: 'agents' }).description).toBe('Widgets');
    const described = (description: string): string =>
      resourceNames({ name: 'widget', scope: 'agents', description }).description;
    expect(described('things that teams share')).toBe('Things that teams share');
    for (const text of ['', "it's", 'two\nlines', 'x'.repeat(91)])
      expect(() => described(text)).toThrow(InvalidResource);
  });
});

describe('a template', () => {
  it('is filled in every spelling, singular and plural', () => {
    const template = 'SomeThing someThing some-thing some_thing some thing Some thing some:read 1700000000000';
    const plural = 'SomeThings someThings some-things some_things some things Some things some:write';
    expect(fillTemplate(template, named('order entry'), 42)).toBe(
      'OrderEntry orderEntry order-entry order_entry order entry Order entry agents:read 42',
    );
    expect(fillTemplate(plural, named('order entry'), 42)).toBe(
      'OrderEntries orderEntries order-entries order_entries order entries Order entries agents:write',
    );
  });

  it.each([
    ['agent', 'an agent, An agent'],
    ['upload', 'an upload, An upload'],
    ['usage report', 'a usage report, A usage report'],
    ['widget', 'a widget, A widget'],
  ])('uses the article for "%s"', (name, text) => {
    expect(fillTemplate('a some thing, A some thing', named(name), 42)).toBe(text);
  });

  it('rejects a name that conflicts with an identifier of the template', () => {
    const template = "import { Page } from 'x'; /** row */ const list = 'text';";
    for (const name of ['page', 'list', 'enum']) {
      expect(() => rejectUsedIdentifiers([template], named(name))).toThrow('choose a more specific name');
    }
    for (const name of ['row', 'text', 'widget']) rejectUsedIdentifiers([template], named(name));
  });
});

describe('a registration', () => {
  const text = ['const list = {', '  a: 1,', '  c: [', '    3,', '  ],', '};', 'const other = { d: 4 };'].join('\n');
  const at = (line: string, sortedBy?: RegExp): string =>
    register(text, { file: 'f', list: 'const list', line, ...(sortedBy === undefined ? {} : { sortedBy }) });

  it('is added at the end of its list or in order', () => {
    expect(at('  b: 2,').split('\n').indexOf('  b: 2,')).toBe(5);
    expect(
      at('  b: 2,', /^ {2}(\w+):/)
        .split('\n')
        .indexOf('  b: 2,'),
    ).toBe(2);
    expect(
      at('  d: 2,', /^ {2}(\w+):/)
        .split('\n')
        .indexOf('  d: 2,'),
    ).toBe(5);
  });

  it('is rejected if its key is present or its list is missing', () => {
    expect(() => at("  'a': 2,")).toThrow('f already has the line "a".');
    expect(() => register(text, { file: 'f', list: 'const absent', line: 'x' })).toThrow('f has no "const absent"');
    expect(() => at('  e: 2,', /^ {2}(\w+)!/)).toThrow('f has no line like');
  });

  it.each(REGISTRATIONS.map((registration) => [registration.file, registration] as const))(
    'finds its position in %s',
    (file, registration) => {
      const present = readFileSync(join(projectRoot, file), 'utf8');
      const line = fillTemplate(registration.line, named('unheard of thing'), 1_900_000_000_000);
      const changed = register(present, { ...registration, line });
      expect(changed.split('\n')).toHaveLength(present.split('\n').length + 1);
      expect(changed).toContain(`\n${line}\n`);
    },
  );
});

describe('the projects of nest-cli.json', () => {
  it('list the lib after the applications, in alphabetical order', () => {
    const projects = { worker: { type: 'application' }, agents: { type: 'library' }, teams: { type: 'library' } };
    const changed = JSON.parse(registerLib(JSON.stringify({ root: 'r', projects }), 'order-entries')) as object;
    expect(changed).toMatchObject({ root: 'r', projects });
    const { projects: listed } = changed as { projects: Readonly<Record<string, object>> };
    expect(Object.keys(listed)).toEqual(['worker', 'agents', 'order-entries', 'teams']);
    expect(listed['order-entries']).toMatchObject({ type: 'library', sourceRoot: 'libs/domains/order-entries/src' });
  });
});

describe('the tree of ARCHITECTURE.md', () => {
  it('lists the lib after the other domains', () => {
    expect(registerInTree('    teams            teams\n  wire/            same', 'widgets', 'Things')).toBe(
      '    teams            teams\n    widgets          things\n  wire/            same',
    );
    const present = readFileSync(join(projectRoot, 'ARCHITECTURE.md'), 'utf8');
    expect(registerInTree(present, 'widgets', 'Things')).toContain('\n    widgets          things\n  wire/');
  });
});

describe('the plan of a resource', () => {
  it.each([
    ['agent', 'The folder libs/domains/agents already exists.'],
    ['worker queue', 'The folder apps/control-plane/src/worker-queues already exists.'],
    ['policy version', 'already creates a table policy_versions.'],
    ['decision', 'glossary.ts already has the line "decision_id".'],
    ['page', 'choose a more specific name'],
  ])('is rejected for "%s"', (name, reason) => {
    expect(() => planResource(projectRoot, named(name))).toThrow(reason);
  });
});
