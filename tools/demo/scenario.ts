import type { AnyEvent } from '@app/api-client';
import { isJsonObject } from '@app/kernel';
import type { DemoControlPlane, DemoExecution } from './control-plane.js';
import { followRun, now, payloadOf, type Print, type ReceivedEvents } from './follow.js';
import { printTrace } from './trace.js';
import { measureHops, type RunTimestamps } from './hop-timings.js';

const PROMPT_TEMPLATE = 'Write a greeting for {{ name }}, who has just started the platform.';
const PARAMETERS = { name: 'Ada' };
const MAX_SUMMARY_LENGTH = 110;
const MAX_LINE_LENGTH = 90;

/**
 * The words in brackets make the development model delegate to both members at once, and answer in the words of each.
 */
const TEAM_PROMPT = `[[parallel]] ${delegation('researcher', 'She has just started the platform.')} ${delegation(
  'editor',
  'Short and friendly.',
)} Greet Ada.`;

const STEPS = [
  { name: 'facts', type: 'prompt', prompt: 'Collect facts about {{params.topic}}.' },
  { name: 'title', type: 'prompt', prompt: 'Find a title for a text about {{params.topic}}.' },
  { name: 'text', type: 'prompt', prompt: 'Write "{{steps.title.output}}" from: {{steps.facts.output}}' },
] as const;

export interface Printer {
  readonly step: Print;
  readonly detail: Print;
}

/** Runs an agent, a team and a workflow, and prints what happens. Throws if one of them fails. */
export async function runScenario(controlPlane: DemoControlPlane, print: Printer): Promise<void> {
  print.step('An agent, started by a job with a parameter');
  await runAgent(controlPlane, print.detail);
  print.step('A team, whose leader delegates to two members');
  await runTeam(controlPlane, print.detail);
  print.step('A workflow, whose third step uses the outputs of the first two');
  await runWorkflow(controlPlane, print.detail);
}

async function runAgent(controlPlane: DemoControlPlane, print: Print): Promise<void> {
  const agentId = await controlPlane.createAgent('demo agent', 'You answer in one friendly sentence.');
  print(`agent      ${agentId}`);
  const jobId = await controlPlane.createManualJob('demo job', agentId, PROMPT_TEMPLATE);
  print(`job        ${jobId}  manual trigger`);
  const triggered = now();
  const executionId = await controlPlane.trigger(jobId, PARAMETERS);
  const responded = now();
  print(`execution  ${executionId}  triggered with ${JSON.stringify(PARAMETERS)}`);
  print('');
  const describe = (event: AnyEvent): string => `${event.event.padEnd(18)} ${summarize(event)}`;
  const { execution, received } = await followRun(controlPlane, { executionId, since: triggered, print, describe });
  print('');
  for (const { name, ms } of measureHops(timestampsOf({ triggered, responded, execution, received }))) {
    print(`${ms.toFixed(1).padStart(9)} ms  ${name}`);
  }
  await printTrace(controlPlane, executionId, print);
}

async function runTeam(controlPlane: DemoControlPlane, print: Print): Promise<void> {
  const teamId = await controlPlane.createTeam('demo team', 'Divide the work among the members.');
  for (const name of ['researcher', 'editor']) {
    await controlPlane.createAgent(name, 'You answer in one sentence.', teamId);
  }
  print(`team       ${teamId}  with the members researcher and editor`);
  const since = now();
  const executionId = await controlPlane.executeTeam(teamId, TEAM_PROMPT);
  print(`execution  ${executionId}`);
  print('');
  await followRun(controlPlane, { executionId, since, print, describe: describeDelegation });
  await printTrace(controlPlane, executionId, print);
}

async function runWorkflow(controlPlane: DemoControlPlane, print: Print): Promise<void> {
  const workflowId = await controlPlane.createWorkflow(`demo ${Date.now()}`, STEPS);
  print(`workflow   ${workflowId}  with the steps ${STEPS.map(({ name }) => name).join(', ')}`);
  const since = now();
  const executionId = await controlPlane.executeWorkflow(workflowId, { topic: 'owls' });
  print(`execution  ${executionId}  started with {"topic":"owls"}`);
  print('');
  await followRun(controlPlane, { executionId, since, print, describe: describeStep });
  await printTrace(controlPlane, executionId, print);
}

function delegation(member: string, answer: string): string {
  return `[[tool delegate_to_member ${JSON.stringify({ member, task: `[[say ${answer}]]` })}]]`;
}

function describeDelegation(event: AnyEvent): string | undefined {
  const { tool_arguments, member_name, content } = payloadOf(event);
  if (event.event === 'tool_started') return `leader      delegates to ${memberIn(tool_arguments)}`;
  if (event.event === 'member_message_complete') return `${String(member_name).padEnd(11)} ${shorten(String(content))}`;
  return event.event === 'message' ? 'leader      answers' : undefined;
}

function memberIn(input: unknown): string {
  return isJsonObject(input) && typeof input['member'] === 'string' ? input['member'] : '?';
}

function describeStep(event: AnyEvent): string | undefined {
  const { step, output } = payloadOf(event);
  if (event.event === 'step_started') return `${String(step).padEnd(6)} started`;
  if (event.event !== 'step_completed') return undefined;
  return `${String(step).padEnd(6)} ${shorten(String(output))}`;
}

function shorten(text: string): string {
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;
}

function timestampsOf(run: {
  triggered: number;
  responded: number;
  execution: DemoExecution;
  received: ReceivedEvents;
}): RunTimestamps {
  const { execution, received, triggered, responded } = run;
  const created = Date.parse(execution.created_at);
  const started = execution.started_at === null ? created : Date.parse(execution.started_at);
  return {
    triggered,
    responded,
    created,
    started,
    firstChunkPublished: received.firstChunk?.publishedAt,
    firstChunkReceived: received.firstChunk?.receivedAt,
    completed: execution.completed_at === null ? received.doneAt : Date.parse(execution.completed_at),
    doneReceived: received.doneAt,
  };
}

/** Returns the payload of an event, shortened. */
function summarize(event: AnyEvent): string {
  const payload = payloadOf(event);
  if (typeof payload['content'] === 'string') return JSON.stringify(payload['content']);
  const text = JSON.stringify(payload);
  return text.length > MAX_SUMMARY_LENGTH ? `${text.slice(0, MAX_SUMMARY_LENGTH)}…` : text;
}
