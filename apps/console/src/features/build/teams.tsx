import { unwrap } from '@app/api-client';
import { onlyOver, unwrapTagged, type Tagged } from '../../api/entity-tag';
import { teamsCreate, teamsUpdate } from '../../api/generated/forms';
import { environmentChoices, skillChoices } from '../../resource/choices';
import { contextCommands, policyCommands, variableCommand } from '../../resource/entity-commands';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import type { Team } from './build.queries';
import { TeamParts } from './team-parts';

const pathOf = (id: string) => ({ path: { team_id: id } });

export const { ListPage, OnePage } = pagesOf<Tagged<Team>>({
  path: '/teams',
  one: 'team',
  many: 'teams',
  purpose: 'A team is agents with a leader that gives each of them a part of the work.',
  readScope: 'agents:read',
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/teams', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrapTagged(controlPlane.GET('/api/v1/teams/{team_id}', { params: pathOf(id), signal })),
  create: creation(teamsCreate, ({ controlPlane }, body) => unwrap(controlPlane.POST('/api/v1/teams', { body }))),
  update: change(teamsUpdate, ({ controlPlane }, id, body, tag) =>
    unwrap(controlPlane.PATCH('/api/v1/teams/{team_id}', { params: { ...pathOf(id), ...onlyOver(tag) }, body })),
  ),
  removal: {
    scope: teamsUpdate.scope,
    effect: 'While an enabled job or a workflow names it, the server refuses. Its agents and executions are kept.',
    send: ({ controlPlane }, id) => unwrap(controlPlane.DELETE('/api/v1/teams/{team_id}', { params: pathOf(id) })),
  },
  columns: [
    { label: 'Description', cell: ({ description }) => description },
    { label: 'Agents', cell: ({ agents }) => agents.map(({ name }) => name).join(', ') },
    { label: 'Status', cell: ({ status }) => status },
    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  starts: [
    {
      label: 'Crew: splits the work between its agents',
      values: {
        name: 'crew',
        description: 'Splits the work.',
        configuration: {
          instructions: 'Give each part of the work to the agent that suits it, and put their answers together.',
        },
      },
    },
  ],
  view: {
    folded: ['runtime', 'environment_ids', 'skill_ids', 'execution_environment', 'status'],
    choices: { skill_ids: skillChoices, environment_ids: environmentChoices },
  },
  Parts: TeamParts,
  commandsOf: ({ id }) => [...contextCommands('team', id), variableCommand('team', id), ...policyCommands('team', id)],
});
