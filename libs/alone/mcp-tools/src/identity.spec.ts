import { describe, expect, it } from '@jest/globals';
import { simpleMode } from './identity.js';

describe('a key', () => {
  it.each(['two\nlines', 'with a space', 'ending…', ''])(
    'that cannot be sent is refused without its text: %j',
    (key) => {
      expect(() => simpleMode(null)(key, undefined)).toThrow(/^Invalid token: the API key contains a character/);
    },
  );

  it('of the call comes before the one of the server', () => {
    expect(simpleMode('service')('own', undefined)).toEqual({ apiKey: 'own', subject: null });
    expect(simpleMode('service')(undefined, undefined)).toEqual({ apiKey: 'service', subject: null });
  });
});
