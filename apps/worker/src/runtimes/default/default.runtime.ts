import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { Clock } from '@app/kernel';
import { stepCountIs, streamText, type LanguageModel, type ToolSet } from 'ai';
import { openConversation } from './open-conversation.js';
import { knowledgeTools } from '../../skills/knowledge-tools.js';
import { RuntimeFailure, type Runtime, type RuntimeResult, type RuntimeTask } from '../runtime.js';
import { loopLimits, samplingSettings, systemPrompt } from './agent-settings.js';
import { askUserTool, questionIn } from './ask-user.js';
import { delegationTool } from './delegation-tool.js';
import { McpConnections } from './mcp-connections.js';
import { mcpSecrets, readMcpServers } from './mcp-settings.js';
import { describeModelFailure } from './model-failure.js';
import { modelFetch } from './model-fetch.js';
import { StreamReporter } from './stream-reporter.js';
import { skillToolSet } from './skill-tool-set.js';
import { folderFor } from './tool-folder.js';
import { buildToolSet } from './tool-set.js';
import { UsageMeter } from './usage-meter.js';

// Otherwise the `ai` package prints warnings to the console, between the JSON lines of the log.
globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * Runs an agent loop against an OpenAI-compatible chat completions endpoint. The model may call the tools of the execution's
 * MCP servers and skills, and read its knowledge. The loop ends when the model responds without a tool call, after `max_steps` requests, or when the run is
 * aborted.
 */
export class DefaultRuntime implements Runtime {
  readonly name = 'default';

  constructor(private readonly clock: Clock) {}

  async run(task: RuntimeTask): Promise<RuntimeResult> {
    const { lease } = task;
    if (lease.model === null) {
      throw new RuntimeFailure(
        'No model is configured: the agent has none and DEFAULT_MODEL is not set on the platform',
      );
    }
    const missing = task.skills.missingFor(lease);
    if (missing !== null) task.publish('metadata', missing);
    const model = openModel(task, lease.model, this.clock);
    const servers = readMcpServers(lease);
    task.redactor.addSecrets(mcpSecrets(servers));
    const folder = await folderFor(task, servers);
    const connections = new McpConnections(task.logger, folder);
    try {
      const connected = await connections.open(servers, task.signal);
      const { toolTimeoutMs } = loopLimits(lease.agent.configuration);
      const { redactor, logger, allowedTools = null } = task;
      const guards = { timeoutMs: toolTimeoutMs, redactor, logger };
      const builtIn = folder === null ? [] : task.skills.toolsOf(lease, folder);
      const ofSkills = skillToolSet([...builtIn, ...knowledgeTools(lease.knowledgeIds, task.knowledge)], guards);
      const served = { ...ofSkills, ...buildToolSet(connected, guards, ofSkills) };
      const allowed = Object.entries(served).filter(([name]) => allowedTools === null || allowedTools.has(name));
      const tools = { ...Object.fromEntries(allowed), ...delegationTool(task), ...askUserTool(task) };
      return await runAgentLoop(task, model, tools, new UsageMeter(lease.model));
    } finally {
      await connections.close();
    }
  }
}

function openModel(task: RuntimeTask, model: string, clock: Clock): LanguageModel {
  const { url, apiKey } = task.gateway;
  if (!URL.canParse(url)) {
    throw new RuntimeFailure(
      'No model gateway is configured: LLM_GATEWAY_URL is set neither on the worker nor on the platform',
    );
  }
  const provider = createOpenAICompatible({
    name: 'gateway',
    baseURL: withVersionPath(url),
    includeUsage: true,
    fetch: modelFetch(clock),
    ...(apiKey === null ? {} : { apiKey }),
  });
  return provider.chatModel(model);
}

/** Appends `/v1` to a URL without a path. */
function withVersionPath(url: string): string {
  return new URL(url).pathname === '/' ? new URL('/v1', url).href : url;
}

async function runAgentLoop(
  task: RuntimeTask,
  model: LanguageModel,
  tools: ToolSet,
  usage: UsageMeter,
): Promise<RuntimeResult> {
  const { lease } = task;
  const { maxSteps } = loopLimits(lease.agent.configuration);
  const system = systemPrompt(lease);
  const { messages, answer } = openConversation(task);
  if (answer !== null) return { ...answer, usage: usage.read() };
  const reporter = new StreamReporter(task, usage);
  const stream = streamText({
    model,
    ...(system === undefined ? {} : { system }),
    messages,
    tools,
    stopWhen: stepCountIs(maxSteps),
    ...samplingSettings(lease.agent.llmConfig),
    maxRetries: 0,
    abortSignal: task.signal,
    prepareStep: async () => {
      await task.waitWhilePaused();
      return {};
    },
    // Errors also arrive as parts of the stream; the default handler would print them to the console.
    onError: () => undefined,
  });
  try {
    for await (const part of stream.fullStream) reporter.handle(part);
  } catch (error) {
    reporter.failure ??= describeModelFailure(error);
  }
  if (task.signal.aborted) throw new RuntimeFailure('The run was aborted', usage.read());
  if (reporter.failure !== null) throw new RuntimeFailure(reporter.failure, usage.read());
  const question = questionIn(reporter.openCalls);
  if (question !== null) return { response: '', messageId: reporter.messageId, usage: usage.read(), question };
  if (!reporter.isFinalStep) {
    throw new RuntimeFailure(`The agent did not finish within ${maxSteps} steps`, usage.read());
  }
  return { response: reporter.text, messageId: reporter.messageId, usage: usage.read() };
}
