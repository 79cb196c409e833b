import type { LanguageModelUsage } from 'ai';
import type { RuntimeUsage } from '../runtimes/runtime.js';

/** Sums the usage of all steps of one run. */
export class UsageMeter {
  private promptTokens = 0;
  private completionTokens = 0;
  private totalTokens = 0;
  private requests = 0;
  private toolCalls = 0;

  constructor(private readonly model: string) {}

  countRequest(): void {
    this.requests += 1;
  }

  countToolCall(): void {
    this.toolCalls += 1;
  }

  countTokens(usage: LanguageModelUsage): void {
    const prompt = usage.inputTokens ?? 0;
    const completion = usage.outputTokens ?? 0;
    this.promptTokens += prompt;
    this.completionTokens += completion;
    this.totalTokens += usage.totalTokens ?? prompt + completion;
  }

  read(): RuntimeUsage {
    return {
      prompt_tokens: this.promptTokens,
      completion_tokens: this.completionTokens,
      total_tokens: this.totalTokens,
      model: this.model,
      requests: this.requests,
      tool_calls: this.toolCalls,
    };
  }
}
