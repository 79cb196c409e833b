import { createHash } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ADDRESSABLE_PATTERN, isJsonObject, type JsonObject } from '@app/kernel';
import type { ModelFields, ModelType } from '../model.types.js';

/** Maximum number of models that are used from one response, and of entries that are read. */
const MAX_MODELS = 2000;
const MAX_ENTRIES = 4000;
/** Number of entries that are read in one turn of the event loop; this takes about 3 ms. */
const ENTRIES_PER_TURN = 50;
const MAX_NAME = 255;
const MAX_DESCRIPTION = 2000;
/** Maximum number of entries in `capabilities` and in `pricing`; others are dropped. */
const MAX_DETAILS = 64;
/**
 * `display_order` of the first model of the gateway. It is one more than the default of stored models, so that the
 * models of the gateway come after those, in the order of the gateway.
 */
const FIRST_POSITION = 1001;
const DEFAULT_RUNTIMES = ['default'];
const UNKNOWN_PROVIDER = 'gateway';

/** A model as the gateway describes it. The remaining fields of a model have their defaults. */
export interface GatewayModel extends Omit<ModelFields, 'logo' | 'enabled'> {
  readonly id: string;
}

export interface GatewayModelList {
  readonly models: readonly GatewayModel[];
  /** Number of entries that are invalid, duplicate, not usable by agents, or over the limit. */
  readonly omitted: number;
}

/**
 * Parses the response of a gateway: the list of the OpenAI API (`{data: [{id, owned_by}]}`) or the model information of
 * LiteLLM (`{data: [{model_name, litellm_params, model_info}]}`). Returns undefined if it is neither. Does not block
 * the event loop.
 */
export async function readGatewayModels(answer: unknown): Promise<GatewayModelList | undefined> {
  const entries = isJsonObject(answer) ? answer['data'] : undefined;
  if (!Array.isArray(entries)) return undefined;
  const named = entries
    .slice(0, MAX_ENTRIES)
    .filter(isJsonObject)
    .filter((entry) => nameOf(entry) !== undefined);
  if (named.length === 0 && entries.length > 0) return undefined;
  const byValue = new Map<string, Description>();
  for (const [index, entry] of named.entries()) {
    if (index % ENTRIES_PER_TURN === 0) await nextTurn();
    const model = describe(entry);
    if (model !== undefined && !byValue.has(model.value) && byValue.size < MAX_MODELS) byValue.set(model.value, model);
  }
  const models = [...byValue.values()].map((model, index) => ({
    ...model,
    id: idOf(model.value),
    display_order: FIRST_POSITION + index,
  }));
  return { models, omitted: entries.length - models.length };
}

type Description = Omit<GatewayModel, 'id' | 'display_order'>;

/**
 * Returns undefined for a model whose name a path cannot contain, or whose mode agents cannot use (images, speech,
 * reranking).
 */
function describe(entry: JsonObject): Description | undefined {
  const value = nameOf(entry);
  const info = objectIn(entry, 'model_info');
  const model_type = value === undefined ? undefined : typeOf(value, info);
  if (value === undefined || model_type === undefined) return undefined;
  return {
    value,
    label: textIn(info, 'label', MAX_NAME) ?? textIn(entry, 'name', MAX_NAME) ?? value,
    provider: providerOf(entry, info, value),
    model_type,
    description: textIn(info, 'description', MAX_DESCRIPTION) ?? textIn(entry, 'description', MAX_DESCRIPTION) ?? null,
    recommended: info['recommended'] === true || entry['recommended'] === true,
    compatible_runtimes: runtimesOf(info, model_type),
    capabilities: capabilitiesOf(entry, info),
    pricing: pricingOf(entry, info),
  };
}

/** Returns undefined for patterns of names (`openai/*`) and names that no path can contain. */
function nameOf(entry: JsonObject): string | undefined {
  const name = textIn(entry, 'model_name', MAX_NAME) ?? textIn(entry, 'id', MAX_NAME);
  return name === undefined || name.includes('*') || !ADDRESSABLE_PATTERN.test(name) ? undefined : name;
}

/**
 * Returns the type according to the mode in LiteLLM's `model_info`. The list of the OpenAI API has no modes, so the
 * name distinguishes embedding models from others.
 */
function typeOf(value: string, info: JsonObject): ModelType | undefined {
  const mode = info['mode'];
  if (typeof mode !== 'string') return /embed/i.test(value) ? 'embedding' : 'text-generation';
  if (mode === 'embedding') return 'embedding';
  if (!['chat', 'completion', 'responses'].includes(mode)) return undefined;
  const senses = ['supports_vision', 'supports_audio_input', 'supports_audio_output'];
  return senses.some((sense) => info[sense] === true) ? 'multimodal' : 'text-generation';
}

function providerOf(entry: JsonObject, info: JsonObject, value: string): string {
  const parameters = objectIn(entry, 'litellm_params');
  const named =
    textIn(info, 'litellm_provider', MAX_NAME) ??
    textIn(parameters, 'custom_llm_provider', MAX_NAME) ??
    prefixOf(textIn(parameters, 'model', MAX_NAME)) ??
    textIn(entry, 'owned_by', MAX_NAME);
  return named ?? prefixOf(value) ?? UNKNOWN_PROVIDER;
}

function prefixOf(name: string | undefined): string | undefined {
  const end = name?.indexOf('/') ?? -1;
  return end > 0 ? name?.slice(0, end) : undefined;
}

function runtimesOf(info: JsonObject, type: ModelType): readonly string[] {
  const named = info['compatible_runtimes'];
  if (!Array.isArray(named)) return type === 'embedding' ? [] : DEFAULT_RUNTIMES;
  return named.filter((runtime): runtime is string => isText(runtime, MAX_NAME)).slice(0, MAX_DETAILS);
}

/** Returns the capabilities: `supports_vision: true` becomes `vision: true`; token limits keep LiteLLM's names. */
function capabilitiesOf(entry: JsonObject, info: JsonObject): JsonObject {
  const supported = Object.entries(info).flatMap(([name, value]): [string, boolean][] =>
    /^supports_[a-z][a-z0-9_]{0,59}$/.test(name) && typeof value === 'boolean'
      ? [[name.slice('supports_'.length), value]]
      : [],
  );
  const context = ['context_window', 'context_length', 'max_model_len'].map((name) => amountIn(entry, name));
  const bounds = ['max_tokens', 'max_input_tokens', 'max_output_tokens'].flatMap((name): [string, number][] => {
    const bound = amountIn(info, name) ?? (name === 'max_input_tokens' ? context.find(Boolean) : undefined);
    return bound === undefined ? [] : [[name, bound]];
  });
  return Object.fromEntries([...supported.slice(0, MAX_DETAILS), ...bounds]);
}

/**
 * Returns the prices with LiteLLM's names (`input_cost_per_token`). `litellm_params` contain credentials, so only the
 * prices and the provider are read from them. Prices per token in `pricing: {prompt, completion}` get the same names.
 */
function pricingOf(entry: JsonObject, info: JsonObject): JsonObject {
  const perToken = objectIn(entry, 'pricing');
  const listed = {
    input_cost_per_token: amountIn(perToken, 'prompt'),
    output_cost_per_token: amountIn(perToken, 'completion'),
  };
  const costs = [listed, objectIn(entry, 'litellm_params'), info].flatMap((source: JsonObject) =>
    Object.keys(source).flatMap((name): [string, number][] => {
      const amount = /^([a-z][a-z0-9_]{0,59}_)?cost(_[a-z0-9_]{1,60})?$/.test(name)
        ? amountIn(source, name)
        : undefined;
      return amount === undefined ? [] : [[name, amount]];
    }),
  );
  return Object.fromEntries([...new Map(costs)].slice(0, MAX_DETAILS));
}

/**
 * Returns the id of a model of the gateway: a UUIDv7 with time zero, whose other bits are a digest of the name. A model
 * therefore keeps its id even if the gateway omits it for some time, or if the cache is lost.
 */
function idOf(value: string): string {
  const digest = createHash('sha256').update(`gateway model ${value}`).digest('hex');
  const variant = (8 + (Number.parseInt(digest.charAt(3), 16) % 4)).toString(16);
  return `00000000-0000-7${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`;
}

function objectIn(source: JsonObject, name: string): JsonObject {
  const value = source[name];
  return isJsonObject(value) ? value : {};
}

function textIn(source: JsonObject, name: string, maxLength: number): string | undefined {
  const value = source[name];
  return isText(value, maxLength) ? value : undefined;
}

/** Excludes control characters, which PostgreSQL or a reader may reject, and lone surrogates. */
function isText(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && !/[\p{Cc}\p{Cs}]/u.test(value);
}

/** Returns a number that is finite and not negative, also from a numeric text. */
function amountIn(source: JsonObject, name: string): number | undefined {
  const value = source[name];
  const amount = typeof value === 'string' && /^\d+(\.\d+)?(e-?\d+)?$/i.test(value) ? Number(value) : value;
  return typeof amount === 'number' && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}
