import { describe, expect, it } from '@jest/globals';
import type { MintedKey } from '@app/identity';
import { toKeyResponse, toMintedKeyResponse } from './key.mapper.js';

const minted: MintedKey = {
  id: 'key_1',
  name: 'reports',
  description: null,
  scopes: ['tasks:read'],
  user_id: 'user-1',
  created_at: new Date('2026-01-02T03:04:05.006Z'),
  last_used: null,
  expires_at: new Date('2026-04-02T00:00:00Z'),
  key: 'ak_secret',
};

const listed = {
  id: 'key_1',
  name: 'reports',
  description: null,
  scopes: ['tasks:read'],
  user_id: 'user-1',
  created_at: '2026-01-02T03:04:05.006Z',
  last_used: null,
  expires_at: '2026-04-02T00:00:00.000Z',
};

describe('the response of an API key', () => {
  it('contains the key when it is created', () => {
    expect(toMintedKeyResponse(minted)).toEqual({ ...listed, key: 'ak_secret' });
  });

  it('contains neither the key nor its hash when it is listed', () => {
    const stored = { ...minted, hash: 'digest', revoked_at: null };
    expect(toKeyResponse(stored)).toEqual(listed);
  });
});
