import { textOf, type Attributes } from './attributes.js';
import type { SpanCategory } from '../trace.types.js';

/**
 * Operations of the GenAI semantic conventions v0.1.0 (`gen_ai.operation.name`), and the kinds of OpenInference
 * (`openinference.span.kind`), by what they measure.
 */
const OPERATIONS: Readonly<Record<string, SpanCategory>> = {
  chat: 'model',
  generate_content: 'model',
  text_completion: 'model',
  embeddings: 'model',
  execute_tool: 'tool',
  create_agent: 'step',
  invoke_agent: 'step',
  invoke_workflow: 'step',
  LLM: 'model',
  EMBEDDING: 'model',
  RERANKER: 'model',
  TOOL: 'tool',
  AGENT: 'step',
  CHAIN: 'step',
};
const OPERATION_NAMES = ['platform.span.category', 'gen_ai.operation.name', 'openinference.span.kind'];
/** Names that only spans of one category have, with those of earlier conventions. */
const NAMES: readonly (readonly [string, SpanCategory])[] = [
  ['gen_ai.tool.name', 'tool'],
  ['ai.toolCall.name', 'tool'],
  ['gen_ai.request.model', 'model'],
  ['gen_ai.response.model', 'model'],
  ['ai.model.id', 'model'],
  ['llm.model_name', 'model'],
  ['http.request.method', 'http'],
  ['http.method', 'http'],
];
const OWN: readonly string[] = ['queue', 'lease', 'step'] satisfies readonly SpanCategory[];

/** Returns what a span measures, by the names of its attributes. */
export function categoryOf(attributes: Attributes): SpanCategory {
  for (const name of OPERATION_NAMES) {
    const operation = textOf(attributes, name);
    if (operation === undefined) continue;
    const category = OWN.includes(operation) ? (operation as SpanCategory) : OPERATIONS[operation];
    if (category !== undefined) return category;
  }
  return NAMES.find(([name]) => attributes.has(name))?.[1] ?? 'other';
}
