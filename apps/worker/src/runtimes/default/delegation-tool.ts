import { dynamicTool, jsonSchema, type ToolSet } from 'ai';
import { isJsonObject } from '@app/kernel';
import { messageOf } from '../../errors/error-text.js';
import type { RuntimeTask } from '../runtime.js';
import { redactAndTruncate } from './tool-set.js';

/** The tool with which a leader delegates. */
const NAME = 'delegate_to_member';

/**
 * Returns the tool that lets the model call the delegates of a task; no tool without delegates. Calls in one step run
 * at the same time. The time limit of tools does not apply: a delegate is bounded by the run and by its own steps.
 */
export function delegationTool({ delegates = [], redactor, signal }: RuntimeTask): ToolSet {
  if (delegates.length === 0) return {};
  const byName = new Map(uniqueNames(delegates.map(({ name }) => name)).map((name, index) => [name, delegates[index]]));
  const listed = [...byName].map(([name, delegate]) => `- ${name}${descriptionOf(delegate?.description)}`);
  const inputSchema = jsonSchema({
    type: 'object',
    properties: {
      member: { type: 'string', enum: [...byName.keys()] },
      task: { type: 'string', description: 'What the member shall do, with everything it has to know' },
    },
    required: ['member', 'task'],
  });
  const description = `Gives a task to a member of the team and returns its answer. Members:\n${listed.join('\n')}`;
  const execute = async (input: unknown, { abortSignal = signal }: { abortSignal?: AbortSignal }): Promise<string> => {
    const { member, task } = isJsonObject(input) ? input : {};
    const delegate = typeof member === 'string' ? byName.get(member) : undefined;
    if (delegate === undefined) throw new Error(`The team has no member ${nameOf(member)}`);
    if (typeof task !== 'string' || task.trim() === '') throw new Error('The input task must be a text');
    const outcome = await delegate.run(task, abortSignal).then(
      (answer) => ({ failed: false, text: redactAndTruncate(answer, redactor) }),
      (error: unknown) => ({ failed: true, text: redactAndTruncate(messageOf(error), redactor) }),
    );
    // A new error without a cause, because the cause may contain secrets.
    if (outcome.failed) throw new Error(outcome.text);
    return outcome.text;
  };
  return { [NAME]: dynamicTool({ description, inputSchema, execute }) };
}

function descriptionOf(description: string | null | undefined): string {
  return description == null ? '' : `: ${description}`;
}

/** Members may have the same name. */
function uniqueNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let unique = name;
    for (let count = 2; taken.has(unique); count += 1) unique = `${name} ${count}`;
    taken.add(unique);
    return unique;
  });
}

/** A model can send any value. */
function nameOf(member: unknown): string {
  return typeof member === 'string' ? member : JSON.stringify(member ?? null);
}
