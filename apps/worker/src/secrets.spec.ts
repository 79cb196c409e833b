import { describe, expect, it } from '@jest/globals';
import { Redactor, secretValues } from './secrets.js';

describe('Redactor', () => {
  it('hides secrets anywhere in an object, the longer one first', () => {
    const redactor = new Redactor(['abcdefgh', 'abcdefghijkl']);
    const shown = redactor.object({
      text: 'x abcdefghijkl y',
      list: ['abcdefgh', { deep: 'abcdefgh!' }],
      n: 1,
      nothing: null,
    });
    expect(shown).toEqual({
      text: 'x [redacted] y',
      list: ['[redacted]', { deep: '[redacted]!' }],
      n: 1,
      nothing: null,
    });
  });

  it('leaves short values alone, which would hide ordinary words', () => {
    expect(new Redactor(['true', '']).text('it is true')).toBe('it is true');
  });

  it('hides values it learns later', () => {
    const redactor = new Redactor([]);
    redactor.hide(['later-secret']);
    expect(redactor.text('later-secret')).toBe('[redacted]');
  });
});

describe('secretValues', () => {
  it('takes what its name or the list marks as secret', () => {
    const environment = { API_KEY: 'one', CITY: 'two', PLAIN: 'three', db_password: 'four' };
    expect(secretValues(environment, ['PLAIN'])).toEqual(['one', 'three', 'four']);
  });
});
