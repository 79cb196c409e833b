import { headOf, isJsonObject, type JsonObject } from '@app/kernel';
import { jsonSchema, tool, type Tool } from 'ai';
import type { PlanChoice } from '../control-plane/control-plane.port.js';
import type { Candidate } from '../control-plane/lease.js';

/** Maximum length of a name that the model sees; a name can be any text. */
const MAX_NAME_LENGTH = 80;
/** Maximum length of the reported reason. */
const MAX_REASON_LENGTH = 2000;

export const CHOICE_TOOL = 'choose_candidate';

/** Candidates by the names that the model sees, all different. */
export type NamedCandidates = ReadonlyMap<string, Candidate>;

/** The outcome of a call of the tool: the choice, or what is wrong with it. */
export type ReadChoice = { readonly choice: PlanChoice } | { readonly fault: string };

export function nameCandidates(candidates: readonly Candidate[]): NamedCandidates {
  const named = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const name = headOf(candidate.name.replace(/\s+/g, ' ').trim(), MAX_NAME_LENGTH) || candidate.entity_type;
    let unique = name;
    for (let count = 2; named.has(unique); count += 1) unique = `${name} (${count})`;
    named.set(unique, candidate);
  }
  return named;
}

export function choiceInstructions(candidates: NamedCandidates): string {
  const lines = [...candidates].map(([name, { entity_type, description, capabilities }]) => {
    const can = capabilities.length === 0 ? [] : [`Capabilities: ${capabilities.join(', ')}.`];
    return [`- ${name} (${entity_type}):`, ...(description === null ? [] : [description]), ...can].join(' ');
  });
  const task =
    `You choose who works on the request of the user. Call the tool ${CHOICE_TOOL} once, with the candidate that fits the ` +
    'request best. Do not work on the request yourself.';
  return `${task}\n\nCandidates:\n${lines.join('\n')}`;
}

export function choiceTool(candidates: NamedCandidates): Tool {
  return tool({
    description: 'Chooses the candidate that works on the request',
    inputSchema: jsonSchema<JsonObject>({
      type: 'object',
      properties: {
        candidate: { type: 'string', enum: [...candidates.keys()], description: 'Name of the candidate' },
        prompt: {
          type: ['null', 'string'],
          description: 'The request, rephrased for the candidate; null to pass it on unchanged',
        },
        reason: { type: 'string', description: 'Why this candidate was chosen, in one sentence' },
      },
      required: ['candidate', 'prompt', 'reason'],
      additionalProperties: false,
    }),
    strict: true,
  });
}

export function readChoice(input: unknown, candidates: NamedCandidates): ReadChoice {
  if (!isJsonObject(input)) return { fault: 'the arguments are not an object' };
  const { candidate: name, prompt, reason } = input;
  const candidate = typeof name === 'string' ? candidates.get(name) : undefined;
  if (candidate === undefined) return { fault: `${JSON.stringify(name) ?? 'nothing'} is none of the candidates` };
  if (prompt !== undefined && prompt !== null && typeof prompt !== 'string')
    return { fault: 'the prompt is not a text' };
  if (typeof reason !== 'string') return { fault: 'the reason is not a text' };
  const { entity_type, entity_id } = candidate;
  const changed = prompt === undefined || prompt === '' ? null : prompt;
  return { choice: { entity_type, entity_id, prompt: changed, reason: headOf(reason, MAX_REASON_LENGTH) } };
}
