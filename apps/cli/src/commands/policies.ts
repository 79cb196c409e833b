import { unwrap } from '@app/api-client';
import { Argument, type Command } from 'commander';
import { connect } from '../connection.js';
import type { CommandContext } from '../context.js';
import { readDocument, readDocuments, readText } from '../documents.js';
import { CommandError, EXIT_CODES } from '../errors.js';
import { formatOption, withExamples } from '../options.js';
import { printRow, type Format, type Row } from '../output.js';
import { ResourceClient } from '../resource-client.js';
import { requireResource } from '../resources.js';
import type { Terminal } from '../terminal.js';

const ENTITY_TYPES = ['agent', 'team', 'environment'] as const;

interface EvalOptions {
  readonly output: Format;
  readonly input?: string;
}

interface TestOptions {
  readonly file?: string;
  readonly cases?: string;
}

/** A test case: one document of the file. */
interface Case {
  readonly name?: string;
  readonly input?: Row;
  readonly allowed?: boolean;
  readonly violations?: readonly string[];
}

/** Adds the commands that only policies have. */
export function addPolicyCommands(policies: Command, context: CommandContext): void {
  const evaluate = policies
    .command('eval')
    .description('Evaluate the policies that apply to an entity')
    .addArgument(new Argument('<type>', 'type of the entity').choices(ENTITY_TYPES))
    .argument('<entity>', 'id or name of the entity')
    .option('-i, --input <file>', 'YAML or JSON file with the input; - for standard input')
    .addOption(formatOption())
    .action((type: (typeof ENTITY_TYPES)[number], entity: string, options: EvalOptions) =>
      evaluatePolicies(context, type, entity, options),
    );
  addValidate(policies, context);
  withExamples(
    evaluate,
    'policies eval agent greeter --input input.yaml',
    `policies eval environment default --input - -o json <<< '{"user": "ada"}'`,
  ).addHelpText('after', '\nExit code 3: denied.');
  const test = policies
    .command('test <policy>')
    .description('Compile a policy and compare its verdicts on inputs with the expected ones; stores nothing')
    .option('-f, --file <file>', 'Rego source to test instead of the stored one')
    .option('-c, --cases <file>', 'YAML file with one case per document: name, input, allowed, violations')
    .action((policy: string, options: TestOptions) => testPolicy(context, policy, options));
  withExamples(
    test,
    'policies test no-secrets',
    'policies test no-secrets --file no-secrets.rego --cases cases.yaml',
  ).addHelpText(
    'after',
    `
A case:
  name: passwords are denied
  input: { execution: { prompt: the password } }
  allowed: false
  violations: [no secrets]     # optional

Exit code 3: the policy does not compile, or a case failed.`,
  );
}

function addValidate(policies: Command, context: CommandContext): void {
  const validate = policies
    .command('validate <file>')
    .description('Compile Rego source that is not stored; - for standard input')
    .action(async (file: string) => {
      const { terminal } = context;
      const policy_content = await readText(file, terminal);
      const { controlPlane } = connect(context);
      const result = await unwrap(controlPlane.POST('/api/v1/policies/validate', { body: { policy_content } }));
      if (!printCompilation(terminal, result)) context.exitCode = EXIT_CODES.negative;
    });
  withExamples(validate, 'policies validate no-secrets.rego').addHelpText(
    'after',
    '\nExit code 3: the policy does not compile.',
  );
}

interface Compilation {
  readonly valid: boolean;
  readonly errors: readonly {
    readonly line: number | null;
    readonly column: number | null;
    readonly message: string;
  }[];
  readonly warnings: readonly string[];
}

/** Returns whether the policy compiles. */
function printCompilation(terminal: Terminal, { valid, errors, warnings }: Compilation): boolean {
  for (const { line, column, message } of errors) terminal.print(`line ${line}, column ${column}: ${message}`);
  if (!valid) return false;
  terminal.print(`${terminal.style('green', 'ok')} compiles`);
  for (const warning of warnings) terminal.print(`${terminal.style('yellow', 'warning')} ${warning}`);
  return true;
}

async function evaluatePolicies(
  context: CommandContext,
  entity_type: (typeof ENTITY_TYPES)[number],
  entity: string,
  { input, output }: EvalOptions,
): Promise<void> {
  const { terminal } = context;
  const connection = connect(context);
  const entities = new ResourceClient(connection, requireResource(entity_type));
  const entity_id = entities.idOf(await entities.find(entity));
  const verdict = await unwrap(
    connection.controlPlane.POST('/api/v1/policies/evaluate/{entity_type}/{entity_id}', {
      params: { path: { entity_type, entity_id } },
      body: { input_data: input === undefined ? {} : await readDocument(input, terminal) },
    }),
  );
  if (output === 'table') {
    terminal.print(verdict.allowed ? terminal.style('green', 'allowed') : terminal.style('red', 'denied'));
    for (const violation of verdict.violations) terminal.print(`  ${violation}`);
  } else await printRow(terminal, verdict, output);
  if (!verdict.allowed) context.exitCode = EXIT_CODES.negative;
}

async function testPolicy(context: CommandContext, policy: string, { file, cases }: TestOptions): Promise<void> {
  const { terminal } = context;
  const connection = connect(context);
  const policies = new ResourceClient(connection, requireResource('policy'));
  const params = { path: { policy_id: policies.idOf(await policies.find(policy)) } };
  const source = file === undefined ? {} : { policy_content: await readText(file, terminal) };
  const validate = (body: Row) =>
    unwrap(
      connection.controlPlane.POST('/api/v1/policies/{policy_id}/validate', { params, body: { ...source, ...body } }),
    );
  if (!printCompilation(terminal, await validate({}))) {
    context.exitCode = EXIT_CODES.negative;
    return;
  }
  const documents = cases === undefined ? [] : await readDocuments(cases, terminal);
  for (const [index, test] of (documents as readonly Case[]).entries()) {
    const name = test.name ?? `case ${index + 1}`;
    if (typeof test.allowed !== 'boolean') throw new CommandError(`${name}: allowed is missing`, EXIT_CODES.data);
    const { result } = await validate({ input_data: test.input ?? {} });
    const faults = faultsOf(test, result as { readonly allowed: boolean; readonly violations: readonly string[] });
    if (faults.length > 0) context.exitCode = EXIT_CODES.negative;
    terminal.print(`${faults.length === 0 ? terminal.style('green', 'ok') : terminal.style('red', 'not ok')} ${name}`);
    for (const fault of faults) terminal.print(`  ${fault}`);
  }
}

function faultsOf(
  { allowed, violations }: Case,
  result: { readonly allowed: boolean; readonly violations: readonly string[] },
): string[] {
  const list = (texts: readonly string[]): string => JSON.stringify(texts.toSorted());
  return [
    ...(result.allowed === allowed ? [] : [`expected allowed: ${String(allowed)}, got ${String(result.allowed)}`]),
    ...(violations === undefined || list(violations) === list(result.violations)
      ? []
      : [`expected violations: ${list(violations)}, got ${list(result.violations)}`]),
  ];
}
