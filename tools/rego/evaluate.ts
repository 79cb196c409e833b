import { compile, jsonText, RegoCompileError, type Bindings, type PreparedQuery, type Value } from '@app/rego';
import { readFormat, readArguments, UsageError, OPTIONS } from './arguments.js';
import { printFaults } from './faults.js';
import { readDocument, readDocuments } from './files.js';

type Values = ReturnType<typeof read>['values'];

/**
 * One solution of the query. `value` is undefined for a query of several statements, whose solutions are only bindings.
 */
interface Solution {
  readonly value: Value | undefined;
  readonly bindings: Bindings;
}

const read = (args: readonly string[]) => readArguments(args, OPTIONS.eval);

/**
 * Returns the exit code: 0 evaluated, 1 the condition of `--fail` or `--fail-defined` is met, 2 the query cannot be
 * evaluated.
 */
export function evaluateCommand(args: readonly string[]): number {
  const { values, positionals } = read(args);
  const [text, ...more] = positionals;
  if (text === undefined || more.length > 0) throw new UsageError('eval requires exactly one query');
  const format = readFormat(values.format, ['json', 'raw']);
  const { modules, data } = readDocuments([...(values.data ?? []), ...(values.policy ?? [])]);
  try {
    const query = compile(modules).query(text);
    const solutions = solve(query, values, data);
    process.stdout.write(renderSolutions(text, solutions, format));
    const isDefined = solutions.length > 0;
    return (values.fail === true && !isDefined) || (values['fail-defined'] === true && isDefined) ? 1 : 0;
  } catch (error) {
    if (!(error instanceof RegoCompileError)) throw error;
    printFaults(error, [...modules, { name: '', text }], format);
    return 2;
  }
}

function solve(query: PreparedQuery, values: Values, data: Value | undefined): readonly Solution[] {
  const options = {
    input: inputOf(values),
    data,
    strict: values.strict === true || values['strict-builtin-errors'] === true,
    print: (line: string) => process.stderr.write(`${line}\n`),
  };
  if (query.hasValue) return query.solutionsExact(options);
  return query.evaluateExact(options).map((bindings) => ({ value: undefined, bindings }));
}

function inputOf(values: Values): Value | undefined {
  const path = values['stdin-input'] === true ? '-' : values.input;
  return path === undefined ? undefined : readDocument(path);
}

function renderSolutions(query: string, solutions: readonly Solution[], format: string | undefined): string {
  if (format === 'json') return `${opaResult(query, solutions)}\n`;
  const isRaw = format === 'raw';
  return solutions.map((solution) => `${lineOf(solution, isRaw)}\n`).join('');
}

function lineOf({ value, bindings }: Solution, isRaw: boolean): string {
  if (value === undefined) return bindings.size === 0 ? 'true' : bindingsText(bindings);
  return isRaw && typeof value === 'string' ? value : jsonText(value);
}

/** The output of `opa eval`, except that a query is always one expression. Numbers keep all their digits. */
function opaResult(query: string, solutions: readonly Solution[]): string {
  const results = solutions.map(({ value, bindings }) => {
    const valueText = value === undefined ? 'true' : jsonText(value);
    const expression = `{"value":${valueText},"text":${JSON.stringify(query)},"location":{"row":1,"col":1}}`;
    return `{"expressions":[${expression}]${bindings.size === 0 ? '' : `,"bindings":${bindingsText(bindings)}`}}`;
  });
  return results.length === 0 ? '{}' : `{"result":[${results.join(',')}]}`;
}

function bindingsText(bindings: Solution['bindings']): string {
  return `{${[...bindings].map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`).join(',')}}`;
}
