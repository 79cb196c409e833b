import { describe, expect, it } from '@jest/globals';
import type { Form, FormField } from '../api/form';
import { labelOf, readForm, rivalsOf, shownText, type Values } from './form-values';

const FORM: Form<Values> = {
  scope: 'agents:write',
  fields: [
    { name: 'name', kind: 'line', help: '', isRequired: true },
    { name: 'prompt', kind: 'text', help: '' },
    { name: 'enabled', kind: 'flag', help: '', initial: true },
    { name: 'status', kind: 'choice', help: '', choices: ['active', 'paused'], initial: 'active' },
    { name: 'limit', kind: 'integer', help: '' },
    { name: 'tags', kind: 'lines', help: '' },
    { name: 'settings', kind: 'json', help: '' },
  ],
};

describe('what a person entered', () => {
  it('for a new thing is without what the API sets by itself', () => {
    expect(read({ name: ' mail ', prompt: ' ', enabled: 'on', status: 'active', limit: '', settings: '' })).toEqual({
      body: { name: 'mail' },
      faults: {},
    });
    expect(
      read({ name: 'mail', prompt: 'a\nb', status: 'paused', limit: '5', tags: 'x\n\n y ', settings: '{"a":1}' }).body,
    ).toEqual({
      name: 'mail',
      prompt: 'a\nb',
      enabled: false,
      status: 'paused',
      limit: 5,
      tags: ['x', 'y'],
      settings: { a: 1 },
    });
  });

  it('for a stored thing is only what differs', () => {
    const stored = {
      name: 'mail',
      prompt: 'You answer.\r\nShortly.\n',
      enabled: true,
      status: 'active',
      limit: 5,
      tags: ['x'],
      settings: { a: { b: 1 } },
    };
    expect(read(shown(stored), stored)).toEqual({ body: {}, faults: {} });
    expect(read({ ...shown(stored), prompt: '', limit: '', tags: '', settings: '' }, stored).body).toEqual({
      prompt: null,
      limit: null,
      tags: [],
      settings: null,
    });
    const { enabled: _enabled, ...unchecked } = shown(stored);
    expect(read({ ...unchecked, name: 'post' }, stored).body).toEqual({ name: 'post', enabled: false });
  });

  it('has integers with all digits, which are the same as the stored ones', () => {
    const stored = { settings: { order: 9007199254740993n } };
    const field: FormField = { name: 'settings', kind: 'json', help: '' };
    expect(shownText(field, stored.settings)).toBe('{\n  "order": 9007199254740993\n}');
    const form = { ...FORM, fields: [field] };
    const data = new FormData();
    data.set('settings', '{"order": 9007199254740993}');
    expect(readForm(form, data, stored).body).toEqual({});
    data.set('settings', '{"order": 9007199254740995}');
    expect(readForm(form, data, stored).body).toEqual({ settings: { order: 9007199254740995n } });
  });

  it('is the same when nothing was stored and nothing is entered', () => {
    const stored = {
      name: 'mail',
      prompt: null,
      enabled: false,
      status: 'active',
      limit: null,
      tags: [],
      settings: {},
    };
    expect(read({ name: 'mail', status: 'active' }, stored).body).toEqual({});
  });

  it('has a fault where it is no JSON', () => {
    expect(read({ name: 'mail', settings: '{' }).faults).toEqual({
      settings: expect.stringMatching(/^This is not JSON: /),
    });
  });

  it('can be several of what is offered', () => {
    const data = new FormData();
    data.append('tags', 'x');
    data.append('tags', 'y');
    expect(readForm(FORM, data, { enabled: false }).body).toEqual({ tags: ['x', 'y'] });
  });
});

describe('the rivals of what a person entered', () => {
  it('are the fields that others changed as well, with what they stored', () => {
    const before = { name: 'a', description: null, tags: ['x'] };
    const after = { name: 'b', description: null, tags: ['x', 'y'] };
    const edits = { description: 'mine', tags: ['z'] };
    const fields = ['name', 'description', 'tags'].map((name): FormField => {
      return { name, kind: name === 'tags' ? 'lines' : 'line', help: '' };
    });
    expect(rivalsOf(fields, edits, before, after)).toEqual([{ label: 'Tags', text: 'x\ny' }]);
  });
});

describe('the label of a field', () => {
  it.each([
    ['system_prompt', 'System prompt'],
    ['policy_ids', 'Policies'],
    ['environment_ids', 'Environments'],
    ['model_id', 'Model'],
    ['url', 'URL'],
    ['llm_config', 'LLM config'],
  ])('%s is %s', (name, label) => {
    expect(labelOf(name)).toBe(label);
  });
});

function read(entered: Readonly<Record<string, string>>, stored?: Values): ReturnType<typeof readForm<Values>> {
  const data = new FormData();
  for (const [name, text] of Object.entries(entered)) data.set(name, text);
  return readForm(FORM, data, stored);
}

/** What the fields contain before a person touches them. */
function shown(stored: Values): Record<string, string> {
  const texts = FORM.fields.flatMap((field: FormField) => {
    if (field.kind === 'flag') return stored[field.name] === true ? [[field.name, 'on']] : [];
    return [[field.name, shownText(field, stored[field.name]).replaceAll('\r\n', '\n')]];
  });
  return Object.fromEntries(texts) as Record<string, string>;
}
