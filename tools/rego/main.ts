import { writeFileSync } from 'node:fs';
import { compile, format, RegoCompileError, type ModuleSource } from '@app/rego';
import { OPTIONS, readArguments, readFormat, readFraction, readNumber, UsageError } from './arguments.js';
import { conformance, conformanceTable } from './conformance.js';
import { evaluateCommand } from './evaluate.js';
import { printFaults } from './faults.js';
import { readModules } from './files.js';
import { fuzz } from './fuzz.js';

const USAGE = `Usage:
  rego eval [options] 'query'
      -d, --data PATH      modules (.rego) and data (.json, .yaml): file or folder; repeatable
      -i, --input FILE     the input document, JSON or YAML
      -I, --stdin-input    read the input document from standard input
      -f, --format FORMAT  json: the output of opa eval; raw: strings without quotes
      --fail               exit 1 if the query is undefined
      --fail-defined       exit 1 if the query is defined
      --strict             stop at the first error of a builtin
  rego check [-f json] PATH...
  rego fmt [-w | -l] [--check | --fail] [PATH...]
      -w, --write          write the formatted files
      -l, --list           list the files that are not formatted
      --check              name the files that are not formatted, print nothing else, and exit 1 if there are any
      --fail               exit 1 if a file is not formatted
  rego conformance FOLDER [--json] [--threshold PERCENT]
      --threshold PERCENT  exit 1 if fewer cases pass; up to 1 it is a fraction (98 and 0.98 are the same)
  rego fuzz [--runs N] [--seed N] [FOLDER]

A FILE or PATH of - is standard input.
eval prints the value of the query as JSON, one line per value, or the bindings of each solution ("true" without
bindings); it prints nothing if the query is undefined. Errors name file, line and column and show the source line.
conformance prints the passed, failed and refused cases of each category.
Exit codes: 0 success, 1 negative result (see above), 2 invalid usage or a query that cannot be evaluated.`;

function checkCommand(args: readonly string[]): number {
  const { values, positionals } = readArguments(args, OPTIONS.check);
  if (positionals.length === 0) throw new UsageError('check requires at least one file or folder');
  const outputFormat = readFormat(values.format, ['json']);
  const modules = readModules(positionals);
  return withFaults(modules, outputFormat, () => {
    compile(modules);
    return 0;
  });
}

function formatCommand(args: readonly string[]): number {
  const { values, positionals } = readArguments(args, OPTIONS.fmt);
  const modules = readModules(positionals.length === 0 ? ['-'] : positionals);
  return withFaults(modules, undefined, () => {
    const results = modules.map(({ name, text }) => ({ name, text, formatted: format(text, { file: name }) }));
    const unformatted = results.filter(({ text, formatted }) => text !== formatted);
    if (values.write === true) {
      for (const { name, formatted } of unformatted) writeFormatted(name, formatted);
    }
    if (values.list === true) process.stdout.write(unformatted.map(({ name }) => `${name}\n`).join(''));
    if (values.check === true) {
      for (const { name } of unformatted) process.stderr.write(`${name}: not formatted\n`);
    }
    const printsResult = values.write !== true && values.list !== true && values.check !== true;
    if (printsResult) process.stdout.write(results.map(({ formatted }) => formatted).join(''));
    return (values.fail === true || values.check === true) && unformatted.length > 0 ? 1 : 0;
  });
}

function writeFormatted(path: string, text: string): void {
  if (path === '-') throw new UsageError('cannot write to standard input');
  writeFileSync(path, text);
}

/** Runs a command that compiles modules; prints the faults of a compile error and returns exit code 1. */
function withFaults(modules: readonly ModuleSource[], outputFormat: string | undefined, run: () => number): number {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof RegoCompileError)) throw error;
    printFaults(error, modules, outputFormat);
    return 1;
  }
}

function conformanceCommand(args: readonly string[]): number {
  const { values, positionals } = readArguments(args, OPTIONS.conformance);
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('conformance requires exactly one folder');
  const threshold = values.threshold === undefined ? undefined : readFraction('threshold', values.threshold);
  const report = conformance(folder);
  const text = values.json === true ? JSON.stringify(report, undefined, 2) : conformanceTable(report);
  process.stdout.write(`${text}\n`);
  if (threshold === undefined) return 0;
  const total = report.passed + report.failed + report.refused;
  return total > 0 && report.passed / total >= threshold ? 0 : 1;
}

function fuzzCommand(args: readonly string[]): number {
  const { values, positionals } = readArguments(args, OPTIONS.fuzz);
  const report = fuzz({
    runs: readNumber('runs', values.runs ?? '10000'),
    seed: readNumber('seed', values.seed ?? '1'),
    folder: positionals[0],
  });
  process.stdout.write(`${JSON.stringify(report)}\n`);
  return report.crashes.length === 0 ? 0 : 1;
}

const COMMANDS: Readonly<Record<string, (args: readonly string[]) => number>> = {
  eval: evaluateCommand,
  check: checkCommand,
  fmt: formatCommand,
  conformance: conformanceCommand,
  fuzz: fuzzCommand,
};

/** Runs a command line and returns the exit code. */
export function main(argv: readonly string[]): number {
  const [name = '', ...rest] = argv;
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const wantsHelp = [name, ...rest].some((arg) => arg === '--help' || arg === '-h') || name === 'help';
  if (command === undefined || wantsHelp) {
    (wantsHelp ? process.stdout : process.stderr).write(`${USAGE}\n`);
    return wantsHelp ? 0 : 2;
  }
  try {
    return command(rest);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n${error instanceof UsageError ? 'See rego --help.\n' : ''}`);
    return error instanceof UsageError || command === evaluateCommand ? 2 : 1;
  }
}

function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return hasMessage ? String(error.message) : String(error);
}
