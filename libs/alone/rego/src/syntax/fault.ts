import type { Fault, FaultCode } from '../errors.js';
import type { Location } from './ast.js';

/** One fault with its position. Faults are collected in a `RegoCompileError`. */
export class SyntaxFault extends Error {
  constructor(
    message: string,
    readonly loc: Location,
    readonly code: FaultCode = 'rego_parse_error',
  ) {
    super(message);
  }

  toFault(): Fault {
    return { code: this.code, message: this.message, row: this.loc.row, col: this.loc.col, file: this.loc.file };
  }
}
