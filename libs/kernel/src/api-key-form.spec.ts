import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { apiKeyFault, newApiKey } from './api-key-form.js';

describe('the form of API keys', () => {
  it('is ak_, 30 random base62 characters and 6 of checksum', () => {
    const key = newApiKey();
    expect(key).toMatch(/^ak_[0-9A-Za-z]{36}$/);
    expect(apiKeyFault(key)).toBeUndefined();
  });

  it('lets no single changed character pass', () => {
    const key = newApiKey();
    const index = fc.integer({ min: 3, max: key.length - 1 });
    const other = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
    fc.assert(
      fc.property(index, other, (at, character) => {
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        expect(apiKeyFault(changed) === undefined).toBe(changed === key);
      }),
    );
  });

  it('takes a chosen key of 16 to 512 visible characters, and no other, without repeating it', () => {
    for (const key of ['0123456789abcdef', 'ak_a-key-of-my-own', 'k'.repeat(512)]) {
      expect(apiKeyFault(key)).toBeUndefined();
    }
    const refused = { '0123456789abcde': /at least 16/, [`x${'y'.repeat(512)}`]: /at most 512/ };
    for (const [key, fault] of Object.entries(refused)) expect(apiKeyFault(key)).toMatch(fault);
    for (const key of ['with a space in it', 'line\nbreak-0123456789', 'accént-0123456789']) {
      expect(apiKeyFault(key)).toMatch(/^has a space or a character that no header can carry/);
      expect(apiKeyFault(key)).not.toContain(key);
    }
  });
});
