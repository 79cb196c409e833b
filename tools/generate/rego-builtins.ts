import { builtinTable, refusalOf } from '@app/rego';

/** Operators, which are not written as calls. */
const OPERATORS: ReadonlySet<string> = new Set(
  'and assign div eq equal gt gte internal.member_2 internal.member_3 lt lte minus mul neq or plus rem'.split(' '),
);

/** Returns the source of the list from which the editor of the console completes names of builtins. */
export function regoBuiltins(): string {
  const builtins = [...builtinTable(undefined)]
    .filter(([name]) => !OPERATORS.has(name) && !name.startsWith('internal.'))
    .map(([name, { arity }]) => {
      const refusal = refusalOf(name, {}, new Set());
      return { name, arity, ...(refusal === undefined ? {} : { refusal }) };
    })
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return [
    '/** Generated from `libs/alone/rego`: the builtins of its evaluator. */\n',
    '\nexport interface RegoBuiltin {\n  readonly name: string;\n  readonly arity: number;\n',
    '  /** Why it cannot be called; absent if it can. */\n  readonly refusal?: string;\n}\n',
    `\nexport const REGO_BUILTINS: readonly RegoBuiltin[] = ${JSON.stringify(builtins)};\n`,
  ].join('');
}
