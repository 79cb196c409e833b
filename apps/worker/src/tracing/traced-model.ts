import { SpanKind } from '@opentelemetry/api';
import { context } from '@opentelemetry/api';
import { GEN_AI, GEN_AI_OPERATIONS, GEN_AI_PROVIDER } from '@app/observability';
import { wrapLanguageModel, type LanguageModelMiddleware } from 'ai';
import { describeModelFailure } from '../model/model-failure.js';
import { contentsOf, inputMessages, outputMessages } from './message-content.js';
import type { RunSpan, RunSpans } from './run-spans.js';

export type TracedModel = Parameters<typeof wrapLanguageModel>[0]['model'];
type WrapStream = NonNullable<LanguageModelMiddleware['wrapStream']>;
type WrapGenerate = NonNullable<LanguageModelMiddleware['wrapGenerate']>;
type StreamResult = Awaited<ReturnType<WrapStream>>;
type StreamPart = StreamResult['stream'] extends ReadableStream<infer Part> ? Part : never;
type Result = Awaited<ReturnType<WrapGenerate>>;

/** Returns the model with a span for each of its requests, from the request to the end of the answer. */
export function tracedModel(model: TracedModel, spans: RunSpans): TracedModel {
  const start = (params: Parameters<WrapStream>[0]['params'], isStreamed: boolean): RunSpan => {
    const span = spans.start({
      name: `${GEN_AI_OPERATIONS.chat} ${model.modelId}`,
      kind: SpanKind.CLIENT,
      attributes: {
        [GEN_AI.operation]: GEN_AI_OPERATIONS.chat,
        [GEN_AI.provider]: GEN_AI_PROVIDER,
        [GEN_AI.requestModel]: model.modelId,
        [GEN_AI.isStreamed]: isStreamed ? true : undefined,
      },
    });
    span.setContent(GEN_AI.inputMessages, () => inputMessages(params.prompt));
    return span;
  };
  const failing = async <T>(span: RunSpan, request: () => PromiseLike<T>): Promise<T> => {
    try {
      return await context.with(span.context, request);
    } catch (error) {
      span.fail(describeModelFailure(error), errorType(error));
      throw error;
    }
  };
  const middleware: LanguageModelMiddleware = {
    specificationVersion: 'v3',
    wrapGenerate: async ({ doGenerate, params }) => {
      const span = start(params, false);
      const result = await failing(span, doGenerate);
      setAnswer(span, result);
      span.setContent(GEN_AI.outputMessages, () => outputMessages(result.content, finishReasonOf(result)));
      span.end();
      return result;
    },
    wrapStream: async ({ doStream, params }) => {
      const span = start(params, true);
      const startedAt = performance.now();
      const result = await failing(span, doStream);
      return { ...result, stream: watched(result.stream, span, startedAt) };
    },
  };
  return wrapLanguageModel({ model, middleware });
}

function setAnswer(
  span: RunSpan,
  { usage, response, ...ended }: Pick<Result, 'usage' | 'finishReason' | 'response'>,
): void {
  span.set({
    [GEN_AI.finishReasons]: [finishReasonOf(ended)],
    [GEN_AI.inputTokens]: usage.inputTokens.total,
    [GEN_AI.cachedTokens]: usage.inputTokens.cacheRead,
    [GEN_AI.newlyCachedTokens]: usage.inputTokens.cacheWrite,
    [GEN_AI.outputTokens]: usage.outputTokens.total,
    [GEN_AI.reasoningTokens]: usage.outputTokens.reasoning,
    [GEN_AI.responseModel]: response?.modelId,
    [GEN_AI.responseId]: response?.id,
  });
}

/** Returns the reason in the words of the conventions. */
function finishReasonOf({ finishReason: { unified } }: Pick<Result, 'finishReason'>): string {
  if (unified === 'tool-calls') return 'tool_call';
  return unified === 'content-filter' ? 'content_filter' : unified;
}

/** The parts of a stream that the model sent. */
const CHUNKS: ReadonlySet<StreamPart['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'tool-input-delta',
  'tool-call',
]);

/**
 * Ends the span with the stream, also if it fails or its reader leaves it. `startedAt`: when the request was sent, in
 * milliseconds of the monotonic clock.
 */
function watched(stream: ReadableStream<StreamPart>, span: RunSpan, startedAt: number): ReadableStream<StreamPart> {
  const reader = stream.getReader();
  const contents = contentsOf();
  let failure: unknown;
  let hasChunk = false;
  const take = (part: StreamPart): void => {
    if (part.type === 'response-metadata')
      span.set({ [GEN_AI.responseModel]: part.modelId, [GEN_AI.responseId]: part.id });
    if (part.type === 'error') failure ??= part.error;
    if (!hasChunk && CHUNKS.has(part.type)) {
      hasChunk = true;
      span.set({ [GEN_AI.secondsToFirstChunk]: (performance.now() - startedAt) / 1000 });
    }
    contents.take(part);
    if (part.type !== 'finish') return;
    setAnswer(span, part);
    span.setContent(GEN_AI.outputMessages, () => outputMessages(contents.read(), finishReasonOf(part)));
  };
  const fail = (error: unknown): void => span.fail(describeModelFailure(error), errorType(error));
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          take(value);
          controller.enqueue(value);
          return;
        }
        if (failure === undefined) span.end();
        else fail(failure);
        controller.close();
      } catch (error) {
        fail(error);
        controller.error(error);
      }
    },
    async cancel(reason) {
      span.fail('The answer was not read to its end', 'cancelled');
      await reader.cancel(reason);
    },
  });
}

function errorType(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'statusCode' in error) return String(error.statusCode);
  return error instanceof Error ? error.name : '_OTHER';
}
