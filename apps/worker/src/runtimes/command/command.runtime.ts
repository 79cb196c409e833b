import type { ModelMessage } from 'ai';
import { secretValues } from '../../redaction/secrets.js';
import { describeEnd, startFailure } from '../../workspace/bounded-command.js';
import { OutputFault } from '../../workspace/line-reader.js';
import { ProcessGroup, type ProcessCommand, type ProcessEnd } from '../../workspace/process-group.js';
import { systemPrompt } from '../default/agent-settings.js';
import { openConversation } from '../default/open-conversation.js';
import { requireModel } from '../../model/open-model.js';
import { RuntimeFailure, type Runtime, type RuntimeResult, type RuntimeTask } from '../runtime.js';
import { renderText, type TemplateValues } from '../template.js';
import { traceVariables } from '../../tracing/trace-headers.js';
import { workingFolder } from '../working-folder.js';
import { CommandMessages } from './command-messages.js';
import { ErrorOutput } from './command-output.js';
import type { CommandSettings } from './command-settings.js';
import { JsonLines } from './json-lines.js';

/**
 * Runs agents by a command that the operator of the worker chose: a coding agent's command line that prints its
 * messages as line-delimited JSON. The command works in the folder of the run with its own tools and model access; it
 * and all processes that it started are killed when the run is aborted.
 */
export class CommandRuntime implements Runtime {
  readonly name: string;

  /** `inherited`: variables of the worker's environment that the command receives. */
  constructor(
    private readonly settings: CommandSettings,
    private readonly inherited: Readonly<Record<string, string>>,
  ) {
    this.name = settings.name;
  }

  async run(task: RuntimeTask): Promise<RuntimeResult> {
    this.refuseUnsupported(task);
    publishUnavailable(task);
    task.redactor.addSecrets(secretValues(this.inherited, []));
    const { lease } = task;
    const { messages: said, answer } = openConversation(task);
    const messages = new CommandMessages(task, task.redactor);
    const model = this.uses('model') ? lease.model : null;
    if (answer !== null) return { ...answer, usage: messages.usage(model) };
    await task.waitWhilePaused();
    const command = await this.commandFor(task, promptOf(said));
    const failure = await this.execute(command, task, messages);
    messages.end();
    if (failure !== null) throw new RuntimeFailure(failure, messages.usage(model));
    const { result, messageId } = messages;
    return { response: result?.response ?? '', messageId, usage: messages.usage(model) };
  }

  /** The command supports neither tool restrictions nor members, and these must not be ignored silently. */
  private refuseUnsupported({ delegates = [], allowedTools = null }: RuntimeTask): void {
    const subject = `The runtime ${this.name}`;
    if (delegates.length > 0) throw new RuntimeFailure(`${subject} cannot lead a team with members`);
    if (allowedTools !== null) throw new RuntimeFailure(`${subject} cannot be restricted to the tools of a team`);
  }

  private uses(placeholder: string): boolean {
    return this.settings.args.some((argument) => argument.includes(`{{${placeholder}}}`));
  }

  /** The standard input gets the system prompt and the prompt, each unless an argument contains it. */
  private async commandFor(task: RuntimeTask, prompt: string): Promise<ProcessCommand> {
    const { lease } = task;
    const model = this.uses('model') ? requireModel(lease.model) : (lease.model ?? '');
    const system = systemPrompt(lease) ?? '';
    const values: TemplateValues = {
      roots: { prompt, system_prompt: system, model },
      outputOf: () => null,
    };
    const input = [
      ...(this.uses('system_prompt') || system === '' ? [] : [system]),
      ...(this.uses('prompt') ? [] : [prompt]),
    ];
    const cwd = await workingFolder(task);
    return {
      command: this.settings.command,
      args: this.settings.args.map((argument) => renderText(argument, values)),
      cwd,
      // The run must not override variables that the operator set.
      env: { ...lease.environment, ...traceVariables(), HOME: cwd, ...this.inherited },
      input: input.join('\n\n'),
    };
  }

  /** Runs the command to its end. Returns why it failed, or null. */
  private async execute(command: ProcessCommand, task: RuntimeTask, messages: CommandMessages): Promise<string | null> {
    const broken = new AbortController();
    const lines = new JsonLines((line) => messages.take(line));
    const errors = new ErrorOutput();
    const output = {
      onStdout: (chunk: Buffer): void => {
        if (!broken.signal.aborted) attempt(() => lines.add(chunk), broken);
      },
      onStderr: (chunk: Buffer): void => errors.add(chunk),
    };
    const end = await this.start(command, output, AbortSignal.any([task.signal, broken.signal]));
    if (!broken.signal.aborted) attempt(() => lines.end(), broken);
    if (task.signal.aborted) return 'The run was aborted';
    const fault: unknown = broken.signal.reason;
    if (fault !== undefined && !(fault instanceof OutputFault)) throw fault;
    const failure = fault?.message ?? failureOf(end, messages);
    if (failure === null) return null;
    task.logger.warn({ runtime: this.name, failure, stderr: errors.text(task.redactor) }, 'command failed');
    return `The command of the runtime ${this.name} ${failure}`;
  }

  private async start(
    command: ProcessCommand,
    output: ConstructorParameters<typeof ProcessGroup>[1],
    signal: AbortSignal,
  ): Promise<ProcessEnd> {
    signal.throwIfAborted();
    try {
      return await new ProcessGroup(command, output, signal).ended;
    } catch (error) {
      throw new RuntimeFailure(startFailure(`of the runtime ${this.name}`, error).message);
    }
  }
}

function failureOf(end: ProcessEnd, { result }: CommandMessages): string | null {
  if (result?.isError === true) return 'reported an error; see the events of the run';
  if (end.exitCode !== 0) return `ended with ${describeEnd(end)}`;
  return result === null ? 'ended without a result' : null;
}

/** The output arrives in event handlers, where an error would end the process. */
function attempt(read: () => void, broken: AbortController): void {
  try {
    read();
  } catch (error) {
    broken.abort(error);
  }
}

/** Describes the tools of the agent that the command, which uses its own tools, does not have. */
function publishUnavailable({ lease, publish }: RuntimeTask): void {
  const skills = lease.skills.filter(({ type }) => type !== 'custom').map(({ name, type }) => ({ name, type }));
  const servers = Object.keys(lease.mcpServers);
  if (skills.length === 0 && servers.length === 0) return;
  publish('metadata', { unavailable_skills: skills, unavailable_mcp_servers: servers });
}

/** The command takes one text: the earlier messages, each with its role, precede the prompt. */
function promptOf(messages: readonly ModelMessage[]): string {
  const [only, second] = messages;
  if (only !== undefined && second === undefined) return textOf(only);
  return messages
    .filter((message) => textOf(message) !== '')
    .map((message) => `${message.role}: ${textOf(message)}`)
    .join('\n\n');
}

function textOf({ content }: ModelMessage): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
