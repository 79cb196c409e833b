import { describe, expect, it } from '@jest/globals';
import { describeKey, generateKey } from './api-key-format.js';

describe('what is stored of an API key', () => {
  it('is enough for people to tell keys apart', () => {
    const { key, prefix, last_four } = generateKey();
    expect([prefix, last_four]).toEqual([key.slice(0, 7), key.slice(-4)]);
  });

  it('is a hash from which the key can not be read', () => {
    const { key, hash } = describeKey('0123456789abcdef');
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    expect(hash).not.toContain(key);
  });
});
