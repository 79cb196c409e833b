import { writeFileSync } from 'node:fs';
import { compile, format, RegoCompileError, type ModuleSource } from '@app/rego';
import { formatOf, numberOf, OPTIONS, partOf, readArguments, UsageError } from './arguments.js';
import { conformance, conformanceTable } from './conformance.js';
import { evaluateCommand } from './evaluate.js';
import { printFaults } from './faults.js';
import { readModules } from './files.js';
import { fuzz } from './fuzz.js';

const USAGE = `Usage:
  rego eval [options] 'query'
      -d, --data PATH      modules (.rego) and data (.json, .yaml): files or folders, any number of them
      -i, --input FILE     the input, JSON or YAML;  -I, --stdin-input  from the standard input
      -f, --format FORMAT  json: as opa eval prints it; raw: texts without quotes
      --fail               exit 1 where the query is undefined;  --fail-defined  where it is not
      --strict             errors of builtins end the evaluation
  rego check [-f json] PATH...
  rego fmt [-w | -l] [--fail] [PATH...]
      -w, --write          into the files;  -l, --list  names of the files whose layout is another
      --fail               exit 1 where a layout is another;  --check  the same, and nothing is printed but names
  rego conformance FOLDER [--json] [--threshold PERCENT]
  rego fuzz [--runs N] [--seed N] [FOLDER]

A FILE or PATH of - is the standard input.
eval prints the value of the query as JSON, a line for each where there are several, or the bindings of each solution
(true where it binds nothing); nothing where it is undefined. Faults name file, line and column, and show the line.
conformance prints passed, failed and refused cases per category; exit 1 below the threshold, the part of all
cases that has to pass: in percent, or, up to 1, as a fraction (98 and 0.98 are the same).
Exit codes: 0 done, 1 the answer is no, 2 wrong use, or a query that can not be evaluated.`;

function checkCommand(args: readonly string[]): number {
  const { values, positionals } = readArguments(args, OPTIONS.check);
  if (positionals.length === 0) throw new UsageError('check takes one or more files or folders');
  const outputFormat = formatOf(values.format, ['json']);
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
    const formatted = modules.map(({ name, text }) => ({ name, text, after: format(text, { file: name }) }));
    const different = formatted.filter(({ text, after }) => text !== after);
    if (values.write === true) {
      for (const { name, after } of different) writeFormatted(name, after);
    }
    if (values.list === true) process.stdout.write(different.map(({ name }) => `${name}\n`).join(''));
    if (values.check === true) {
      for (const { name } of different) process.stderr.write(`${name}: not in the standard layout\n`);
    }
    const isShown = values.write !== true && values.list !== true && values.check !== true;
    if (isShown) process.stdout.write(formatted.map(({ after }) => after).join(''));
    return (values.fail === true || values.check === true) && different.length > 0 ? 1 : 0;
  });
}

function writeFormatted(path: string, text: string): void {
  if (path === '-') throw new UsageError('the standard input can not be written');
  writeFileSync(path, text);
}

function withFaults(modules: readonly ModuleSource[], outputFormat: string | undefined, work: () => number): number {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RegoCompileError)) throw error;
    printFaults(error, modules, outputFormat);
    return 1;
  }
}

function conformanceCommand(args: readonly string[]): number {
  const { values, positionals } = readArguments(args, OPTIONS.conformance);
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw new UsageError('conformance takes one folder');
  const threshold = values.threshold === undefined ? undefined : partOf('threshold', values.threshold);
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
    runs: numberOf('runs', values.runs ?? '10000'),
    seed: numberOf('seed', values.seed ?? '1'),
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

/** Runs the tool; answers the exit code. */
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
    process.stderr.write(`${messageOf(error)}\n${error instanceof UsageError ? 'Usage: rego --help\n' : ''}`);
    return error instanceof UsageError || command === evaluateCommand ? 2 : 1;
  }
}

function messageOf(error: unknown): string {
  const hasMessage = typeof error === 'object' && error !== null && 'message' in error;
  return hasMessage ? String(error.message) : String(error);
}
