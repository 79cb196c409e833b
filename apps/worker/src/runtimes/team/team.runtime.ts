import type { Clock } from '@app/kernel';
import { NestedConversation } from '../../conversation/conversation.js';
import type { Lease, Subject } from '../../control-plane/lease.js';
import { RuntimeFailure, type Delegate, type Runtime, type RuntimeResult, type RuntimeTask } from '../runtime.js';
import { agentSpan, usageAttributes } from '../../tracing/agent-span.js';
import { sumOf } from '../usage-sum.js';
import { leaderOf, memberIdsOf, memberToolsOf } from './team-leader.js';
import { optionsOf } from './team-options.js';
import { memberEvents } from './member-events.js';

/** Maximum number of calls of members in one run, so that a leader cannot delegate forever. */
const MAX_DELEGATIONS = 100;
const TOO_MANY = `The leader delegated more than ${MAX_DELEGATIONS} times in one run`;

/**
 * Runs teams: the leader is an agent that has its members as delegates. A member runs with its own model, tools and
 * prompt; it has no delegates, so delegation is one level deep. A failing member is reported to the leader. A leader
 * that delegates too often fails the run, which might otherwise never end.
 */
export class TeamRuntime implements Runtime {
  readonly name = 'team';

  constructor(private readonly clock: Clock) {}

  async run(task: RuntimeTask): Promise<RuntimeResult> {
    const lease: Lease = { ...task.lease, kind: 'agent', agent: leaderOf(task.lease, this.clock.now()) };
    const options = optionsOf(task.lease);
    const members = new TeamMembers({ ...task, options });
    const signal = AbortSignal.any([task.signal, members.exceeded]);
    try {
      const leader = { ...task, lease, options, signal, delegates: members.delegates };
      const result = await task.runtimes.for(lease).run(leader);
      return { ...result, usage: sumOf([result.usage, members.usage]) ?? result.usage };
    } catch (error) {
      if (!(error instanceof RuntimeFailure)) throw error;
      const isExceeded = members.exceeded.aborted && !task.signal.aborted;
      throw new RuntimeFailure(isExceeded ? TOO_MANY : error.message, sumOf([error.usage, members.usage]));
    }
  }
}

/** The members of a team, as delegates of its leader. */
class TeamMembers {
  readonly delegates: readonly Delegate[];
  usage: RuntimeResult['usage'] | null = null;
  private readonly excess = new AbortController();
  private started = 0;

  constructor(private readonly task: RuntimeTask) {
    const { lease } = task;
    const byId = new Map(lease.calls.filter(({ kind }) => kind === 'agent').map((call) => [call.agent.id, call]));
    const members = memberIdsOf(lease).flatMap((id) => byId.get(id) ?? []);
    this.delegates = members.map((member) => ({
      name: member.agent.name ?? member.agent.id ?? '',
      description: member.agent.description,
      run: (prompt, signal) => this.delegate(member, prompt, signal),
    }));
  }

  /** Aborted by the first call beyond the maximum. */
  get exceeded(): AbortSignal {
    return this.excess.signal;
  }

  private async delegate(member: Subject, prompt: string, signal: AbortSignal): Promise<string> {
    this.started += 1;
    if (this.started > MAX_DELEGATIONS) {
      this.excess.abort();
      throw new RuntimeFailure(TOO_MANY);
    }
    await this.task.waitWhilePaused();
    const { lease } = this.task;
    const memberLease: Lease = { ...lease, ...member, team: {}, calls: [], prompt, systemPrompt: null };
    const events = memberEvents(this.task.publish, member.agent);
    const conversation = new NestedConversation();
    const memberTask = {
      ...this.task,
      conversation,
      mayAsk: false,
      options: { responseSchema: null, reasoning: null, isDebugged: this.task.options?.isDebugged === true },
      lease: memberLease,
      signal,
      publish: events,
      allowedTools: memberToolsOf(lease),
    };
    try {
      const { response, messageId, usage } = await this.task.spans.in(agentSpan(member), async (span) => {
        const result = await this.task.runtimes.for(memberLease).run(memberTask);
        span.set(usageAttributes(result.usage, member.kind));
        return result;
      });
      this.usage = sumOf([this.usage, usage]);
      const { id: member_id, name: member_name } = member.agent;
      this.task.conversation.attach(conversation.marked({ source: 'member', member_id, member_name }));
      events('message', { role: 'assistant', content: response, message_id: messageId });
      return response;
    } catch (error) {
      if (error instanceof RuntimeFailure) this.usage = sumOf([this.usage, error.usage]);
      throw error;
    }
  }
}
