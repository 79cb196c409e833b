import { ageOf, endOf, type ApiKeyRecord, type MintedKey, type UpdateKey } from '@app/identity';
import { toWireTime, type PageResult, type RateLimits } from '@app/kernel';
import type { RateLimitsRequest, UpdateKeyRequest } from './dto/key.request.dto.js';
import type { KeyResponse, KeysResponse, MintedKeyResponse } from './dto/key.response.dto.js';

const NO_LIMITS: RateLimits = { burst: null, per_minute: null, per_day: null };

export function toKeyResponse(key: ApiKeyRecord, now: Date): KeyResponse {
  const { days, rotationDue } = ageOf(key, now);
  return {
    id: key.id,
    name: key.name,
    description: key.description,
    scopes: key.scopes,
    user_id: key.user_id,
    created_at: toWireTime(key.created_at),
    last_used: toWireTime(key.last_used),
    expires_at: toWireTime(endOf(key)),
    age_days: days,
    rotation_due: rotationDue,
    rate_limits: key.rate_limits ?? NO_LIMITS,
  };
}

export function toKeysResponse({ items, total, nextCursor }: PageResult<ApiKeyRecord>, now: Date): KeysResponse {
  return { keys: items.map((key) => toKeyResponse(key, now)), total: total ?? null, next_cursor: nextCursor ?? null };
}

export function toMintedKeyResponse(minted: MintedKey, now: Date): MintedKeyResponse {
  return { ...toKeyResponse(minted, now), key: minted.key };
}

export function toKeyUpdate({ rate_limits, ...changes }: UpdateKeyRequest): UpdateKey {
  return rate_limits === undefined ? changes : { ...changes, rate_limits: toRateLimits(rate_limits) };
}

function toRateLimits(sent: RateLimitsRequest | null): RateLimits | null {
  const { burst = null, per_minute = null, per_day = null } = sent ?? {};
  const isEmpty = burst === null && per_minute === null && per_day === null;
  return isEmpty ? null : { burst, per_minute, per_day };
}
