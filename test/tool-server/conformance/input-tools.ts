import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  type CallToolResult,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type InputRequest,
  type InputRequiredResult,
  type RequestStateCodec,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { text } from './contents.js';
import type { FixtureTool } from './fixture-tool.js';

type Requests = Record<string, InputRequest>;
type Fields = ElicitRequestFormParams['requestedSchema']['properties'];

const ENUM_FIELDS: Fields = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: {
    type: 'string',
    oneOf: [
      { const: 'value1', title: 'First Option' },
      { const: 'value2', title: 'Second Option' },
    ],
  },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2'], enumNames: ['Option One', 'Option Two'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: {
    type: 'array',
    items: {
      anyOf: [
        { const: 'value1', title: 'First Choice' },
        { const: 'value2', title: 'Second Choice' },
      ],
    },
  },
};
const DEFAULT_FIELDS: Fields = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const NAME: Requests = { user_name: form('What is your name?', { name: { type: 'string' } }) };
const CONFIRMATION: Requests = { confirm: form('Please confirm', { ok: { type: 'boolean' } }) };
const CAPITAL: Requests = { capital_question: question('What is the capital of France?', 100) };
const ROOTS: Requests = { client_roots: inputRequired.listRoots() };
const GREETING: Requests = { greeting: question('Generate a greeting', 50) };
const STEPS: readonly Requests[] = [
  { step1: form('Step 1: What is your name?', { name: { type: 'string' } }) },
  { step2: form('Step 2: What is your favorite color?', { color: { type: 'string' } }) },
];

/** The tools that ask the client for input. Those without `input_required` in their name are for the former protocol. */
export function inputTools(states: RequestStateCodec<number>): FixtureTool[] {
  const asking = (name: string, requests: Requests): FixtureTool => ({
    name,
    description: 'Asks the client for input',
    run: (context) => (isAnswered(requests, context) ? done() : inputRequired({ inputRequests: requests })),
  });
  const askingWithState = (name: string, requests: Requests): FixtureTool => ({
    name,
    description: 'Asks the client for input, with a signed state',
    run: async (context) => {
      if (context.mcpReq.requestState<number>() === 0 && isAnswered(requests, context)) return done();
      return inputRequired({ inputRequests: requests, requestState: await states.mint(0, context) });
    },
  });
  return [
    asking('test_sampling', { answer: question('Test prompt for sampling', 100) }),
    asking('test_elicitation', { user: form('Who are you?', { username: { type: 'string' } }) }),
    asking('test_elicitation_sep1034_defaults', { values: form('Complete the values', DEFAULT_FIELDS, []) }),
    asking('test_elicitation_sep1330_enums', { values: form('Choose', ENUM_FIELDS, []) }),
    asking('test_missing_capability', CAPITAL),
    asking('test_streaming_elicitation', NAME),
    asking('test_input_required_result_elicitation', NAME),
    asking('test_input_required_result_sampling', CAPITAL),
    asking('test_input_required_result_list_roots', ROOTS),
    askingWithState('test_input_required_result_request_state', CONFIRMATION),
    askingWithState('test_input_required_result_multiple_inputs', { ...NAME, ...GREETING, ...ROOTS }),
    askingWithState('test_input_required_result_tampered_state', CONFIRMATION),
    {
      name: 'test_input_required_result_multi_round',
      description: 'Asks the client for input twice',
      run: (context) => askInSteps(states, context),
    },
    {
      name: 'test_input_required_result_capabilities',
      description: 'Asks only for what the client can answer',
      run: ({ mcpReq }) => {
        // The package declares no members of the envelope.
        const envelope: { readonly [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = { ...mcpReq.envelope };
        const declared = envelope[CLIENT_CAPABILITIES_META_KEY];
        const inputRequests = {
          ...(declared?.elicitation === undefined ? {} : NAME),
          ...(declared?.sampling === undefined ? {} : CAPITAL),
        };
        return Object.keys(inputRequests).length === 0 ? done() : inputRequired({ inputRequests });
      },
    },
  ];
}

async function askInSteps(
  states: RequestStateCodec<number>,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const asked = context.mcpReq.requestState<number>();
  const current = asked === undefined ? 0 : isAnswered(STEPS[asked] ?? {}, context) ? asked + 1 : asked;
  const inputRequests = STEPS[current];
  if (inputRequests === undefined) return done();
  return inputRequired({ inputRequests, requestState: await states.mint(current, context) });
}

/** A form must be accepted with its fields; the suite also sends responses of another form. */
export function isAnswered(requests: Requests, { mcpReq }: ServerContext): boolean {
  return Object.entries(requests).every(([key, { method }]) =>
    method === 'elicitation/create'
      ? acceptedContent(mcpReq.inputResponses, key) !== undefined
      : inputResponse(mcpReq.inputResponses, key).kind !== 'missing',
  );
}

export function form(message: string, properties: Fields, required = Object.keys(properties)): InputRequest {
  return inputRequired.elicit({ message, requestedSchema: { type: 'object', properties, required } });
}

function question(value: string, maxTokens: number): InputRequest {
  return inputRequired.createMessage({ messages: [{ role: 'user', content: text(value) }], maxTokens });
}

function done(): CallToolResult {
  return { content: [text('state-ok: all input was received')] };
}
