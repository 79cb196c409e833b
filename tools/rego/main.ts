import { readFileSync } from 'node:fs';
import { compile, format, jsonText, parseJson } from '@app/rego';
import { conformance, conformanceTable } from './conformance.js';
import { fuzz } from './fuzz.js';

const USAGE = `Usage:
  rego eval [-d policy.rego]... [-i input.json] [--data data.json] [--strict] 'query'
  rego check policy.rego...
  rego fmt [--check] policy.rego...
  rego conformance FOLDER [--json] [--threshold PERCENT]
  rego fuzz [--runs N] [--seed N] [FOLDER]

eval prints the value of the query as JSON, or the bindings of each solution; nothing where it is undefined.
conformance prints passed, failed and refused cases per category; exit 1 below the threshold (percent of passed cases).`;

interface Arguments {
  readonly positional: string[];
  readonly options: Map<string, string[]>;
}

const FLAGS = new Set(['--json', '--strict', '--check', '--help']);

function readArguments(args: readonly string[]): Arguments {
  const positional: string[] = [];
  const options = new Map<string, string[]>();
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!arg.startsWith('-') || arg === '-') {
      positional.push(arg);
      continue;
    }
    const value = FLAGS.has(arg) ? '' : args[++at];
    if (value === undefined) throw new UsageError(`${arg} needs a value`);
    options.set(arg, [...(options.get(arg) ?? []), value]);
  }
  return { positional, options };
}

class UsageError extends Error {}

function option({ options }: Arguments, name: string): string | undefined {
  return options.get(name)?.[0];
}

function readText(path: string): string {
  return readFileSync(path === '-' ? 0 : path, 'utf8');
}

function evaluate(args: Arguments): number {
  const [query] = args.positional;
  if (query === undefined || args.positional.length > 1) throw new UsageError('eval takes one query');
  const files = [...(args.options.get('-d') ?? []), ...(args.options.get('--policy') ?? [])];
  const program = compile(files.map((name) => ({ name, text: readText(name) })));
  const input = option(args, '-i') ?? option(args, '--input');
  const data = option(args, '--data');
  const options = {
    input: input === undefined ? undefined : parseJson(readText(input)),
    data: data === undefined ? undefined : parseJson(readText(data)),
    strict: args.options.has('--strict'),
    print: (line: string) => process.stderr.write(`${line}\n`),
  };
  const prepared = program.query(query);
  if (prepared.hasValue) {
    const value = prepared.valueExact(options);
    if (value !== undefined) process.stdout.write(`${jsonText(value)}\n`);
    return 0;
  }
  for (const bindings of prepared.evaluateExact(options)) {
    const members = [...bindings].map(([name, value]) => `${JSON.stringify(name)}:${jsonText(value)}`);
    process.stdout.write(`{${members.join(',')}}\n`);
  }
  return 0;
}

function check({ positional }: Arguments): number {
  if (positional.length === 0) throw new UsageError('check takes one or more files');
  compile(positional.map((name) => ({ name, text: readText(name) })));
  return 0;
}

function formatFiles({ positional, options }: Arguments): number {
  let different = false;
  for (const name of positional.length === 0 ? ['-'] : positional) {
    const text = readText(name);
    const formatted = format(text, { file: name });
    if (!options.has('--check')) process.stdout.write(formatted);
    else if (formatted !== text) {
      different = true;
      process.stderr.write(`${name}: not in the standard layout\n`);
    }
  }
  return different ? 1 : 0;
}

function runConformance(args: Arguments): number {
  const [folder] = args.positional;
  if (folder === undefined) throw new UsageError('conformance takes a folder');
  const report = conformance(folder);
  process.stdout.write(
    `${args.options.has('--json') ? JSON.stringify(report, undefined, 2) : conformanceTable(report)}\n`,
  );
  const threshold = option(args, '--threshold');
  if (threshold === undefined) return 0;
  const share = Number(threshold);
  if (!Number.isFinite(share)) throw new UsageError('--threshold takes a number');
  const total = report.passed + report.failed + report.refused;
  return total > 0 && (report.passed / total) * 100 >= share ? 0 : 1;
}

function runFuzz(args: Arguments): number {
  const report = fuzz({
    runs: Number(option(args, '--runs') ?? 10_000),
    seed: Number(option(args, '--seed') ?? 1),
    folder: args.positional[0],
  });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return report.crashes.length === 0 ? 0 : 1;
}

const COMMANDS: Readonly<Record<string, (args: Arguments) => number>> = {
  eval: evaluate,
  check,
  fmt: formatFiles,
  conformance: runConformance,
  fuzz: runFuzz,
};

/** Runs the tool; answers the exit code: 0 done, 1 the answer is no, 2 wrong use. */
export function main(argv: readonly string[]): number {
  const [name = '', ...rest] = argv;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined || rest.includes('--help')) {
    process.stdout.write(`${USAGE}\n`);
    return command === undefined && !['--help', '-h', 'help'].includes(name) ? 2 : 0;
  }
  try {
    return command(readArguments(rest));
  } catch (error) {
    return report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message}\n${USAGE}\n`);
    return 2;
  }
  process.stderr.write(`${messageOf(error)}\n`);
  return 1;
}

function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return hasMessage ? String(error.message) : String(error);
}
