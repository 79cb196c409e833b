import { unwrap } from '@app/api-client';
import { onlyOver, unwrapTagged, type Tagged } from '../../api/entity-tag';
import { agentsCreate, agentsUpdate } from '../../api/generated/forms';
import { environmentChoices, modelChoices, skillChoices, teamChoices } from '../../resource/choices';
import { contextCommands, policyCommands, variableCommand } from '../../resource/entity-commands';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { textOf } from '../../ui/form-data';
import { TextAreaField } from '../../ui/text-area-field';
import { Time } from '../../ui/time';
import { AGENT_TEMPLATES } from './agent-templates';
import { usePreviewAgent, useRunAgent, type Agent } from './build.queries';
import { RunForm } from './run-form';
import { SkillsSection } from './skills-section';

const pathOf = (id: string) => ({ path: { agent_id: id } });

export const { ListPage, OnePage } = pagesOf<Tagged<Agent>>({
  path: '/agents',
  one: 'agent',
  many: 'agents',
  purpose: 'An agent is a system prompt with a model and tools; make one from an example.',
  readScope: 'agents:read',
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/agents', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrapTagged(controlPlane.GET('/api/v1/agents/{agent_id}', { params: pathOf(id), signal })),
  create: creation(agentsCreate, ({ controlPlane }, body) => unwrap(controlPlane.POST('/api/v1/agents', { body }))),
  update: change(agentsUpdate, ({ controlPlane }, id, body, tag) =>
    unwrap(controlPlane.PATCH('/api/v1/agents/{agent_id}', { params: { ...pathOf(id), ...onlyOver(tag) }, body })),
  ),
  removal: {
    scope: agentsUpdate.scope,
    effect: 'While an enabled job or a workflow names it, the server refuses. Its executions are kept.',
    send: ({ controlPlane }, id) => unwrap(controlPlane.DELETE('/api/v1/agents/{agent_id}', { params: pathOf(id) })),
  },
  columns: [
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Model', cell: ({ model_id }) => model_id ?? 'default' },
    { label: 'Last active', cell: ({ last_active_at }) => <Time at={last_active_at} none="never" /> },
    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  starts: AGENT_TEMPLATES,
  view: {
    folded: ['capabilities', 'configuration', 'llm_config', 'runtime', 'team_id', 'environment_ids', 'status'].concat(
      'execution_environment',
    ),
    choices: {
      model_id: modelChoices,
      skill_ids: skillChoices,
      team_id: teamChoices,
      environment_ids: environmentChoices,
    },
  },
  Parts: AgentParts,
  commandsOf: ({ id }) => [
    { does: 'Talk to it in a terminal', command: `agentctl chat ${id}` },
    ...contextCommands('agent', id),
    { does: 'The context with what it inherits', command: `agentctl context resolved ${id}` },
    variableCommand('agent', id),
    ...policyCommands('agent', id),
    { does: 'The runtimes that agents can use', command: 'agentctl agents runtimes' },
  ],
});

function AgentParts({ row: agent }: { readonly row: Agent }) {
  return (
    <>
      <RunAgent agent={agent} />
      <SkillsSection holder={{ kind: 'agent', id: agent.id }} />
    </>
  );
}

function RunAgent({ agent }: { readonly agent: Agent }) {
  const example = AGENT_TEMPLATES.find(({ values }) => values.system_prompt === agent.system_prompt);
  return (
    <RunForm
      run={useRunAgent(agent.id)}
      preview={usePreviewAgent(agent.id)}
      inputOf={(data) => textOf(data, 'prompt')}
      action="Run"
      others={{ entity: agent.id }}
    >
      <TextAreaField name="prompt" label="Prompt" required defaultValue={example?.prompt ?? ''} />
    </RunForm>
  );
}
