import { RegoBudgetError, RegoCompileError, RegoEvaluationError, RegoInputError } from '../errors.js';
import { compile } from '../program.js';

export interface FuzzReport {
  readonly runs: number;
  readonly compiled: number;
  readonly evaluated: number;
  readonly overBudget: number;
  /** Longest evaluation in milliseconds. */
  readonly slowest: number;
  readonly crashes: readonly { readonly source: string; readonly error: string }[];
}

/** Policies that use every part of the language; they are the starting points of mutations. */
export const SEED_POLICIES: readonly string[] = [
  'package a\n\nimport rego.v1\n\ndefault allow := false\n\nallow if {\n\tinput.user == "admin"\n\tsome role in input.roles\n\trole in {"a", "b"}\n}\n\ndeny contains msg if {\n\tsome i, x in input.items\n\tx.size > 10\n\tmsg := sprintf("%d: %v", [i, x])\n}\n',
  'package b\n\nf(x, [y, z]) := w if {\n\tw := (x + y) * z\n} else := "none"\n\np[k] := v if {\n\tsome k, v in {"a": 1, "b": [1, {2, 3}]}\n}\n\nq.r[s].t contains u if {\n\ts := ["x", "y"][_]\n\tu := {n: m | some n, m in [s]}\n}\n',
  'package c\n\nr := [x | x := numbers.range(1, 20)[_]; x % 3 == 0]\n\ns if every x in r { x > 2 }\n\nt := {regex.replace(x, `(a+)b`, "$1") | x := ["aab", "ab"][_]}\n\nu := $"{r} and {data.c.t}"\n\nv := object.union({"a": {1}}, {"b": walk(r)[_]}) with input as {"x": [1, 2]}\n',
  'package d\n\np { input.x[_] = y; y > 1; not q[y] }\n\nq[x] { x := [1, 2, 3][_] }\n\nm[k] = v { k := "a"; v := concat("/", split("a.b", ".")) }\n',
];

const PIECES = [
  '{',
  '}',
  '[',
  ']',
  '(',
  ')',
  '"',
  '`',
  ':=',
  '=',
  '==',
  '|',
  '&',
  ',',
  ';',
  '\n',
  '.',
  ' not ',
  ' some ',
  ' every x in ',
  ' in ',
  ' with input as ',
  ' with data.x as ',
  ' if ',
  ' else := ',
  ' contains ',
  ' default ',
  '_',
  '1e9',
  '-1',
  'null',
  'input',
  'data',
  'x',
  'p',
  'count(',
  'sprintf("%s", ',
  'numbers.range(1, 1000000)',
  'regex.match("(a*)*b", ',
  'walk(',
  'json.patch(',
  'time.format(',
  '$"{',
  'strings.repeat',
  'array.concat(',
  'import data.a',
  'package z',
  '#',
  '\u0000',
  '\ud800',
];

/** Returns a pseudorandom number generator that depends only on its seed. */
function generator(seed: number): (limit: number) => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return (limit) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % limit;
  };
}

function mutate(source: string, seeds: readonly string[], random: (limit: number) => number): string {
  let text = source;
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const at = random(text.length + 1);
    const length = random(12);
    const other = seeds[random(seeds.length)] ?? '';
    const from = random(other.length + 1);
    const insert =
      [
        PIECES[random(PIECES.length)] ?? '',
        other.slice(from, from + random(40)),
        '',
        text.slice(at, at + length).repeat(2),
      ][random(4)] ?? '';
    text = text.slice(0, at) + insert + text.slice(at + (random(2) === 0 ? length : 0));
  }
  return text;
}

const FUZZ_BUDGET = { steps: 50_000, milliseconds: 250, depth: 64, memory: 8 * 1024 * 1024 };

export function fuzzPolicies(options: {
  readonly seeds: readonly string[];
  readonly runs: number;
  readonly seed: number;
}): FuzzReport {
  const random = generator(options.seed);
  const crashes: { source: string; error: string }[] = [];
  let compiled = 0;
  let evaluated = 0;
  let overBudget = 0;
  let slowest = 0;
  for (let run = 0; run < options.runs; run++) {
    const source = mutate(options.seeds[random(options.seeds.length)] ?? '', options.seeds, random);
    const started = performance.now();
    try {
      const program = compile([{ name: 'fuzz.rego', text: source }]);
      compiled++;
      program
        .query('x = data')
        .evaluate({ input: { user: 'admin', x: [1, 2], items: [{ size: 11 }] }, now: 1n, budget: FUZZ_BUDGET });
      evaluated++;
    } catch (error) {
      if (error instanceof RegoBudgetError) overBudget++;
      else if (!isTyped(error))
        crashes.push({ source, error: error instanceof Error ? `${error.stack}` : String(error) });
    }
    slowest = Math.max(slowest, performance.now() - started);
  }
  return { runs: options.runs, compiled, evaluated, overBudget, slowest: Math.round(slowest), crashes };
}

function isTyped(error: unknown): boolean {
  return error instanceof RegoCompileError || error instanceof RegoEvaluationError || error instanceof RegoInputError;
}
