import { RegoEvaluationError } from '../errors.js';
import { RegoObject } from '../values/value.js';
import { stringOperand } from './operands.js';
import type { Builtin, BuiltinTable } from './types.js';

/**
 * Declares a builtin that is not supported, so that `with` can replace it. A call that is not replaced ends the
 * evaluation.
 */
function refused(name: string, arity: number): Builtin {
  return {
    arity,
    call: () => {
      throw new RegoEvaluationError('eval_internal_error', `${name} is refused: it reaches outside the evaluation`);
    },
  };
}

export const outsideBuiltins: BuiltinTable = {
  'http.send': refused('http.send', 1),
  'net.lookup_ip_addr': refused('net.lookup_ip_addr', 1),
  'opa.runtime': { arity: 0, call: (_, run) => run.runtime ?? new RegoObject() },
  'rego.metadata.rule': { arity: 0, call: () => new RegoObject() },
  'rego.metadata.chain': { arity: 0, call: () => [] },
  print: { arity: 1, call: () => true },
  trace: { arity: 1, call: (args) => typeof stringOperand(args, 1) === 'string' },
};
