import { unwrap, type PlatformApiComponents } from '@app/api-client';
import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../api/change';
import { pagedQuery } from '../../api/keyset';
import { useSession } from '../../session/session-context';
import type { Session } from '../../session/session';

type Schemas = PlatformApiComponents['schemas'];
export type Key = Schemas['KeyResponse'];
export type MintedKey = Schemas['MintedKeyResponse'];
export type NewKey = Schemas['CreateKeyRequest'];

const PAGE_SIZE = 100;
const ALL_KEYS = ['keys', 'list'] as const;

/** The keys of the organization, newest first. */
export function keysQuery({ platform }: Session) {
  const list = pagedQuery<Key>(ALL_KEYS, async (cursor, signal) => {
    const query = { limit: PAGE_SIZE, total: false, ...(cursor === undefined ? {} : { cursor }) } as const;
    const { keys: rows, next_cursor: next } = await unwrap(
      platform.GET('/api/v1/auth/keys', { params: { query }, signal }),
    );
    return { rows, next };
  });
  // Ages are days and last uses minutes; each visit costs requests of the key's own limit.
  return { ...list, staleTime: 60_000, refetchOnWindowFocus: false };
}

/** The result contains the key: it is not kept in the cache. */
export function useMintKey(): UseMutationResult<MintedKey, Error, NewKey> {
  const { platform } = useSession();
  return useChange(ALL_KEYS, (body: NewKey) => unwrap(platform.POST('/api/v1/auth/keys', { body })));
}

export interface Rotation {
  readonly keyId: string;
  readonly overlapSeconds: number;
}

export function useRotateKey(): UseMutationResult<MintedKey, Error, Rotation> {
  const { platform } = useSession();
  return useChange(ALL_KEYS, ({ keyId, overlapSeconds }: Rotation) =>
    unwrap(
      platform.POST('/api/v1/auth/keys/{key_id}/rotate', {
        params: { path: { key_id: keyId } },
        body: { overlap_seconds: overlapSeconds },
      }),
    ),
  );
}

export function useRevokeKey(): UseMutationResult<unknown, Error, string> {
  const { platform } = useSession();
  return useChange(ALL_KEYS, (keyId: string) =>
    unwrap(platform.DELETE('/api/v1/auth/keys/{key_id}', { params: { path: { key_id: keyId } } })),
  );
}
