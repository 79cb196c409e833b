import type { KeyScope, Session } from '../session/session';

/** Returns what to say where the key lacks a scope; undefined if it has it. */
export function missingScope({ can }: Session, scope: string): string | undefined {
  return scope === 'any' || can(scope as KeyScope) ? undefined : `This takes the scope ${scope}`;
}
