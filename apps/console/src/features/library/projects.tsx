import { unwrap } from '@app/api-client';
import { projectsCreate, projectsUpdate } from '../../api/generated/forms';
import { modelChoices, policyChoices } from '../../resource/choices';
import { contextCommands } from '../../resource/entity-commands';
import { change, creation } from '../../resource/resource';
import { pagesOf } from '../../resource/resource-pages';
import { Time } from '../../ui/time';
import { ProjectParts } from './project-parts';
import type { Project } from './projects.queries';

const pathOf = (id: string) => ({ path: { project_id: id } });

export const { ListPage, OnePage } = pagesOf<Project>({
  path: '/projects',
  one: 'project',
  many: 'projects',
  purpose: 'A project groups agents and teams, and gives them a default model, policies and environments.',
  readScope: 'agents:read',
  columns: [
    { label: 'Key', cell: ({ key }) => key },
    { label: 'Status', cell: ({ status }) => status },
    { label: 'Agents', cell: ({ agent_count }) => agent_count },
    { label: 'Teams', cell: ({ team_count }) => team_count },
    { label: 'Created', cell: ({ created_at }) => <Time at={created_at} none="" /> },
  ],
  nameOf: ({ name }) => name,
  idOf: ({ id }) => id,
  list: ({ controlPlane }, query, signal) => controlPlane.GET('/api/v1/projects', { params: { query }, signal }),
  read: ({ controlPlane }, id, signal) =>
    unwrap(controlPlane.GET('/api/v1/projects/{project_id}', { params: pathOf(id), signal })),
  create: creation(projectsCreate, ({ controlPlane }, body) => unwrap(controlPlane.POST('/api/v1/projects', { body }))),
  update: change(projectsUpdate, ({ controlPlane }, id, body) =>
    unwrap(controlPlane.PATCH('/api/v1/projects/{project_id}', { params: pathOf(id), body })),
  ),
  removal: {
    scope: 'agents:write',
    effect: 'Its agents and teams are kept.',
    send: ({ controlPlane }, id) =>
      unwrap(controlPlane.DELETE('/api/v1/projects/{project_id}', { params: pathOf(id) })),
  },
  Parts: ProjectParts,
  commandsOf: ({ id }) => contextCommands('project', id),
  view: {
    folded: ['goals', 'visibility', 'settings', 'restrict_to_environment', 'policy_ids'],
    choices: { default_model: modelChoices, policy_ids: policyChoices },
  },
});
