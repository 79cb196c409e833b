import { grants, KEY_SCOPES, type Caller, type Fault, type KeyScope } from '@app/kernel';

/** Each scope there is not; values of a wrong type are some other check's matter. */
export function unknownScopeFaults({ scopes }: { readonly scopes?: unknown }): Fault[] {
  if (!Array.isArray(scopes)) return [];
  return scopes.flatMap((scope: unknown, index): Fault[] =>
    typeof scope !== 'string' || isScope(scope)
      ? []
      : [{ loc: ['body', 'scopes', String(index)], msg: `Unknown scope: ${scope}`, type: 'enum' }],
  );
}

/** Each scope that the maker of a key lacks, and so can not give it. */
export function lackingScopeFaults(maker: Caller, scopes: readonly string[]): Fault[] {
  return scopes.flatMap((scope, index): Fault[] => {
    if (!isScope(scope) || grants(maker, scope)) return [];
    const msg = `This key can not grant a scope it lacks: ${scope}`;
    return [{ loc: ['body', 'scopes', String(index)], msg, type: 'value_error' }];
  });
}

/** An end that has passed, or lies after that of the maker of the key. */
export function expiryFaults(maker: Caller, expiresAt: Date | null, now: Date): Fault[] {
  if (expiresAt !== null && expiresAt <= now) return [expiryFault('expires_at should lie in the future')];
  if (maker.expiresAt !== null && (expiresAt === null || expiresAt > maker.expiresAt)) {
    return [expiryFault('A key may not outlive the key that makes it')];
  }
  return [];
}

function isScope(name: string): name is KeyScope {
  const known: readonly string[] = KEY_SCOPES;
  return known.includes(name);
}

function expiryFault(msg: string): Fault {
  return { loc: ['body', 'expires_at'], msg, type: 'value_error' };
}
