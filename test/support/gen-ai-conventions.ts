import { Ajv2020 } from 'ajv/dist/2020.js';

/**
 * What the OpenTelemetry conventions for generative AI v0.1.0 ask of spans: types and requirement levels of attributes, kinds
 * and names of spans, the form of messages. Taken from model/gen-ai/spans.yaml, docs/registry/attributes/gen-ai.md and the
 * JSON schemas of https://github.com/open-telemetry/semantic-conventions-genai at commit 7e7e4e763354, because the repository
 * publishes no package that could judge spans.
 */
type AttributeType = 'string' | 'int' | 'double' | 'boolean' | 'string[]' | 'messages' | 'any';

/** `error`: if and only if the span failed. Conditions that only the sender knows are those of `expected`. */
type Level = 'required' | 'error' | 'optional' | 'content';

interface SpanKindRules {
  readonly kinds: readonly string[];
  /** The attribute whose value follows the operation in the name of the span. */
  readonly named: string;
  readonly levels: Readonly<Record<string, Level>>;
}

/** A span as the API returns it. */
export interface JudgedSpan {
  readonly name: string;
  readonly kind: string;
  readonly status_code: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

const TYPES: Readonly<Record<string, AttributeType>> = {
  'error.type': 'string',
  'gen_ai.agent.description': 'string',
  'gen_ai.agent.id': 'string',
  'gen_ai.agent.name': 'string',
  'gen_ai.agent.version': 'string',
  'gen_ai.conversation.id': 'string',
  'gen_ai.data_source.id': 'string',
  'gen_ai.input.messages': 'messages',
  'gen_ai.operation.name': 'string',
  'gen_ai.output.messages': 'messages',
  'gen_ai.output.type': 'string',
  'gen_ai.provider.name': 'string',
  'gen_ai.request.choice.count': 'int',
  'gen_ai.request.frequency_penalty': 'double',
  'gen_ai.request.max_tokens': 'int',
  'gen_ai.request.model': 'string',
  'gen_ai.request.presence_penalty': 'double',
  'gen_ai.request.seed': 'int',
  'gen_ai.request.stop_sequences': 'string[]',
  'gen_ai.request.stream': 'boolean',
  'gen_ai.request.temperature': 'double',
  'gen_ai.request.top_k': 'double',
  'gen_ai.request.top_p': 'double',
  'gen_ai.response.finish_reasons': 'string[]',
  'gen_ai.response.id': 'string',
  'gen_ai.response.model': 'string',
  'gen_ai.response.time_to_first_chunk': 'double',
  'gen_ai.system_instructions': 'any',
  'gen_ai.tool.call.arguments': 'any',
  'gen_ai.tool.call.id': 'string',
  'gen_ai.tool.call.result': 'any',
  'gen_ai.tool.definitions': 'any',
  'gen_ai.tool.description': 'string',
  'gen_ai.tool.name': 'string',
  'gen_ai.tool.type': 'string',
  'gen_ai.usage.cache_creation.input_tokens': 'int',
  'gen_ai.usage.cache_read.input_tokens': 'int',
  'gen_ai.usage.input_tokens': 'int',
  'gen_ai.usage.output_tokens': 'int',
  'gen_ai.usage.reasoning.output_tokens': 'int',
  'gen_ai.workflow.name': 'string',
};

const all = (level: Level, ...names: readonly string[]): Record<string, Level> =>
  Object.fromEntries(names.map((name) => [`gen_ai.${name}`, level]));

/** Any span can have them: applications may add the conversation to every span. */
const COMMON: Record<string, Level> = {
  'error.type': 'error',
  'gen_ai.operation.name': 'required',
  ...all('optional', 'conversation.id'),
};
const USAGE = all(
  'optional',
  'usage.input_tokens',
  'usage.cache_read.input_tokens',
  'usage.cache_creation.input_tokens',
  'usage.output_tokens',
);
const CONTENT = all('content', 'system_instructions', 'input.messages', 'output.messages', 'tool.definitions');
const REQUEST = all(
  'optional',
  'request.model',
  'request.max_tokens',
  'request.choice.count',
  'request.temperature',
  'request.top_p',
  'request.stop_sequences',
  'request.frequency_penalty',
  'request.presence_penalty',
  'request.seed',
  'output.type',
  'response.finish_reasons',
);

const INFERENCE: SpanKindRules = {
  kinds: ['CLIENT', 'INTERNAL'],
  named: 'gen_ai.request.model',
  levels: {
    ...COMMON,
    ...USAGE,
    ...CONTENT,
    ...REQUEST,
    ...all('required', 'provider.name'),
    ...all('optional', 'request.top_k', 'request.stream', 'response.id', 'response.model'),
    ...all('optional', 'response.time_to_first_chunk', 'usage.reasoning.output_tokens'),
  },
};

/** By operation. */
const RULES: ReadonlyMap<unknown, SpanKindRules> = new Map([
  ['chat', INFERENCE],
  ['text_completion', INFERENCE],
  ['generate_content', INFERENCE],
  [
    'invoke_agent',
    {
      kinds: ['INTERNAL', 'CLIENT'],
      named: 'gen_ai.agent.name',
      levels: {
        ...COMMON,
        ...USAGE,
        ...CONTENT,
        ...REQUEST,
        ...all('required', 'provider.name'),
        ...all('optional', 'agent.id', 'agent.name', 'agent.description', 'agent.version', 'data_source.id'),
      },
    },
  ],
  [
    'execute_tool',
    {
      kinds: ['INTERNAL'],
      named: 'gen_ai.tool.name',
      levels: {
        ...COMMON,
        ...all('required', 'tool.name'),
        ...all('optional', 'tool.call.id', 'tool.description', 'tool.type'),
        ...all('content', 'tool.call.arguments', 'tool.call.result'),
      },
    },
  ],
  [
    'invoke_workflow',
    {
      kinds: ['INTERNAL'],
      named: 'gen_ai.workflow.name',
      levels: {
        ...COMMON,
        ...all('optional', 'workflow.name'),
        ...all('content', 'input.messages', 'output.messages'),
      },
    },
  ],
]);

/** Parts of messages by `type`: the fields that they must have. Other types are allowed with any fields. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  text: ['content'],
  reasoning: ['content'],
  tool_call: ['name'],
  tool_call_response: ['response'],
  blob: ['modality', 'content'],
  file: ['modality', 'file_id'],
  uri: ['modality', 'uri'],
};
const TEXTS = new Set(['content', 'name', 'modality', 'file_id', 'uri']);

const isMessages = new Ajv2020({ strictRequired: false }).compile({
  type: 'array',
  items: {
    type: 'object',
    required: ['role', 'parts'],
    properties: {
      role: { type: 'string' },
      finish_reason: { type: ['string', 'null'] },
      parts: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type'],
          properties: { type: { type: 'string' } },
          allOf: Object.entries(PARTS).map(([type, required]) => ({
            anyOf: [
              { not: { properties: { type: { const: type } } } },
              {
                required,
                properties: Object.fromEntries(
                  required.map((name) => [name, TEXTS.has(name) ? { type: 'string' } : {}]),
                ),
              },
            ],
          })),
        },
      },
    },
  },
});

/** Returns what is wrong with a span that has an operation of generative AI. `hasContent`: whether it may have contents. */
export function conventionFaults(span: JudgedSpan, hasContent: boolean): string[] {
  const { attributes, kind, name } = span;
  const operation = attributes['gen_ai.operation.name'];
  const rules = RULES.get(operation);
  if (rules === undefined) return [`gen_ai.operation.name is ${JSON.stringify(operation)}`];
  const subject = attributes[rules.named];
  const expectedName = subject === undefined ? operation : `${String(operation)} ${String(subject)}`;
  return [
    ...(rules.kinds.includes(kind) ? [] : [`the kind is ${kind}`]),
    ...(name === expectedName ? [] : [`the name is ${JSON.stringify(name)}`]),
    ...Object.entries(rules.levels).flatMap(([attribute, level]) => levelFault(span, attribute, level, hasContent)),
    ...Object.entries(attributes).flatMap(([attribute, value]) => {
      if (!attribute.startsWith('gen_ai.') && attribute !== 'error.type') return [];
      if (!(attribute in rules.levels)) return [`${attribute} does not belong to the operation`];
      const type = TYPES[attribute] ?? 'any';
      return isOfType(value, type) ? [] : [`${attribute} is not of the type ${type}`];
    }),
  ];
}

function levelFault(
  { attributes, status_code }: JudgedSpan,
  name: string,
  level: Level,
  hasContent: boolean,
): string[] {
  const isPresent = name in attributes;
  if (level === 'required') return isPresent ? [] : [`${name} is missing`];
  if (level === 'content') return isPresent && !hasContent ? [`${name} has content`] : [];
  if (level === 'optional') return [];
  const isFailed = status_code === 'ERROR';
  return isPresent === isFailed ? [] : [`${name} is ${isFailed ? 'missing' : 'set without an error'}`];
}

function isOfType(value: unknown, type: AttributeType): boolean {
  if (type === 'any') return true;
  if (type === 'int') return Number.isInteger(value);
  if (type === 'double') return typeof value === 'number';
  if (type === 'string[]') return Array.isArray(value) && value.every((item) => typeof item === 'string');
  if (type !== 'messages') return typeof value === type;
  // Attributes of spans can be texts only: the conventions ask for JSON then.
  return isMessages(typeof value === 'string' ? JSON.parse(value) : value);
}
