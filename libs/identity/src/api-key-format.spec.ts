import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeKey, generateKey, isPlausibleKey } from './api-key-format.js';

describe('the format of API keys', () => {
  it('is ak_, 30 random base62 characters and 6 of checksum', () => {
    const { key, prefix, last_four } = generateKey();
    expect(key).toMatch(/^ak_[0-9A-Za-z]{36}$/);
    expect(isPlausibleKey(key)).toBe(true);
    expect([prefix, last_four]).toEqual([key.slice(0, 7), key.slice(-4)]);
  });

  it('lets no single changed character pass', () => {
    const { key } = generateKey();
    const index = fc.integer({ min: 3, max: key.length - 1 });
    const other = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
    fc.assert(
      fc.property(index, other, (at, character) => {
        const changed = key.slice(0, at) + character + key.slice(at + 1);
        expect(isPlausibleKey(changed)).toBe(changed === key);
      }),
    );
  });

  it('takes a chosen key of 16 and more visible characters, and nothing shorter or with spaces', () => {
    expect(isPlausibleKey('0123456789abcdef')).toBe(true);
    expect(isPlausibleKey('ak_a-key-of-my-own')).toBe(true);
    for (const key of ['0123456789abcde', 'with a space in it', 'line\nbreak-0123456789', '']) {
      expect(isPlausibleKey(key)).toBe(false);
    }
  });

  it('stores a hash from which the key can not be read', () => {
    const { key, hash } = describeKey('0123456789abcdef');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toContain(key);
  });
});
