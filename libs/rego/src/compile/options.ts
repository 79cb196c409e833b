import type { Builtin } from '../builtins/types.js';
import type { Value } from '../values/value.js';

export interface CompileOptions {
  /** Further builtins, by name; they replace those of the same name. */
  readonly builtins?: Readonly<Record<string, Builtin>>;
  /** Value of `opa.runtime()`. Without it that function is refused. */
  readonly runtime?: Value;
}
