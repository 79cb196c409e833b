import { checkAccess, credentialOf, type Access, type WireRequest } from '@app/http';
import type { KeyService } from '@app/identity';
import type { Caller } from '@app/kernel';

/** Workers send `UserKey`, everybody else `Bearer`; both carry the same keys. */
const SCHEMES = ['Bearer', 'UserKey'];

/** Who calls, once it is clear that they may. The guard and the fast lane both ask here. */
export async function authorize(keys: KeyService, request: WireRequest, access: Access): Promise<Caller | undefined> {
  if (access.kind === 'public') return undefined;
  const key = credentialOf(request.headers, SCHEMES);
  const caller = await keys.authenticate(key);
  checkAccess(access, caller);
  request.whenKeyEnds = (onEnd) => keys.whenEnded(key ?? '', onEnd);
  return caller;
}
