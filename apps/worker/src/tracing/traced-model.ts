import { SpanKind } from '@opentelemetry/api';
import { context } from '@opentelemetry/api';
import { GEN_AI, GEN_AI_OPERATIONS } from '@app/observability';
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
  const start = (params: Parameters<WrapStream>[0]['params']): RunSpan => {
    const span = spans.start({
      name: `${GEN_AI_OPERATIONS.chat} ${model.modelId}`,
      kind: SpanKind.CLIENT,
      attributes: {
        [GEN_AI.operation]: GEN_AI_OPERATIONS.chat,
        // The protocol of the gateway, as the conventions ask for: the model behind it may be anyone's.
        [GEN_AI.provider]: 'openai',
        [GEN_AI.requestModel]: model.modelId,
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
      const span = start(params);
      const result = await failing(span, doGenerate);
      setAnswer(span, result);
      span.setContent(GEN_AI.outputMessages, () => outputMessages(result.content, result.finishReason.unified));
      span.end();
      return result;
    },
    wrapStream: async ({ doStream, params }) => {
      const span = start(params);
      const result = await failing(span, doStream);
      return { ...result, stream: watched(result.stream, span) };
    },
  };
  return wrapLanguageModel({ model, middleware });
}

function setAnswer(
  span: RunSpan,
  { usage, finishReason, response }: Pick<Result, 'usage' | 'finishReason' | 'response'>,
): void {
  span.set({
    [GEN_AI.finishReasons]: [finishReason.unified],
    [GEN_AI.inputTokens]: usage.inputTokens.total,
    [GEN_AI.cachedTokens]: usage.inputTokens.cacheRead,
    [GEN_AI.outputTokens]: usage.outputTokens.total,
    [GEN_AI.responseModel]: response?.modelId,
    [GEN_AI.responseId]: response?.id,
  });
}

/** Ends the span with the stream, also if it fails or its reader leaves it. */
function watched(stream: ReadableStream<StreamPart>, span: RunSpan): ReadableStream<StreamPart> {
  const reader = stream.getReader();
  const contents = contentsOf();
  let failure: unknown;
  const take = (part: StreamPart): void => {
    if (part.type === 'response-metadata')
      span.set({ [GEN_AI.responseModel]: part.modelId, [GEN_AI.responseId]: part.id });
    if (part.type === 'error') failure ??= part.error;
    contents.take(part);
    if (part.type !== 'finish') return;
    setAnswer(span, part);
    span.setContent(GEN_AI.outputMessages, () => outputMessages(contents.read(), part.finishReason.unified));
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
