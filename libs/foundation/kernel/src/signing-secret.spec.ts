import { describe, expect, it } from '@jest/globals';
import { newSigningSecret } from './signing-secret.js';

describe('newSigningSecret', () => {
  it('returns a random secret of 32 bytes', () => {
    expect(newSigningSecret()).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    expect(newSigningSecret()).not.toBe(newSigningSecret());
  });
});
