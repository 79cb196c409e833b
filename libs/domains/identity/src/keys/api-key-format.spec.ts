import { describe, expect, it } from '@jest/globals';
import { describeKey, generateKey } from './api-key-format.js';

describe('describeKey', () => {
  it('returns a prefix and the last four characters', () => {
    const { key, prefix, last_four } = generateKey();
    expect([prefix, last_four]).toEqual([key.slice(0, 7), key.slice(-4)]);
  });

  it('returns a hash that does not contain the key', () => {
    const { key, hash } = describeKey('0123456789abcdef');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toContain(key);
  });
});
