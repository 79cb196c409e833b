import { invalidRequest, GatewayError } from './gateway-error.js';
import { isObject, type JsonObject } from './json.js';
import { readMessages, type ChatMessage } from './chat-messages.js';
import { findModel, type DevelopmentModel } from './models.js';

export interface OfferedTool {
  readonly name: string;
  readonly parameters: JsonObject;
}

type ToolChoice = { readonly kind: 'auto' | 'none' | 'required' } | { readonly kind: 'named'; readonly name: string };

const MAX_STOP_SEQUENCES = 4;

/** A validated chat completion request. */
export interface ChatRequest {
  readonly model: DevelopmentModel;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly maxTokens: number | null;
  readonly stop: readonly string[];
  /** The schema of the requested JSON response; `{}` for any object, `null` for plain text. */
  readonly jsonSchema: JsonObject | null;
}

/**
 * Validates a request body as OpenAI's endpoint does: throws GatewayError with parameter and code of the first fault.
 */
export function readChatRequest(body: unknown): ChatRequest {
  if (!isObject(body)) throw invalidRequest('The request body must be a JSON object.', null);
  const model = readModel(body['model']);
  const messages = readMessages(body['messages']);
  const tools = readTools(body['tools']);
  checkSampling(body);
  const stream = optionalBoolean(body, 'stream');
  return {
    model,
    messages,
    tools,
    toolChoice: readToolChoice(body['tool_choice'], tools),
    parallelToolCalls: body['parallel_tool_calls'] !== false,
    stream,
    includeUsage: readIncludeUsage(body['stream_options'], stream),
    maxTokens: optionalInteger(body, 'max_completion_tokens') ?? optionalInteger(body, 'max_tokens'),
    stop: readStop(body['stop']),
    jsonSchema: readResponseFormat(body['response_format']),
  };
}

function readModel(value: unknown): DevelopmentModel {
  if (typeof value !== 'string' || value === '') throw invalidRequest('you must provide a model parameter', null);
  const model = findModel(value);
  if (model === undefined) {
    throw new GatewayError(
      404,
      `The model '${value}' does not exist or you do not have access to it.`,
      'model_not_found',
    );
  }
  return model;
}

function readTools(value: unknown): OfferedTool[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw wrongType('tools', 'an array of objects');
  return value.map((tool: unknown, index) => {
    const definition = isObject(tool) && tool['type'] === 'function' ? tool['function'] : undefined;
    if (!isObject(definition)) throw missing(`tools[${index}].function`);
    const name = definition['name'];
    if (typeof name !== 'string') throw missing(`tools[${index}].function.name`);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name)) {
      const expected = "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$' of at most 64 characters.";
      const path = `tools[${index}].function.name`;
      throw invalidRequest(`Invalid '${path}'. ${expected}`, path, 'invalid_value');
    }
    return { name, parameters: isObject(definition['parameters']) ? definition['parameters'] : {} };
  });
}

function readToolChoice(value: unknown, tools: readonly OfferedTool[]): ToolChoice {
  if (value === undefined || value === null) return { kind: 'auto' };
  if (tools.length === 0) {
    throw invalidRequest("'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice');
  }
  if (value === 'auto' || value === 'none' || value === 'required') return { kind: value };
  const toolName = isObject(value) && isObject(value['function']) ? value['function']['name'] : undefined;
  if (typeof toolName !== 'string') {
    throw invalidRequest(
      `Invalid value: ${JSON.stringify(value)}. Supported values are: 'none', 'auto', and 'required'.`,
      'tool_choice',
      'invalid_value',
    );
  }
  if (!tools.some((tool) => tool.name === toolName)) {
    throw invalidRequest(`Tool choice '${toolName}' not found in 'tools' parameter.`, 'tool_choice');
  }
  return { kind: 'named', name: toolName };
}

function readIncludeUsage(value: unknown, stream: boolean): boolean {
  if (value === undefined || value === null) return false;
  if (!stream) {
    throw invalidRequest("The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options');
  }
  return isObject(value) && value['include_usage'] === true;
}

function readStop(value: unknown): string[] {
  const stops: unknown[] = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  if (stops.length > MAX_STOP_SEQUENCES)
    throw invalidRequest(
      `Invalid 'stop': at most ${MAX_STOP_SEQUENCES} sequences are allowed.`,
      'stop',
      'array_above_max_length',
    );
  return stops.map((stop) => {
    if (typeof stop !== 'string' || stop === '') throw wrongType('stop', 'a string or an array of strings');
    return stop;
  });
}

function readResponseFormat(value: unknown): JsonObject | null {
  if (value === undefined || value === null) return null;
  const type = isObject(value) ? value['type'] : undefined;
  if (!isObject(value) || (type !== 'text' && type !== 'json_object' && type !== 'json_schema')) {
    throw invalidRequest(
      "Invalid 'response_format.type': expected 'text', 'json_object' or 'json_schema'.",
      'response_format.type',
      'invalid_value',
    );
  }
  if (type === 'text') return null;
  const definition = value['json_schema'];
  return isObject(definition) && isObject(definition['schema']) ? definition['schema'] : {};
}

function checkSampling(body: JsonObject): void {
  checkRange(body, 'temperature', 0, 2);
  checkRange(body, 'top_p', 0, 1);
  checkRange(body, 'presence_penalty', -2, 2);
  checkRange(body, 'frequency_penalty', -2, 2);
  if ((optionalInteger(body, 'n') ?? 1) !== 1) {
    throw invalidRequest("Invalid 'n': the development models return one choice.", 'n', 'unsupported_value');
  }
}

function checkRange(body: JsonObject, name: string, minimum: number, maximum: number): void {
  const value = body[name];
  if (value === undefined || value === null) return;
  if (typeof value !== 'number') throw wrongType(name, 'a decimal');
  if (value < minimum) {
    const text = `Invalid '${name}': decimal below minimum value. Expected a value >= ${minimum}, but got ${value} instead.`;
    throw invalidRequest(text, name, 'decimal_below_min_value');
  }
  if (value > maximum) {
    const text = `Invalid '${name}': decimal above maximum value. Expected a value <= ${maximum}, but got ${value} instead.`;
    throw invalidRequest(text, name, 'decimal_above_max_value');
  }
}

function optionalInteger(body: JsonObject, name: string): number | null {
  const value = body[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw wrongType(name, 'an integer');
  if (value < 1) {
    const text = `Invalid '${name}': integer below minimum value. Expected a value >= 1, but got ${value} instead.`;
    throw invalidRequest(text, name, 'integer_below_min_value');
  }
  return value;
}

function optionalBoolean(body: JsonObject, name: string): boolean {
  const value = body[name];
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw wrongType(name, 'a boolean');
  return value;
}

function missing(param: string): GatewayError {
  return invalidRequest(`Missing required parameter: '${param}'.`, param, 'missing_required_parameter');
}

function wrongType(param: string, expected: string): GatewayError {
  return invalidRequest(`Invalid type for '${param}': expected ${expected}.`, param, 'invalid_type');
}
