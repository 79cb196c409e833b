import type { Builtin } from '../builtins/types.js';
import type { Value } from '../values/value.js';

export interface CompileOptions {
  /** Further builtins by name. They replace builtins with the same name. */
  readonly builtins?: Readonly<Record<string, Builtin>>;
  /** Value of `opa.runtime()`. Without it, calls of this function are compile errors. */
  readonly runtime?: Value;
}
