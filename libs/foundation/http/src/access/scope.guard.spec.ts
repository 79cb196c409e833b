import { describe, expect, it } from '@jest/globals';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import type { KeyScope } from '@app/kernel';
import { AnyKey, OptionalKey, Public, RequireScope } from './access.js';
import { ScopeGuard } from './scope.guard.js';

class Things {
  @Public()
  open(): void {}

  @OptionalKey()
  greet(): void {}

  @AnyKey()
  list(): void {}

  @RequireScope('agents:read')
  read(): void {}

  undeclared(): void {}
}

function admits(route: keyof Things, scopes?: readonly KeyScope[]): boolean {
  const caller = scopes === undefined ? undefined : { scopes };
  const { [route]: handler } = Things.prototype;
  return new ScopeGuard().canActivate(new ExecutionContextHost([{ caller }], Things, handler));
}

describe('ScopeGuard', () => {
  it('accepts a caller whose key has the scope of the route', () => {
    expect(admits('read', ['agents:read'])).toBe(true);
    expect(admits('list', [])).toBe(true);
    expect(() => admits('read', [])).toThrow(expect.objectContaining({ code: 'insufficient_scope' }));
  });

  it('accepts a request without a caller only on routes that need no key', () => {
    expect([admits('open'), admits('greet')]).toEqual([true, true]);
    for (const route of ['list', 'read', 'undeclared'] as const) {
      expect(() => admits(route)).toThrow(expect.objectContaining({ code: 'key_missing' }));
    }
  });
});
