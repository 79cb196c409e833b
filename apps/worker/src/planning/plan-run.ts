import { type Clock, headOf } from '@app/kernel';
import { generateText, type LanguageModel, type ModelMessage } from 'ai';
import { isFailure } from '../control-plane/control-plane.errors.js';
import type { PlanAnswer, PlanChoice } from '../control-plane/control-plane.port.js';
import type { Candidate, Lease } from '../control-plane/lease.js';
import { describeModelFailure } from '../model/model-failure.js';
import { modelFetch } from '../model/model-fetch.js';
import { openModel } from '../model/open-model.js';
import { UsageMeter } from '../model/usage-meter.js';
import { RuntimeFailure, type ModelGateway, type RuntimeUsage } from '../runtimes/runtime.js';
import type { RunSpans } from '../tracing/run-spans.js';
import type { Redactor } from '../redaction/secrets.js';
import {
  CHOICE_TOOL,
  choiceInstructions,
  choiceTool,
  nameCandidates,
  readChoice,
  type NamedCandidates,
} from './candidate-choice.js';

/** After an invalid choice the model is asked once more. */
const MAX_CHOICES = 2;
/** Longer faults are truncated, because the model and users read them. */
const MAX_FAULT_LENGTH = 500;

export interface PlanningTask {
  readonly lease: Lease;
  readonly candidates: readonly Candidate[];
  readonly gateway: ModelGateway;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly spans: RunSpans;
  readonly signal: AbortSignal;
  readonly waitWhilePaused: () => Promise<void>;
  /** Reports a choice to the control plane. */
  readonly report: (choice: PlanChoice) => Promise<PlanAnswer>;
}

export interface PlannedRun {
  readonly answer: PlanAnswer;
  readonly usage: RuntimeUsage;
}

/** The choice of the model, or why it must choose again. `said`: the messages to append to the conversation. */
type Step = { readonly choice: PlanChoice } | { readonly fault: string; readonly said: readonly ModelMessage[] };

/**
 * Lets the model choose the agent or team of an execution, and reports the choice. Throws a RuntimeFailure without a
 * valid choice.
 */
export async function planRun(task: PlanningTask): Promise<PlannedRun> {
  const { lease, candidates, gateway, clock, redactor, report } = task;
  if (candidates.length === 0) {
    throw new RuntimeFailure(
      'There is no agent or team that could run this: none may run in the environment of the queue with the runtimes of this worker',
    );
  }
  const model = openModel({ ...gateway, spans: task.spans }, lease.model, modelFetch(clock, gateway.retries));
  const named = nameCandidates(candidates);
  const usage = new UsageMeter(lease.model ?? '');
  const messages: ModelMessage[] = [{ role: 'user', content: lease.prompt }];
  const faults: string[] = [];
  while (faults.length < MAX_CHOICES) {
    const step = await ask(task, { model, named, messages, usage });
    if ('choice' in step) {
      try {
        return { answer: await report(redacted(step.choice, redactor)), usage: usage.read() };
      } catch (error) {
        // The chosen agent or team was deleted, or may no longer run in this environment.
        if (!isFailure(error, 'refused')) throw error;
        faults.push(headOf(error.message, MAX_FAULT_LENGTH));
        messages.push({
          role: 'user',
          content: `This choice was rejected: ${error.message}. Choose another candidate.`,
        });
      }
    } else {
      faults.push(step.fault);
      messages.push(...step.said);
    }
  }
  throw new RuntimeFailure(`The model chose no candidate: ${[...new Set(faults)].join('; ')}`, usage.read());
}

/** Readers of the execution see the prompt and the reason, so they must not contain secrets. */
function redacted(choice: PlanChoice, redactor: Redactor): PlanChoice {
  const { prompt, reason } = choice;
  return {
    ...choice,
    prompt: prompt === null ? null : redactor.redactText(prompt),
    reason: redactor.redactText(reason),
  };
}

interface Question {
  readonly model: LanguageModel;
  readonly named: NamedCandidates;
  readonly messages: readonly ModelMessage[];
  readonly usage: UsageMeter;
}

async function ask(task: PlanningTask, { model, named, messages, usage }: Question): Promise<Step> {
  await task.waitWhilePaused();
  usage.countRequest();
  const response = await generateText({
    model,
    system: choiceInstructions(named),
    messages: [...messages],
    tools: { [CHOICE_TOOL]: choiceTool(named) },
    toolChoice: 'required',
    maxRetries: 0,
    abortSignal: task.signal,
  }).catch((error: unknown) => {
    throw new RuntimeFailure(task.signal.aborted ? 'The run was aborted' : describeModelFailure(error), usage.read());
  });
  usage.countTokens(response.usage);
  const [call] = response.toolCalls;
  if (call === undefined) {
    const fault = headOf(`it called no tool, but said: ${response.text}`, MAX_FAULT_LENGTH);
    const said: ModelMessage[] = response.text === '' ? [] : [{ role: 'assistant', content: response.text }];
    return { fault, said: [...said, { role: 'user', content: `Call the tool ${CHOICE_TOOL}.` }] };
  }
  const { toolCallId, toolName, input } = call;
  const read = toolName === CHOICE_TOOL ? readChoice(input, named) : { fault: `there is no tool ${toolName}` };
  if ('choice' in read) return read;
  const fault = headOf(read.fault, MAX_FAULT_LENGTH);
  return {
    fault,
    said: [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input: input as object }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: fault } }],
      },
    ],
  };
}
