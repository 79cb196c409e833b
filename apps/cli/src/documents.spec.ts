import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readAssignments, readDocument, readDocuments, Reference } from './documents.js';
import { Terminal } from './terminal.js';

describe('a file of resources', () => {
  let folder: string;
  const terminal = new Terminal({ TOKEN: 'a: b' }, process);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'documents-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const fileWith = (content: string): string => {
    const file = join(folder, 'resources.yaml');
    writeFileSync(file, content);
    return file;
  };

  it('has one resource per document, with references and variables', async () => {
    const file = fileWith('kind: secret\nvalue: !env TOKEN\n---\nkind: job\nentity_ids: [!ref agent/a b]\n');
    expect(await readDocuments(file, terminal)).toEqual([
      { kind: 'secret', value: 'a: b' },
      { kind: 'job', entity_ids: [new Reference('agent', 'a b')] },
    ]);
  });

  it('can be JSON', async () => {
    expect(await readDocument(fileWith('{"name": "a", "settings": {"b": [1, null]}}'), terminal)).toEqual({
      name: 'a',
      settings: { b: [1, null] },
    });
  });

  it.each(['a: [9007199254740993, -5, 1.5, 0x10]\n', '{"a": [9007199254740993, -5, 1.5, 16]}'])(
    'has integers with all digits: %s',
    async (content) => {
      expect(await readDocument(fileWith(content), terminal)).toEqual({ a: [9007199254740993n, -5, 1.5, 16] });
    },
  );

  it.each([
    ['a: [', 65],
    ['a: !ref agent', 65],
    ['a: !env MISSING', 65],
    ['- a', 65],
    ['a: 1\n---\nb: 2', 65],
    ['', 65],
  ])('%j is rejected with the name of the file', async (content, exitCode) => {
    const file = fileWith(content);
    await expect(readDocument(file, terminal)).rejects.toMatchObject({
      exitCode,
      message: expect.stringContaining(file),
    });
  });

  it('that does not exist is reported as wrong usage', async () => {
    await expect(readDocument(join(folder, 'none'), terminal)).rejects.toMatchObject({ exitCode: 64 });
  });
});

describe('values of --set', () => {
  it('have integers with all digits', async () => {
    expect(await readAssignments({ a: '9007199254740993', b: '[1, 9007199254740993]' })).toEqual({
      a: 9007199254740993n,
      b: [1, 9007199254740993n],
    });
  });

  it('are YAML, and dots in a name separate the names of nested fields', async () => {
    expect(
      await readAssignments({ name: 'a', limit: '3', tags: '[x, y]', 'config.a.b': 'null', 'config.c': '' }),
    ).toEqual({
      ...{ name: 'a', limit: 3, tags: ['x', 'y'] },
      config: { a: { b: null }, c: null },
    });
  });

  it('cannot set both a field and a part of it, or the prototype of objects', async () => {
    await expect(readAssignments({ a: '1', 'a.b': '2' })).rejects.toMatchObject({ exitCode: 64 });
    await expect(readAssignments({ cron_schedule: '* * * * *' })).rejects.toMatchObject({
      message: expect.stringContaining('cron_schedule is not valid YAML'),
      advice: `Quote it: --set 'cron_schedule="* * * * *"'`,
    });
    await readAssignments({ '__proto__.polluted': 'yes' });
    expect({}).not.toHaveProperty('polluted');
  });
});
