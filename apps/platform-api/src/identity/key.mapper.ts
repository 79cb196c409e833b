import type { ApiKeyRecord, MintedKey } from '@app/identity';
import { toWireTime } from '@app/kernel';
import type { KeyResponse, MintedKeyResponse } from './dto/key.response.dto.js';

export function toKeyResponse(key: ApiKeyRecord): KeyResponse {
  return {
    id: key.id,
    name: key.name,
    description: key.description,
    scopes: key.scopes,
    user_id: key.user_id,
    created_at: toWireTime(key.created_at),
    last_used: toWireTime(key.last_used),
    expires_at: toWireTime(key.expires_at),
  };
}

export function toMintedKeyResponse(minted: MintedKey): MintedKeyResponse {
  return { ...toKeyResponse(minted), key: minted.key };
}
