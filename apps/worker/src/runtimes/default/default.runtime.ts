import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Clock } from '@app/kernel';
import { stepCountIs, streamText, type LanguageModel, type ToolSet } from 'ai';
import { RuntimeFailure, type Runtime, type RuntimeResult, type RuntimeTask } from '../runtime.js';
import { loopLimits, samplingSettings, systemPrompt } from './agent-settings.js';
import { McpConnections } from './mcp-connections.js';
import { mcpSecrets, readMcpServers } from './mcp-settings.js';
import { describeModelFailure } from './model-failure.js';
import { modelFetch } from './model-fetch.js';
import { StreamReporter } from './stream-reporter.js';
import { buildToolSet } from './tool-set.js';
import { UsageMeter } from './usage-meter.js';

// The library's hints for developers go to the console otherwise, between the log's JSON lines.
globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * An agent loop against an OpenAI-compatible chat completions endpoint: the model may call the tools of the execution's MCP
 * servers until it gives an answer without calling any, its steps are used up, or the run is ended.
 */
export class DefaultRuntime implements Runtime {
  readonly name = 'default';

  constructor(private readonly clock: Clock) {}

  async run(task: RuntimeTask): Promise<RuntimeResult> {
    const { lease } = task;
    if (lease.model === null) {
      throw new RuntimeFailure(
        'There is no model to ask: the agent names none, and DEFAULT_MODEL is not set on the platform',
      );
    }
    const model = openModel(task, lease.model, this.clock);
    const servers = readMcpServers(lease.mcpServers, lease.environment);
    task.redactor.hide(mcpSecrets(servers));
    const connections = new McpConnections(task.logger);
    try {
      const opened = await connections.open(servers, task.signal);
      const { toolTimeoutMs } = loopLimits(lease.agent.configuration);
      const tools = buildToolSet(opened, { timeoutMs: toolTimeoutMs, redactor: task.redactor, logger: task.logger });
      return await converse(task, model, tools, new UsageMeter(lease.model));
    } finally {
      await connections.close();
    }
  }
}

function openModel(task: RuntimeTask, model: string, clock: Clock): LanguageModel {
  const { url, apiKey } = task.gateway;
  if (!URL.canParse(url)) {
    throw new RuntimeFailure('There is no model gateway: LLM_GATEWAY_URL is set neither here nor on the platform');
  }
  const provider = createOpenAICompatible({
    name: 'gateway',
    baseURL: versioned(url),
    includeUsage: true,
    fetch: modelFetch(clock),
    ...(apiKey === null ? {} : { apiKey }),
  });
  return provider.chatModel(model);
}

/** An address without a path gets the usual one. */
function versioned(url: string): string {
  return new URL(url).pathname === '/' ? new URL('/v1', url).href : url;
}

async function converse(
  task: RuntimeTask,
  model: LanguageModel,
  tools: ToolSet,
  usage: UsageMeter,
): Promise<RuntimeResult> {
  const { lease } = task;
  const { maxSteps } = loopLimits(lease.agent.configuration);
  const system = systemPrompt(lease);
  const reporter = new StreamReporter(task.publish, usage);
  const answer = streamText({
    model,
    ...(system === undefined ? {} : { system }),
    prompt: lease.prompt,
    tools,
    stopWhen: stepCountIs(maxSteps),
    ...samplingSettings(lease.agent.llmConfig),
    maxRetries: 0,
    abortSignal: task.signal,
    prepareStep: async () => {
      await task.whilePaused();
      return {};
    },
    // Errors arrive as parts of the stream; the library would print them as well.
    onError: () => undefined,
  });
  try {
    for await (const part of answer.fullStream) reporter.take(part);
  } catch (error) {
    reporter.failure ??= describeModelFailure(error);
  }
  if (task.signal.aborted) throw new RuntimeFailure('The run was ended', usage.read());
  if (reporter.failure !== null) throw new RuntimeFailure(reporter.failure, usage.read());
  if (!reporter.answered) throw new RuntimeFailure(`The agent gave no answer within ${maxSteps} steps`, usage.read());
  return { response: reporter.text, messageId: reporter.messageId, usage: usage.read() };
}
