import { describe, expect, it } from '@jest/globals';
import { compile, RegoCompileError } from '@app/rego';
import { REGO_BUILTINS } from '../../apps/console/src/api/generated/rego-builtins.js';

describe('the builtins that the editor of the console offers', () => {
  it('can be called with their arity, except those that it strikes through', () => {
    const wrong = REGO_BUILTINS.flatMap(({ name, arity, refusal }) => {
      const fault = faultOf(`${name}(${Array.from({ length: arity }, () => 'input').join(', ')})`);
      return fault === refusal ? [] : [`${name}: ${fault}`];
    });
    expect(wrong).toEqual([]);
    expect(REGO_BUILTINS.filter(({ refusal }) => refusal !== undefined).map(({ name }) => name)).toEqual([
      'http.send',
      'net.lookup_ip_addr',
      'opa.runtime',
    ]);
  });
});

/** Returns what the compiler says of a call; undefined if nothing. */
function faultOf(call: string): string | undefined {
  try {
    compile([{ name: 'p', text: `package p\n\nx := y if y := ${call}\n` }]);
    return undefined;
  } catch (error) {
    if (error instanceof RegoCompileError) return error.faults[0]?.message;
    throw error;
  }
}
