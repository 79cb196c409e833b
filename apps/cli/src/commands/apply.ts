import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { diffLines } from 'diff';
import { confirm, yesOption } from '../confirm.js';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { readDocuments, Reference } from '../documents.js';
import { describeError } from '../describe-error.js';
import { CommandError, EXIT_CODES, usageError } from '../errors.js';
import { withExamples } from '../options.js';
import { serialize, type Row } from '../output.js';
import { Planner, StepError, type Step } from '../plan.js';
import { APPLICABLE } from '../resources.js';
import type { Terminal } from '../terminal.js';

interface ApplyOptions {
  readonly file?: string;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
  readonly rewriteSecrets?: boolean;
}

export function defineApply(apply: Command, context: CommandContext): void {
  apply
    .argument('[file]')
    .option(
      '-f, --file <path>',
      'YAML file with one resource per document, a folder with such files, or - for standard input',
    )
    .addOption(yesOption())
    .option('--dry-run', 'only show the differences')
    .option('--rewrite-secrets', 'set the values of existing secrets again; the platform does not return them')
    .action((given: string | undefined, options: ApplyOptions) => applyFile(context, given, options));
  withExamples(
    apply,
    'apply -f agents.yaml',
    'apply -f agents.yaml --dry-run',
    'apply -f agents.yaml --yes',
    'apply -f folder',
  ).addHelpText(
    'after',
    `
A file:
  kind: agent
  name: greeter
  system_prompt: You greet people.
  ---
  kind: job
  name: greet
  trigger_type: manual
  entity_type: agent
  entity_id: !ref agent/greeter        # the id of a resource in the file or on the platform
  prompt_template: Greet {{name}}.
  ---
  kind: secret
  name: TRACKER_TOKEN
  value: !env TRACKER_TOKEN            # an environment variable

Kinds, and the fields by which existing ones are found:
${APPLICABLE.map(({ kind, knownBy = ['name'] }) => `  ${kind.padEnd(20)}${knownBy.join(', ')}`).join('\n')}

Fields that the file does not name stay as they are; unknown fields are errors. A file that is applied again changes
nothing. The values of existing secrets cannot be compared: --rewrite-secrets sets them again. Exit code 3: --dry-run
found differences.`,
  );
}

async function applyFile(
  context: CommandContext,
  given: string | undefined,
  { file, yes = false, dryRun = false, rewriteSecrets = false }: ApplyOptions,
): Promise<void> {
  const { terminal } = context;
  if (file === undefined || given !== undefined) {
    throw usageError('The file is given with -f.', `agentctl apply -f ${given ?? 'FILE'}`);
  }
  const planner = new Planner(connect(context), rewriteSecrets);
  const documents: Row[] = [];
  for (const path of manifestsIn(file)) documents.push(...(await readDocuments(path, terminal)));
  const steps = await planner.plan(documents);
  const pending = steps.filter(({ changes }) => Object.keys(changes).length > 0);
  for (const step of steps) terminal.write(await describe(step, terminal));
  if (pending.length === 0) return terminal.note('Nothing to change.');
  if (dryRun) {
    context.exitCode = EXIT_CODES.negative;
    return;
  }
  if (!yes) await confirmChanges(terminal, pending.length);
  for (const step of pending) await carryOut(planner, step, terminal);
}

const MANIFEST = /\.(ya?ml|json)$/;

/** Returns the manifests of a folder in the order of their names, without those of folders in it; otherwise the file. */
function manifestsIn(path: string): readonly string[] {
  if (path === '-' || !(statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false)) return [path];
  const names = readdirSync(path).filter((name) => MANIFEST.test(name));
  if (names.length === 0) throw usageError(`${path} contains no file whose name ends with .yaml, .yml or .json.`);
  return names.toSorted().map((name) => join(path, name));
}

async function confirmChanges(terminal: Terminal, count: number): Promise<void> {
  if (!terminal.isInteractive) throw usageError('Without a terminal, --yes or --dry-run is required.');
  await confirm(terminal, `Change ${count === 1 ? '1 resource' : `${count} resources`}?`);
}

async function carryOut(planner: Planner, step: Step, terminal: Terminal): Promise<void> {
  try {
    const row = await planner.carryOut(step);
    terminal.print(`${step.label} ${step.current === null ? 'created' : 'updated'}`);
    for (const field of step.current === null ? (step.resource.shownOnce ?? []) : []) {
      if (typeof row[field] === 'string') terminal.print(`  ${field}: ${row[field]}`);
    }
  } catch (error) {
    if (!(error instanceof StepError)) throw error;
    const { message, exitCode, advice } = describeError(error.cause);
    throw new CommandError(`${error.label}: ${message}`, exitCode, advice);
  }
}

/** The difference of one resource, line by line in YAML. */
async function describe({ label, resource, current, changes }: Step, terminal: Terminal): Promise<string> {
  const names = Object.keys(changes);
  if (names.length === 0) {
    const isCompared = resource.writeOnly === undefined;
    const state = isCompared ? 'unchanged' : 'exists (its value cannot be compared; --rewrite-secrets sets it again)';
    return `${terminal.style('dim', `  ${label} ${state}`)}\n`;
  }
  const before = Object.fromEntries(names.flatMap((name) => (current?.[name] == null ? [] : [[name, current[name]]])));
  const [old, wanted] = await Promise.all([textOf(before, resource.writeOnly), textOf(changes, resource.writeOnly)]);
  const head = current === null ? terminal.style('green', `+ ${label}`) : terminal.style('yellow', `~ ${label}`);
  const lines = diffLines(old, wanted).flatMap(({ added, removed, value }) =>
    value
      .trimEnd()
      .split('\n')
      .map((line) => {
        if (added) return terminal.style('green', `  + ${line}`);
        return removed ? terminal.style('red', `  - ${line}`) : `    ${line}`;
      }),
  );
  return `${[head, ...lines].join('\n')}\n`;
}

/** Returns fields as YAML, with descriptions in place of hidden values and of references to new resources. */
async function textOf(fields: Row, hidden: readonly string[] = []): Promise<string> {
  if (Object.keys(fields).length === 0) return '';
  const shown = (value: unknown): unknown => {
    if (value instanceof Reference) return `(id of ${value.label})`;
    if (Array.isArray(value)) return value.map(shown);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, inner]) => [name, hidden.includes(name) ? HIDDEN : shown(inner)]);
    return Object.fromEntries(entries);
  };
  return serialize(shown(fields), 'yaml');
}

const HIDDEN = '(not shown)';
