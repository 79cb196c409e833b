import { snippet, type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import { REGO_BUILTINS, type RegoBuiltin } from '../api/generated/rego-builtins';
import { REGO_KEYWORDS } from './rego-tokens';

/** A name with its packages, before the cursor: `time.no`. */
const NAME = /[A-Za-z_][A-Za-z0-9_.]*$/;
const WHOLE_NAME = /^[A-Za-z_][A-Za-z0-9_.]*$/;

const OPTIONS: readonly Completion[] = [
  ...REGO_BUILTINS.map(completionOf),
  ...[...REGO_KEYWORDS].map((label) => ({ label, type: 'keyword' })),
  { label: 'input', type: 'variable' },
  { label: 'data', type: 'variable' },
];

/** Offers what the evaluator of the platform has. In comments and strings nothing is offered. */
export function regoCompletions(context: CompletionContext): CompletionResult | null {
  const within = syntaxTree(context.state).resolveInner(context.pos, -1).name;
  const name = context.matchBefore(NAME);
  if (within === 'comment' || within === 'string' || (name === null && !context.explicit)) return null;
  return { from: name?.from ?? context.pos, options: OPTIONS, validFor: WHOLE_NAME };
}

function completionOf({ name, arity, refusal }: RegoBuiltin): Completion {
  const places = Array.from({ length: arity }, (_, index) => `\${${index + 1}}`).join(', ');
  // The space keeps it apart from the name where both are read aloud.
  const detail = arity === 1 ? ' 1 argument' : ` ${arity} arguments`;
  if (refusal !== undefined)
    return { label: name, type: 'refused', detail: refusal.replace(`${name} is`, ''), boost: -99 };
  return { label: name, type: 'function', detail, apply: snippet(`${name}(${places})`) };
}

/** The name of the class of a completion that the evaluator refuses. */
export function classOf({ type }: Completion): string {
  return type === 'refused' ? 'refused' : '';
}
