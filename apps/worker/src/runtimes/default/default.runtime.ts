import type { Clock } from '@app/kernel';
import { stepCountIs, streamText, type LanguageModel, type ModelMessage, type ToolSet } from 'ai';
import { knowledgeTools } from '../../skills/knowledge-tools.js';
import { hasAnsweredCalls } from '../../conversation/model-messages.js';
import { RuntimeFailure, type Runtime, type RuntimeResult, type RuntimeTask } from '../runtime.js';
import { jsonResponse, loopLimits, samplingSettings, systemPrompt } from './agent-settings.js';
import { askUserTool } from './ask-user.js';
import { delegationTool } from './delegation-tool.js';
import { McpConnections } from './mcp/mcp-connections.js';
import { mcpSecrets, readMcpServers } from './mcp/mcp-settings.js';
import { describeModelFailure } from '../../model/model-failure.js';
import { measuredFetch } from './measured-fetch.js';
import { modelFetch, retriesOf } from '../../model/model-fetch.js';
import { openConversation } from './open-conversation.js';
import { openModel } from '../../model/open-model.js';
import { reason } from './reasoning.js';
import { ResponseSchema } from './response-schema.js';
import { StreamReporter } from './stream-reporter.js';
import { skillToolSet } from './skill-tool-set.js';
import { folderFor } from './tool-folder.js';
import { buildToolSet } from './tool-set.js';
import { UsageMeter } from '../../model/usage-meter.js';

/**
 * Runs an agent loop against an OpenAI-compatible chat completions endpoint. The model may call the tools of the
 * execution's MCP servers and skills, and read its knowledge. The loop ends when the model responds without a tool
 * call, after `max_steps` requests, or when the run is aborted.
 */
export class DefaultRuntime implements Runtime {
  readonly name = 'default';

  constructor(private readonly clock: Clock) {}

  async run(task: RuntimeTask): Promise<RuntimeResult> {
    const { lease } = task;
    const gateway = { ...task.gateway, spans: task.spans };
    const model = openModel(gateway, lease.model, this.fetchFor(task));
    const missing = task.skills.missingFor(lease);
    if (missing !== null) task.publish('metadata', missing);
    const servers = readMcpServers(lease);
    task.redactor.addSecrets(mcpSecrets(servers));
    const folder = await folderFor(task, servers);
    const connections = new McpConnections(task.logger, folder);
    try {
      const connected = await connections.open(servers, task.signal);
      const { toolTimeoutMs } = loopLimits(lease.agent.configuration);
      const { redactor, logger, spans, allowedTools = null } = task;
      const guards = { timeoutMs: toolTimeoutMs, redactor, logger, spans };
      const builtIn = folder === null ? [] : task.skills.toolsOf(lease, folder);
      const ofSkills = skillToolSet([...builtIn, ...knowledgeTools(lease.knowledgeIds, task.knowledge)], guards);
      const served = { ...ofSkills, ...buildToolSet(connected, guards, ofSkills) };
      const allowed = Object.entries(served).filter(([name]) => allowedTools === null || allowedTools.has(name));
      const tools = { ...Object.fromEntries(allowed), ...delegationTool(task), ...askUserTool(task) };
      const thinker = openModel(gateway, task.options?.reasoning?.model ?? lease.model, this.fetchFor(task));
      return await runAgentLoop({ task, model, tools, usage: new UsageMeter(lease.model ?? '') }, thinker);
    } finally {
      await connections.close();
    }
  }

  private fetchFor({ options, publish, lease, gateway }: RuntimeTask): typeof fetch {
    const request = modelFetch(this.clock, retriesOf(lease.agent.llmConfig, gateway.retries));
    return options?.isDebugged === true ? measuredFetch(request, this.clock, publish) : request;
  }
}

/** Shared by the requests of one agent loop. */
interface AgentLoop {
  readonly task: RuntimeTask;
  readonly model: LanguageModel;
  readonly tools: ToolSet;
  readonly usage: UsageMeter;
  readonly system: string | undefined;
}

/** If the response does not fit the response model, sends one more request. */
async function runAgentLoop(
  { task, ...common }: Omit<AgentLoop, 'system'>,
  thinker: LanguageModel,
): Promise<RuntimeResult> {
  const { lease, options, conversation } = task;
  const schema = options?.responseSchema == null ? null : new ResponseSchema(options.responseSchema);
  const { messages, answer } = openConversation(task);
  const isContinued = messages.some(({ role }) => role === 'tool') || answer !== null;
  const reasoning = isContinued ? null : (options?.reasoning ?? null);
  const thoughts = reasoning === null ? [] : await reason(task, thinker, reasoning, messages, common.usage);
  const loop = { task, ...common, system: systemPrompt(lease, thoughts) };
  const { said, ...first } =
    answer === null ? await runSteps(loop, messages) : { ...answer, usage: common.usage.read(), said: [] };
  if (schema === null || first.question !== undefined) return first;
  const checked = schema.check(first.response);
  if ('json' in checked) return { ...first, response: checked.json };
  const correction = `The answer does not fit: ${checked.fault}. Answer again, with JSON that fits and nothing else.`;
  conversation.append([{ role: 'user', content: correction }]);
  const { said: _said, ...second } = await runSteps(loop, [
    ...messages,
    ...said,
    { role: 'user', content: correction },
  ]);
  if (second.question !== undefined) return second;
  const checkedAgain = schema.check(second.response);
  if ('json' in checkedAgain) return { ...second, response: checkedAgain.json };
  throw new RuntimeFailure(`The answer does not fit the response model: ${checkedAgain.fault}`, common.usage.read());
}

/** `said` are the messages of the model and the results of its tools. */
async function runSteps(
  loop: AgentLoop,
  messages: ModelMessage[],
): Promise<RuntimeResult & { readonly said: readonly ModelMessage[] }> {
  const { task, model, tools, usage, system } = loop;
  const { configuration, llmConfig } = task.lease.agent;
  const { maxSteps } = loopLimits(configuration);
  const schema = task.options?.responseSchema ?? null;
  const reporter = new StreamReporter(task, usage);
  const stream = streamText({
    model,
    ...(system === undefined ? {} : { system }),
    ...(schema === null ? {} : { providerOptions: jsonResponse(schema) }),
    messages,
    tools,
    stopWhen: stepCountIs(maxSteps),
    ...samplingSettings(llmConfig),
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
  if (task.signal.aborted || reporter.failure !== null) reporter.storePartial();
  if (task.signal.aborted) throw new RuntimeFailure('The run was aborted', usage.read());
  if (reporter.failure !== null) throw new RuntimeFailure(reporter.failure, usage.read());
  const { messageId, text: response, question } = reporter;
  if (question !== null) return { response: '', messageId, usage: usage.read(), question, said: [] };
  if (!reporter.isFinalStep) {
    throw new RuntimeFailure(
      `The agent did not finish within ${maxSteps} ${maxSteps === 1 ? 'step' : 'steps'}`,
      usage.read(),
    );
  }
  // An agent may end with an empty answer after its tools have done the work, also in an earlier attempt of the run.
  const hasUsedTools = usage.read().tool_calls > 0 || hasAnsweredCalls(task.conversation.history.own);
  if (schema === null && response.trim() === '' && !hasUsedTools) {
    throw new RuntimeFailure('The answer of the model is empty', usage.read());
  }
  return { response, messageId, usage: usage.read(), said: (await stream.response).messages };
}
