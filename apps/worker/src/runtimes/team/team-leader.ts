import { placeholdersIn, type JsonObject } from '@app/kernel';
import { objectIn, readObjects, textIn } from '../../json-fields.js';
import type { AgentSpec, Lease } from '../../control-plane/lease.js';
import { renderText } from '../template.js';

/** Sentences that options in a team's configuration append to the instructions of the leader. */
const MARKDOWN = 'Answer in Markdown.';

/**
 * Returns the leader of a team as an agent: `instructions` are its system prompt, with `{{dependencies.x}}` replaced,
 * and `llm` its sampling. It has the tools that the team has or inherits, and delegates to the members.
 */
export function leaderOf({ team }: Lease, now: Date): AgentSpec {
  const configuration = objectIn(team, 'configuration');
  const instructions = textIn(configuration, 'instructions');
  const sentences = [
    ...(instructions === null ? [] : [withDependencies(instructions, objectIn(configuration, 'dependencies'))]),
    ...(configuration['markdown'] === true ? [MARKDOWN] : []),
    ...(configuration['add_datetime_to_instructions'] === true ? [`It is ${now.toISOString()}.`] : []),
  ];
  return {
    id: textIn(team, 'id'),
    name: textIn(team, 'name'),
    description: null,
    systemPrompt: sentences.length === 0 ? null : sentences.join('\n\n'),
    runtime: textIn(team, 'runtime') ?? 'default',
    configuration,
    llmConfig: objectIn(configuration, 'llm'),
  };
}

/** Names of the tools that members may call; null without a restriction. */
export function memberToolsOf({ team }: Lease): ReadonlySet<string> | null {
  const { tools } = objectIn(team, 'configuration');
  if (!Array.isArray(tools) || tools.length === 0) return null;
  return new Set(readObjects(tools).flatMap((tool) => textIn(tool, 'name') ?? []));
}

/** Ids of the members, in the order of the team. */
export function memberIdsOf({ team }: Lease): string[] {
  return readObjects(team['agents']).flatMap((agent) => textIn(agent, 'id') ?? []);
}

/** Other placeholders are not replaced. */
function withDependencies(instructions: string, dependencies: JsonObject): string {
  const used = [...placeholdersIn(instructions)].some(({ name }) => name.startsWith('dependencies.'));
  return used ? renderText(instructions, { roots: { dependencies }, outputOf: () => null }) : instructions;
}
