import type { AgentSpec } from '../../control-plane/lease.js';
import type { RuntimeTask } from '../runtime.js';

/** Event types for members, by the type for the leader. Other types are unchanged. */
const NAMES: Readonly<Record<string, string>> = {
  message_chunk: 'member_message_chunk',
  message: 'member_message_complete',
  tool_started: 'member_tool_started',
  tool_completed: 'member_tool_completed',
};

/** Returns a function that publishes events with the types and the name of the member. */
export function memberEvents(publish: RuntimeTask['publish'], { id, name }: AgentSpec): RuntimeTask['publish'] {
  const member = { source: 'member', member_id: id, member_name: name };
  return (type, data) => publish(Object.hasOwn(NAMES, type) ? (NAMES[type] ?? type) : type, { ...data, ...member });
}
