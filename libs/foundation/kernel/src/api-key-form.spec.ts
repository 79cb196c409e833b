import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { chosenKeyFault, hasWrongChecksum, newApiKey } from './api-key-form.js';

describe('the format of API keys', () => {
  it('is ak_, 30 random base62 characters and a checksum of 6 characters', () => {
    const key = newApiKey();
    expect(key).toMatch(/^ak_[0-9A-Za-z]{36}$/);
    expect(hasWrongChecksum(key)).toBe(false);
  });

  it('detects every change of a single character', () => {
    const key = newApiKey();
    const index = fc.integer({ min: 3, max: key.length - 1 });
    const other = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
    fc.assert(
      fc.property(index, other, (at, character) => {
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        expect(hasWrongChecksum(changed)).toBe(changed !== key);
      }),
    );
  });

  it('allows chosen keys of 16 to 512 characters that are valid in a header; faults do not contain the key', () => {
    for (const key of ['0123456789abcdef', 'ak_a-key-of-my-own', 'with spaces in it', 'k'.repeat(512)]) {
      expect(chosenKeyFault(key)).toBeUndefined();
      expect(hasWrongChecksum(key)).toBe(false);
    }
    const refused = { '0123456789abcde': /at least 16/, [`x${'y'.repeat(512)}`]: /at most 512/ };
    for (const [key, fault] of Object.entries(refused)) expect(chosenKeyFault(key)).toMatch(fault);
    for (const key of ['a space at its end ', 'line\nbreak-0123456789', 'accént-0123456789']) {
      expect(chosenKeyFault(key)).toMatch(/^contains a character that is not allowed in a header/);
      expect(chosenKeyFault(key)).not.toContain(key);
    }
  });
});
