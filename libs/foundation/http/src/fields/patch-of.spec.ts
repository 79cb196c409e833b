import { describe, expect, it } from '@jest/globals';
import { InvalidRequest } from '../errors/invalid-request.js';
import { nestedField } from './field.js';
import { EnumField, IntegerField, StringField, StringListField } from './fields.js';
import { OpenObjectField } from './open-object.js';
import { parseWire } from './parse.js';
import { PatchOf } from './patch-of.js';
import { ValidateObject } from './validate-object.js';

class Settings {
  @IntegerField({ min: 1 })
  readonly depth?: number | null;
}

class Part {
  @StringField({ required: true })
  readonly label!: string;
}

class CreateBase {
  @StringField({ alias: 'team', maxLength: 9 })
  readonly team_id?: string | null;
}

@ValidateObject(() => [{ path: [], msg: 'Only for creation', type: 'value_error' }])
class CreateSample extends CreateBase {
  @StringField({ required: true, maxLength: 5 })
  readonly name!: string;

  @StringField({ required: true, minLength: 2 })
  readonly slug!: string;

  @StringField({ required: true })
  readonly owner!: string;

  @StringField({ blank: 'default' })
  readonly runtime?: string | null;

  @StringField({ empty: 'keep', default: '' })
  readonly note?: string;

  @StringListField({ empty: 'keep', maxItems: 2 })
  readonly tags?: string[];

  @OpenObjectField(Settings, { empty: 'keep' })
  readonly settings?: object;

  @nestedField(Part, { list: true, maxItems: 1 })
  readonly parts?: Part[] | null;
}

class UpdateSample extends PatchOf(CreateSample, {
  omit: ['owner'],
  change: { note: { empty: 'clear' }, runtime: { empty: 'keep' } },
}) {
  @EnumField(['on', 'off'], { empty: 'keep' })
  readonly status?: 'on' | 'off';
}

describe('an update request derived by PatchOf', () => {
  it('requires no field and does not inherit the rule over several fields', () => {
    expect({ ...update({}) }).toEqual({});
  });

  it('keeps the stored value of a required field when null or "" is sent', () => {
    expect({ ...update({ name: null, slug: '' }) }).toEqual({});
  });

  it('treats null and "" of other fields as the create request does, unless it overrides that', () => {
    expect({ ...update({ team_id: '', runtime: '', note: '' }) }).toEqual({ team_id: null, note: null });
  });

  it('sets an object or a list to its default when null is sent, and keeps it when "" is sent', () => {
    expect({ ...update({ tags: null, settings: null }) }).toEqual({ tags: [], settings: {} });
    expect({ ...update({ tags: '', settings: '' }) }).toEqual({});
  });

  it('keeps every check of the create request', () => {
    const wrong = { name: 'too long', slug: 'x', tags: ['a', 'b', 'c'], settings: { depth: 0 }, team: 'ten letters' };
    expect(faultsOf(() => update(wrong))).toEqual([
      ['body.team', 'string_too_long'],
      ['body.name', 'string_too_long'],
      ['body.slug', 'string_too_short'],
      ['body.tags', 'too_long'],
      ['body.settings.depth', 'greater_than_equal'],
    ]);
    expect(faultsOf(() => update({ parts: [{}, {}] }))).toEqual([['body.parts', 'too_long']]);
    expect(faultsOf(() => update({ parts: [{}] }))).toEqual([['body.parts.0.label', 'missing']]);
  });

  it('lacks the omitted fields and has its additional ones', () => {
    expect({ ...update({ owner: 'me', status: 'on', team: 'red' }) }).toEqual({ status: 'on', team_id: 'red' });
    expect(faultsOf(() => update({ status: 'half' }))).toEqual([['body.status', 'enum']]);
  });

  it('does not change the create request', () => {
    expect(faultsOf(() => parseWire(CreateSample, { slug: 'ok', owner: '' }, 'body'))).toEqual([
      ['body.name', 'missing'],
      ['body.owner', 'string_too_short'],
      ['body', 'value_error'],
    ]);
  });
});

function update(body: object): UpdateSample {
  return parseWire(UpdateSample, body, 'body');
}

function faultsOf(parse: () => unknown): (readonly [string, string])[] {
  try {
    parse();
  } catch (error) {
    if (error instanceof InvalidRequest) return error.faults.map(({ loc, type }) => [loc.join('.'), type]);
    throw error;
  }
  return [];
}
