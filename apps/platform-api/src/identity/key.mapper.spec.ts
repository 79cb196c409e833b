import { describe, expect, it } from '@jest/globals';
import type { MintedKey } from '@app/identity';
import { toKeyResponse, toMintedKeyResponse } from './key.mapper.js';

const minted: MintedKey = {
  id: 'key_1',
  name: 'reports',
  description: null,
  scopes: ['tasks:read'],
  created_at: new Date('2026-01-02T03:04:05.006Z'),
  last_used: null,
  expires_at: new Date('2026-04-02T00:00:00Z'),
  key: 'ak_secret',
};

const shown = {
  id: 'key_1',
  name: 'reports',
  description: null,
  scopes: ['tasks:read'],
  created_at: '2026-01-02T03:04:05.006Z',
  last_used: null,
  expires_at: '2026-04-02T00:00:00.000Z',
};

describe('the wire form of an API key', () => {
  it('holds the key itself where it is minted', () => {
    expect(toMintedKeyResponse(minted)).toEqual({ ...shown, key: 'ak_secret' });
  });

  it('never holds the key, its hash or its owner where it is listed', () => {
    const stored = { ...minted, hash: 'digest', user_id: 'user', revoked_at: null };
    expect(toKeyResponse(stored)).toEqual(shown);
  });
});
