import type { ChatMessage } from './chat-messages.js';
import type { ChatRequest, OfferedTool } from './chat-request.js';
import { readDirectives, type Directives } from './directives.js';
import type { JsonObject } from './json.js';
import { valuesForSchema } from './schema-values.js';
import { fitTokens, tokenize } from './tokens.js';

interface PlannedCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** The reply of the development model, a pure function of the request. */
export interface Reply {
  readonly directives: Directives;
  readonly thinking: readonly string[];
  readonly content: readonly string[];
  readonly calls: readonly PlannedCall[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls';
}

const LABEL = '[development model]';
const ECHO_LENGTH = 400;
const SMALL_ECHO_LENGTH = 120;

/**
 * Plans calls of the tools that the prompt mentions, then a reply with their results; without tools it echoes the
 * prompt.
 */
export function planReply(request: ChatRequest): Reply {
  const lastUser = request.messages.findLastIndex((message) => message.role === 'user');
  const { directives, text } = readDirectives(request.messages[lastUser]?.text ?? '');
  const turn = request.messages.slice(lastUser + 1);
  const thinking = directives.think === null ? [] : tokenize(directives.think);
  const calls = nextCalls(request, directives, text, turn);
  if (calls.length > 0) return { directives, thinking, content: [], calls, finishReason: 'tool_calls' };
  const answer =
    request.jsonSchema === null
      ? compose(request, directives, text, lastUser)
      : (directives.say ?? composeJson(request.jsonSchema, text));
  return { directives, thinking, calls: [], ...limit(answer, directives, request) };
}

/** Returns the calls of this step. The calls already made since the last user message determine the progress. */
function nextCalls(
  request: ChatRequest,
  directives: Directives,
  text: string,
  turn: readonly ChatMessage[],
): PlannedCall[] {
  const choice = request.toolChoice;
  if (request.tools.length === 0 || choice.kind === 'none') return [];
  if (choice.kind === 'named') {
    return request.tools.filter((tool) => tool.name === choice.name).map((tool) => planCall(tool, text));
  }
  const planned = planCalls(request.tools, directives, text);
  const made = turn.reduce((count, message) => count + message.toolCalls.length, 0);
  const remaining = planned.slice(made);
  if (remaining.length === 0 && choice.kind === 'required')
    return request.tools.slice(0, 1).map((tool) => planCall(tool, text));
  return directives.parallel && request.parallelToolCalls ? remaining : remaining.slice(0, 1);
}

/** Returns all calls of the turn: the scripted ones or, without any, the mentioned tools in order of mention. */
function planCalls(tools: readonly OfferedTool[], directives: Directives, text: string): PlannedCall[] {
  if (directives.calls.length > 0) {
    return directives.calls.flatMap((call) => {
      const tool = tools.find((offered) => offered.name === call.name);
      const planned = { name: call.name, arguments: call.arguments ?? valuesForSchema(tool?.parameters ?? {}, text) };
      return Array.from({ length: call.times }, () => planned);
    });
  }
  return tools
    .map((tool) => ({ tool, index: mentionIndex(tool.name, text) }))
    .filter(({ index }) => index >= 0)
    .sort((one, other) => one.index - other.index)
    .map(({ tool }) => planCall(tool, text));
}

function planCall(tool: OfferedTool, text: string): PlannedCall {
  return { name: tool.name, arguments: valuesForSchema(tool.parameters, text) };
}

/** Returns the index of a tool name as a separate word, `get_time` also as `get time`; -1 if it is not in the text. */
function mentionIndex(name: string, text: string): number {
  const words = name.replace(/[_-]+/g, '[ _-]');
  return text.search(new RegExp(`(?<![\\w-])${words}(?![\\w-])`, 'i'));
}

function compose(request: ChatRequest, directives: Directives, text: string, lastUser: number): string {
  if (directives.say !== null) return directives.say;
  if (directives.recall) return recall(request.messages.slice(0, Math.max(0, lastUser)));
  const turn = request.messages.slice(lastUser + 1);
  const maxLength = request.model.id.endsWith('-small') ? SMALL_ECHO_LENGTH : ECHO_LENGTH;
  const results = toolResults(turn).map(
    ({ name, result }) => `The tool ${name} answered: ${shorten(result, maxLength)}`,
  );
  if (results.length > 0) return `${LABEL} ${results.join('\n')}`;
  const words = text.split(/\s+/).filter((word) => word !== '').length;
  return `${LABEL} You said (${words} ${words === 1 ? 'word' : 'words'}): ${shorten(text, maxLength)}`;
}

/** The messages before the last user message, one per line. */
function recall(messages: readonly ChatMessage[]): string {
  const said = messages.filter(({ role, text }) => (role === 'user' || role === 'assistant') && text !== '');
  return `${LABEL} ${said.map(({ role, text }) => `${role}: ${text}`).join('\n')}`;
}

function toolResults(turn: readonly ChatMessage[]): { name: string; result: string }[] {
  const names = new Map(turn.flatMap((message) => message.toolCalls.map((call) => [call.id, call.name] as const)));
  return turn
    .filter((message) => message.role === 'tool')
    .map((message) => ({ name: names.get(message.toolCallId ?? '') ?? 'unknown', result: message.text }));
}

function composeJson(schema: JsonObject, text: string): string {
  const values = valuesForSchema(schema, text);
  return JSON.stringify(Object.keys(values).length > 0 ? values : { answer: `${LABEL} ${text}` });
}

function shorten(text: string, maxLength: number): string {
  const characters = Array.from(text);
  return characters.length <= maxLength ? text : `${characters.slice(0, maxLength).join('')}…`;
}

/** Applies stop sequences, the tokens directive and max_tokens. */
function limit(answer: string, directives: Directives, request: ChatRequest): Pick<Reply, 'content' | 'finishReason'> {
  const untilStop = request.stop.reduce((text, stop) => text.split(stop, 1)[0] ?? '', answer);
  const tokens = directives.tokens === null ? tokenize(untilStop) : fitTokens(tokenize(untilStop), directives.tokens);
  if (request.maxTokens === null || tokens.length <= request.maxTokens)
    return { content: tokens, finishReason: 'stop' };
  return { content: tokens.slice(0, request.maxTokens), finishReason: 'length' };
}
