import { KEPT, numbered, OBJECT, OTHER, TAGS, TEXT, type Create, type Cycle } from './cycle.js';

export function rules({ policy }: Readonly<Record<string, string>>, create: Create): Record<string, Cycle> {
  const policies: Cycle = {
    api: 'control-plane',
    path: '/api/v1/policies',
    item: '/api/v1/policies/{policy_id}',
    minimal: { name: ' policy ' },
    defaults: { policy_content: '', policy_type: 'rego', description: null, enabled: true, tags: [], metadata: {} },
    full: {
      name: ' policy ',
      policy_content: 'package  app\n\n# kept\nallow   := true\n\n',
      policy_type: 'rego',
      description: TEXT,
      enabled: false,
      tags: TAGS,
      metadata: OBJECT,
    },
    changes: {
      name: 'renamed',
      policy_content: 'package app\nallow := false',
      policy_type: 'rego',
      description: 'changed',
      enabled: true,
      tags: [],
      metadata: OTHER,
    },
    emptied: {
      name: KEPT,
      policy_content: KEPT,
      policy_type: KEPT,
      description: null,
      enabled: KEPT,
      tags: KEPT,
      metadata: KEPT,
    },
    verbs: ['PUT', 'PATCH'],
    isDeletionConfirmed: true,
  };
  const associations: Cycle = {
    api: 'control-plane',
    path: '/api/v1/policies/associations',
    item: '/api/v1/policies/associations/{association_id}',
    minimal: { entity_type: 'agent', policy_id: policy },
    unique: { entity_id: () => create('/api/v1/agents', { name: 'with a policy' }) },
    defaults: { priority: 0, enabled: true },
    full: { entity_type: 'agent', policy_id: policy, priority: -5, enabled: false },
    changes: { priority: 7, enabled: true },
    emptied: { priority: KEPT, enabled: KEPT },
    verbs: ['PATCH', 'PUT'],
  };
  return { policies, 'policy associations': associations };
}

export function memberships(
  { agent, project, policy }: Readonly<Record<string, string>>,
  create: Create,
): Record<string, Cycle> {
  const projects: Cycle = {
    api: 'control-plane',
    path: '/api/v1/projects',
    item: '/api/v1/projects/{project_id}',
    minimal: { name: ' project ' },
    unique: { key: numbered(' Key') },
    defaults: {
      description: null,
      goals: null,
      visibility: 'private',
      default_model: null,
      settings: {},
      restrict_to_environment: false,
      policy_ids: [],
    },
    full: {
      name: ' project ',
      description: TEXT,
      goals: TEXT,
      visibility: 'org',
      default_model: 'acme/large',
      settings: { environment_ids: ['default'], ...OBJECT },
      restrict_to_environment: true,
      policy_ids: [],
    },
    changes: {
      name: 'renamed',
      key: 'RENAMED',
      description: 'changed',
      goals: 'changed',
      visibility: 'private',
      default_model: null,
      settings: OTHER,
      restrict_to_environment: false,
      policy_ids: [policy],
      status: 'archived',
    },
    emptied: {
      name: KEPT,
      key: KEPT,
      description: null,
      goals: null,
      visibility: KEPT,
      default_model: null,
      settings: KEPT,
      restrict_to_environment: KEPT,
      status: KEPT,
    },
    derived: ['archived_at'],
  };
  const members = (kind: 'team' | 'agent'): Cycle => ({
    api: 'control-plane',
    path: `/api/v1/projects/${project}/${kind}s`,
    item: `/api/v1/projects/${project}/${kind}s/{${kind}_id}`,
    key: `${kind}_id`,
    minimal: {},
    unique: { [`${kind}_id`]: () => create(`/api/v1/${kind}s`, { name: 'member' }) },
    defaults: { role: null },
    full: { role: ' lead ' },
  });
  const skills: Cycle = {
    api: 'control-plane',
    path: `/api/v1/skills/associations/agents/${agent}/skills`,
    item: `/api/v1/skills/associations/agents/${agent}/skills/{skill_id}`,
    key: 'skill_id',
    minimal: {},
    unique: { skill_id: () => create('/api/v1/skills', { name: 'associated' }) },
    defaults: { configuration_override: {} },
    full: { configuration_override: OBJECT },
    isUnpaged: true,
    isUnreadable: true,
  };
  return {
    projects,
    'teams of a project': members('team'),
    'agents of a project': members('agent'),
    'skills of an agent': skills,
  };
}
