import { GEN_AI, GEN_AI_OPERATIONS } from '@app/observability';
import { textOf, type Attributes } from './attributes.js';
import type { SpanCategory } from '../trace.types.js';

/** Operations of the GenAI conventions, and kinds of OpenInference that they do not have, by what they measure. */
const OPERATIONS: ReadonlyMap<string, SpanCategory> = new Map<string, SpanCategory>([
  [GEN_AI_OPERATIONS.chat, 'model'],
  [GEN_AI_OPERATIONS.generateContent, 'model'],
  [GEN_AI_OPERATIONS.textCompletion, 'model'],
  [GEN_AI_OPERATIONS.embeddings, 'model'],
  [GEN_AI_OPERATIONS.executeTool, 'tool'],
  ['create_agent', 'step'],
  [GEN_AI_OPERATIONS.invokeAgent, 'step'],
  [GEN_AI_OPERATIONS.invokeWorkflow, 'step'],
  ['RERANKER', 'model'],
  ['CHAIN', 'step'],
]);
const OPERATION_NAMES = ['platform.span.category', GEN_AI.operation, 'openinference.span.kind'];
/** Names that only spans of one category have. */
const NAMES: readonly (readonly [string, SpanCategory])[] = [
  [GEN_AI.toolName, 'tool'],
  [GEN_AI.requestModel, 'model'],
  [GEN_AI.responseModel, 'model'],
  ['http.request.method', 'http'],
  ['http.method', 'http'],
];
const OWN: readonly string[] = ['queue', 'lease', 'step'] satisfies readonly SpanCategory[];

/** Returns what a span measures, by its attributes with current names. */
export function categoryOf(attributes: Attributes): SpanCategory {
  for (const name of OPERATION_NAMES) {
    const operation = textOf(attributes, name);
    if (operation === undefined) continue;
    const category = OWN.includes(operation) ? (operation as SpanCategory) : OPERATIONS.get(operation);
    if (category !== undefined) return category;
  }
  return NAMES.find(([name]) => attributes.has(name))?.[1] ?? 'other';
}
