import { describe, expect, it } from '@jest/globals';
import type { MintedKey } from '@app/identity';
import { toKeyResponse, toKeyUpdate, toMintedKeyResponse } from './key.mapper.js';

const minted: MintedKey = {
  id: 'key_1',
  name: 'reports',
  description: null,
  scopes: ['tasks:read'],
  user_id: 'user-1',
  created_at: new Date('2026-01-02T03:04:05.006Z'),
  last_used: null,
  expires_at: new Date('2026-04-02T00:00:00Z'),
  superseded_at: null,
  rate_limits: { burst: 50, per_minute: null, per_day: null },
  key: 'ak_secret',
};
const now = new Date('2026-01-12T03:04:05.006Z');

const listed = {
  id: 'key_1',
  name: 'reports',
  description: null,
  scopes: ['tasks:read'],
  user_id: 'user-1',
  created_at: '2026-01-02T03:04:05.006Z',
  last_used: null,
  expires_at: '2026-04-02T00:00:00.000Z',
  age_days: 10,
  rotation_due: false,
  rate_limits: { burst: 50, per_minute: null, per_day: null },
};

describe('the age of an API key', () => {
  it.each([
    [0, 0, false],
    [90, 90, false],
    [90.01, 90, true],
    [-1, 0, false],
  ])('after %d days is %d whole days, and rotation is due: %p', (days, age_days, rotation_due) => {
    const later = new Date(minted.created_at.getTime() + days * 86_400_000);
    expect(toKeyResponse(minted, later)).toMatchObject({ age_days, rotation_due });
  });
});

describe('an update of an API key', () => {
  it('replaces its limits, and removes them if none is left', () => {
    const limits = { burst: null, per_minute: 5, per_day: null };
    expect(toKeyUpdate({ rate_limits: { per_minute: 5 } })).toEqual({ rate_limits: limits });
    expect(toKeyUpdate({ rate_limits: {} })).toEqual({ rate_limits: null });
    expect(toKeyUpdate({ name: 'new', rate_limits: null })).toEqual({ name: 'new', rate_limits: null });
    expect(toKeyUpdate({ name: 'new' })).toEqual({ name: 'new' });
  });
});

describe('the response of an API key', () => {
  it('contains the key when it is created', () => {
    expect(toMintedKeyResponse(minted, now)).toEqual({ ...listed, key: 'ak_secret' });
  });

  it('contains neither the key nor its hash when it is listed', () => {
    const stored = { ...minted, hash: 'digest', revoked_at: null };
    expect(toKeyResponse(stored, now)).toEqual(listed);
  });
});
