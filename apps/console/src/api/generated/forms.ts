/** Generated from the OpenAPI document: the forms of the bodies that the API takes, by operation. */
import type { ControlPlaneComponents, PlatformApiComponents } from '@app/api-client';
import type { Form } from '../form';

type Schemas = ControlPlaneComponents['schemas'];
type PlatformSchemas = PlatformApiComponents['schemas'];

export const modelsCreate: Form<Schemas['CreateModelRequest']> = {
  "scope": "any",
  "fields": [
    {
      "name": "value",
      "kind": "line",
      "help": "Model name at the model gateway, unique in the organization",
      "isRequired": true,
      "example": "acme/large",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "label",
      "kind": "line",
      "help": "Display name",
      "isRequired": true,
      "minLength": 1
    },
    {
      "name": "provider",
      "kind": "line",
      "help": "Provider name",
      "isRequired": true,
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "model_type",
      "kind": "choice",
      "help": "Kind of model. Default `text-generation` on creation",
      "choices": [
        "text-generation",
        "embedding",
        "multimodal"
      ],
      "initial": "text-generation"
    },
    {
      "name": "logo",
      "kind": "line",
      "help": "Path or URL of a logo"
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether the model is offered for use. Default true on creation",
      "initial": true
    },
    {
      "name": "recommended",
      "kind": "flag",
      "help": "Whether clients should recommend the model. Default false on creation",
      "initial": false
    },
    {
      "name": "compatible_runtimes",
      "kind": "lines",
      "help": "Ids of the runtimes that can use the model"
    },
    {
      "name": "capabilities",
      "kind": "json",
      "help": "Free-form capabilities, for example `{\"vision\": true}`"
    },
    {
      "name": "pricing",
      "kind": "json",
      "help": "Free-form prices"
    },
    {
      "name": "display_order",
      "kind": "integer",
      "help": "Position in lists; lower values come first. Default 1000 on creation",
      "initial": 1000
    }
  ]
};

export const modelsReplace: Form<Schemas['UpdateModelRequest']> = {
  "scope": "any",
  "fields": [
    {
      "name": "value",
      "kind": "line",
      "help": "Model name at the model gateway, unique in the organization",
      "example": "acme/large",
      "maxLength": 255
    },
    {
      "name": "label",
      "kind": "line",
      "help": "Display name"
    },
    {
      "name": "provider",
      "kind": "line",
      "help": "Provider name",
      "maxLength": 255
    },
    {
      "name": "model_type",
      "kind": "choice",
      "help": "Kind of model. Default `text-generation` on creation",
      "choices": [
        "text-generation",
        "embedding",
        "multimodal"
      ]
    },
    {
      "name": "logo",
      "kind": "line",
      "help": "Path or URL of a logo"
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether the model is offered for use. Default true on creation"
    },
    {
      "name": "recommended",
      "kind": "flag",
      "help": "Whether clients should recommend the model. Default false on creation"
    },
    {
      "name": "compatible_runtimes",
      "kind": "lines",
      "help": "Ids of the runtimes that can use the model"
    },
    {
      "name": "capabilities",
      "kind": "json",
      "help": "Free-form capabilities, for example `{\"vision\": true}`"
    },
    {
      "name": "pricing",
      "kind": "json",
      "help": "Free-form prices"
    },
    {
      "name": "display_order",
      "kind": "integer",
      "help": "Position in lists; lower values come first. Default 1000 on creation"
    }
  ]
};

export const modelsUpdate: Form<Schemas['UpdateModelRequest']> = {
  "scope": "any",
  "fields": [
    {
      "name": "value",
      "kind": "line",
      "help": "Model name at the model gateway, unique in the organization",
      "example": "acme/large",
      "maxLength": 255
    },
    {
      "name": "label",
      "kind": "line",
      "help": "Display name"
    },
    {
      "name": "provider",
      "kind": "line",
      "help": "Provider name",
      "maxLength": 255
    },
    {
      "name": "model_type",
      "kind": "choice",
      "help": "Kind of model. Default `text-generation` on creation",
      "choices": [
        "text-generation",
        "embedding",
        "multimodal"
      ]
    },
    {
      "name": "logo",
      "kind": "line",
      "help": "Path or URL of a logo"
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether the model is offered for use. Default true on creation"
    },
    {
      "name": "recommended",
      "kind": "flag",
      "help": "Whether clients should recommend the model. Default false on creation"
    },
    {
      "name": "compatible_runtimes",
      "kind": "lines",
      "help": "Ids of the runtimes that can use the model"
    },
    {
      "name": "capabilities",
      "kind": "json",
      "help": "Free-form capabilities, for example `{\"vision\": true}`"
    },
    {
      "name": "pricing",
      "kind": "json",
      "help": "Free-form prices"
    },
    {
      "name": "display_order",
      "kind": "integer",
      "help": "Position in lists; lower values come first. Default 1000 on creation"
    }
  ]
};

export const environmentsCreate: Form<Schemas['CreateEnvironmentRequest']> = {
  "scope": "runners:manage",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the organization",
      "isRequired": true,
      "example": "production",
      "minLength": 2,
      "maxLength": 100
    },
    {
      "name": "display_name",
      "kind": "line",
      "help": "Display name. Default empty on creation",
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags"
    },
    {
      "name": "settings",
      "kind": "json",
      "help": "Free-form settings"
    },
    {
      "name": "execution_environment",
      "kind": "json",
      "help": "Variables, secrets, integrations and MCP servers of every execution in the environment"
    }
  ]
};

export const environmentsUpdate: Form<Schemas['UpdateEnvironmentRequest']> = {
  "scope": "runners:manage",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the organization",
      "example": "production",
      "minLength": 2,
      "maxLength": 100
    },
    {
      "name": "display_name",
      "kind": "line",
      "help": "Display name. Default empty on creation",
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags"
    },
    {
      "name": "settings",
      "kind": "json",
      "help": "Free-form settings"
    },
    {
      "name": "execution_environment",
      "kind": "json",
      "help": "Variables, secrets, integrations and MCP servers of every execution in the environment"
    },
    {
      "name": "status",
      "kind": "choice",
      "help": "Status, set by clients: `active` (default), `inactive`, `provisioning`, `ready` or `error`",
      "choices": [
        "active",
        "inactive",
        "provisioning",
        "ready",
        "error"
      ]
    }
  ]
};

export const environmentWorkerQueuesCreate: Form<Schemas['CreateWorkerQueueRequest']> = {
  "scope": "runners:manage",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the environment. Lower-case characters without spaces",
      "isRequired": true,
      "example": "gpu-large",
      "minLength": 2,
      "maxLength": 50
    },
    {
      "name": "display_name",
      "kind": "line",
      "help": "Display name. Default empty on creation"
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "max_workers",
      "kind": "integer",
      "help": "Maximum number of connected workers; null for no limit",
      "minimum": 1
    },
    {
      "name": "heartbeat_interval",
      "kind": "integer",
      "help": "Seconds between the heartbeats of a worker, 10 to 300. Default 60 on creation",
      "initial": 60,
      "minimum": 10,
      "maximum": 300
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags"
    },
    {
      "name": "settings",
      "kind": "json",
      "help": "Free-form settings"
    }
  ]
};

export const workerQueuesUpdate: Form<Schemas['UpdateWorkerQueueRequest']> = {
  "scope": "runners:manage",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the environment. Lower-case characters without spaces",
      "example": "gpu-large",
      "minLength": 2,
      "maxLength": 50
    },
    {
      "name": "display_name",
      "kind": "line",
      "help": "Display name. Default empty on creation"
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "max_workers",
      "kind": "integer",
      "help": "Maximum number of connected workers; null for no limit",
      "minimum": 1
    },
    {
      "name": "heartbeat_interval",
      "kind": "integer",
      "help": "Seconds between the heartbeats of a worker, 10 to 300. Default 60 on creation",
      "minimum": 10,
      "maximum": 300
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags"
    },
    {
      "name": "settings",
      "kind": "json",
      "help": "Free-form settings"
    },
    {
      "name": "status",
      "kind": "choice",
      "help": "Status. `active`: workers take executions; `paused` and `inactive`: executions stay in the queue",
      "choices": [
        "active",
        "inactive",
        "paused"
      ]
    }
  ]
};

export const agentsCreate: Form<Schemas['CreateAgentRequest']> = {
  "scope": "agents:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name; need not be unique",
      "isRequired": true,
      "example": "Release notes writer",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "system_prompt",
      "kind": "text",
      "help": "System prompt of the model; null for none"
    },
    {
      "name": "capabilities",
      "kind": "lines",
      "help": "Capabilities, as free text"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Free-form configuration"
    },
    {
      "name": "model_id",
      "kind": "line",
      "help": "Id or value of a model. Default: the default model",
      "maxLength": 255
    },
    {
      "name": "llm_config",
      "kind": "json",
      "help": "Parameters passed to the model, for example `temperature` and `max_tokens`"
    },
    {
      "name": "runtime",
      "kind": "line",
      "help": "Runtime id, `default` or `<vendor>_code`"
    },
    {
      "name": "team_id",
      "kind": "line",
      "help": "Id of the team that the agent belongs to",
      "maxLength": 255
    },
    {
      "name": "environment_ids",
      "kind": "lines",
      "help": "Ids or names of the environments in which the agent runs, at most 100"
    },
    {
      "name": "skill_ids",
      "kind": "lines",
      "help": "Ids of the skills of the agent, at most 50. They replace its skill associations"
    },
    {
      "name": "execution_environment",
      "kind": "json",
      "help": "Variables, secrets, integrations and MCP servers of the executions of the agent"
    }
  ]
};

export const agentsUpdate: Form<Schemas['UpdateAgentRequest']> = {
  "scope": "agents:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name; need not be unique",
      "example": "Release notes writer",
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "system_prompt",
      "kind": "text",
      "help": "System prompt of the model; null for none"
    },
    {
      "name": "capabilities",
      "kind": "lines",
      "help": "Capabilities, as free text"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Free-form configuration"
    },
    {
      "name": "model_id",
      "kind": "line",
      "help": "Id or value of a model. Default: the default model",
      "maxLength": 255
    },
    {
      "name": "llm_config",
      "kind": "json",
      "help": "Parameters passed to the model, for example `temperature` and `max_tokens`"
    },
    {
      "name": "runtime",
      "kind": "line",
      "help": "Runtime id, `default` or `<vendor>_code`"
    },
    {
      "name": "team_id",
      "kind": "line",
      "help": "Id of the team that the agent belongs to",
      "maxLength": 255
    },
    {
      "name": "environment_ids",
      "kind": "lines",
      "help": "Ids or names of the environments in which the agent runs, at most 100"
    },
    {
      "name": "skill_ids",
      "kind": "lines",
      "help": "Ids of the skills of the agent, at most 50. They replace its skill associations"
    },
    {
      "name": "execution_environment",
      "kind": "json",
      "help": "Variables, secrets, integrations and MCP servers of the executions of the agent"
    },
    {
      "name": "status",
      "kind": "choice",
      "help": "Status, set by clients: `idle` (default), `running`, `paused`, `completed`, `failed` or `stopped`",
      "choices": [
        "idle",
        "running",
        "paused",
        "completed",
        "failed",
        "stopped"
      ]
    }
  ]
};

export const teamsCreate: Form<Schemas['CreateTeamRequest']> = {
  "scope": "agents:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name",
      "isRequired": true,
      "example": "Release crew",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Configuration of the team, stored unchanged"
    },
    {
      "name": "runtime",
      "kind": "line",
      "help": "Runtime id of the team leader, `default` or `<vendor>_code`. An empty string means `default`"
    },
    {
      "name": "environment_ids",
      "kind": "lines",
      "help": "Ids or names of the environments in which the team runs, besides those of its members, at most 100. Runs prefer the environments of the team itself"
    },
    {
      "name": "skill_ids",
      "kind": "lines",
      "help": "Ids of the skills of the team, at most 50. They replace its skill associations"
    },
    {
      "name": "execution_environment",
      "kind": "json",
      "help": "Variables, secrets, integrations and MCP servers of the executions of the team"
    }
  ]
};

export const teamsUpdate: Form<Schemas['UpdateTeamRequest']> = {
  "scope": "agents:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name",
      "example": "Release crew",
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Configuration of the team. Replaces the stored one as a whole"
    },
    {
      "name": "runtime",
      "kind": "line",
      "help": "Runtime id of the team leader, `default` or `<vendor>_code`"
    },
    {
      "name": "environment_ids",
      "kind": "lines",
      "help": "Ids or names of the environments in which the team runs, besides those of its members, at most 100. Runs prefer the environments of the team itself"
    },
    {
      "name": "skill_ids",
      "kind": "lines",
      "help": "Ids of the skills of the team, at most 50. They replace its skill associations"
    },
    {
      "name": "execution_environment",
      "kind": "json",
      "help": "Variables, secrets, integrations and MCP servers of the executions of the team"
    },
    {
      "name": "status",
      "kind": "choice",
      "help": "Status, set by clients: `active` (default), `inactive`, `archived` or `idle`",
      "choices": [
        "active",
        "inactive",
        "archived",
        "idle"
      ]
    }
  ]
};

export const policyAssociationsCreate: Form<Schemas['CreatePolicyAssociationRequest']> = {
  "scope": "admin",
  "fields": [
    {
      "name": "entity_type",
      "kind": "choice",
      "help": "Kind of the entity",
      "isRequired": true,
      "choices": [
        "agent",
        "team",
        "environment"
      ]
    },
    {
      "name": "entity_id",
      "kind": "line",
      "help": "Id of the agent, team or environment; an environment is also found by name",
      "isRequired": true,
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "policy_id",
      "kind": "line",
      "help": "Policy id",
      "isRequired": true,
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "priority",
      "kind": "integer",
      "help": "Order of evaluation among associations with the same kind of entity; higher values come first. Default 0 on creation",
      "initial": 0
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether the policy applies through this association. Default true on creation",
      "initial": true
    }
  ]
};

export const policyAssociationsReplace: Form<Schemas['UpdatePolicyAssociationRequest']> = {
  "scope": "admin",
  "fields": [
    {
      "name": "priority",
      "kind": "integer",
      "help": "Order of evaluation among associations with the same kind of entity; higher values come first. Default 0 on creation"
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether the policy applies through this association. Default true on creation"
    }
  ]
};

export const policyAssociationsUpdate: Form<Schemas['UpdatePolicyAssociationRequest']> = {
  "scope": "admin",
  "fields": [
    {
      "name": "priority",
      "kind": "integer",
      "help": "Order of evaluation among associations with the same kind of entity; higher values come first. Default 0 on creation"
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether the policy applies through this association. Default true on creation"
    }
  ]
};

export const policiesCreate: Form<Schemas['CreatePolicyRequest']> = {
  "scope": "admin",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name",
      "isRequired": true,
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "policy_content",
      "kind": "text",
      "help": "Source of the policy, a Rego module that compiles; stored unchanged. Default empty on creation",
      "example": "package app\n\nallow if input.action == \"execute\"",
      "maxLength": 65536
    },
    {
      "name": "policy_type",
      "kind": "choice",
      "help": "Policy language; always `rego`",
      "choices": [
        "rego"
      ],
      "initial": "rego"
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether the policy applies. Default true on creation",
      "initial": true
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags"
    },
    {
      "name": "metadata",
      "kind": "json",
      "help": "Free-form JSON object, stored unchanged"
    }
  ]
};

export const policiesUpdate: Form<Schemas['UpdatePolicyRequest']> = {
  "scope": "admin",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name",
      "maxLength": 255
    },
    {
      "name": "policy_content",
      "kind": "text",
      "help": "Source of the policy, a Rego module that compiles; stored unchanged. An empty string keeps the stored one",
      "example": "package app\n\nallow if input.action == \"execute\"",
      "maxLength": 65536
    },
    {
      "name": "policy_type",
      "kind": "choice",
      "help": "Policy language; always `rego`",
      "choices": [
        "rego"
      ]
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether the policy applies. Default true on creation"
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags"
    },
    {
      "name": "metadata",
      "kind": "json",
      "help": "Free-form JSON object, stored unchanged"
    }
  ]
};

export const executionsCreate: Form<Schemas['CreateExecutionRequest']> = {
  "scope": "tasks:execute",
  "fields": [
    {
      "name": "execution_id",
      "kind": "line",
      "help": "Execution id, chosen by the caller: 1 to 128 of `A-Z a-z 0-9 _ . : -`. Default: a new id"
    },
    {
      "name": "execution_type",
      "kind": "choice",
      "help": "Kind of entity that runs; case is ignored. Default `agent`",
      "choices": [
        "agent",
        "team",
        "workflow"
      ],
      "initial": "agent"
    },
    {
      "name": "entity_type",
      "kind": "choice",
      "help": "Alias of `execution_type`",
      "choices": [
        "agent",
        "team",
        "workflow"
      ]
    },
    {
      "name": "entity_id",
      "kind": "line",
      "help": "Id of the agent, team or workflow",
      "maxLength": 255
    },
    {
      "name": "entity_name",
      "kind": "line",
      "help": "Name of the agent, team or workflow"
    },
    {
      "name": "prompt",
      "kind": "text",
      "help": "Prompt of the execution"
    },
    {
      "name": "system_prompt",
      "kind": "text",
      "help": "System prompt of the model; null for none"
    },
    {
      "name": "runner_name",
      "kind": "line",
      "help": "Name of the process that runs the execution"
    },
    {
      "name": "job_id",
      "kind": "line",
      "help": "Id of the job that the execution is a run of",
      "maxLength": 255
    },
    {
      "name": "parent_execution_id",
      "kind": "line",
      "help": "Id of the execution that started this one",
      "maxLength": 255
    },
    {
      "name": "trigger_type",
      "kind": "line",
      "help": "Trigger of the execution, for example `api` or `cron`. Default `api`",
      "initial": "api"
    },
    {
      "name": "trigger_metadata",
      "kind": "json",
      "help": "Free-form metadata of the trigger"
    },
    {
      "name": "execution_metadata",
      "kind": "json",
      "help": "Free-form metadata"
    }
  ]
};

export const executionsUpdate: Form<Schemas['UpdateExecutionRequest']> = {
  "scope": "tasks:execute",
  "fields": [
    {
      "name": "status",
      "kind": "choice",
      "help": "Status. `pending`: waiting for a worker; `running`; `waiting_for_input`: waiting for a message; `paused`; final: `completed`, `failed`, `cancelled`, `terminated`. Case is ignored",
      "choices": [
        "pending",
        "running",
        "waiting_for_input",
        "paused",
        "completed",
        "failed",
        "cancelled",
        "terminated"
      ]
    },
    {
      "name": "started_at",
      "kind": "line",
      "help": "Start of the run. Default: time of the first change to `running`"
    },
    {
      "name": "completed_at",
      "kind": "line",
      "help": "End of the run. Default: time of the change to a final status"
    },
    {
      "name": "response",
      "kind": "line",
      "help": "Final response of the run; null before it ends"
    },
    {
      "name": "error_message",
      "kind": "line",
      "help": "Error message; null without an error"
    },
    {
      "name": "failure_reason",
      "kind": "choice",
      "help": "Why a run has failed: `timeout` if it took longer than its time limit, otherwise `failed`. The `retry_policy` of the job lists the reasons that lead to a further attempt. Default: `timeout` if the time limit is exceeded",
      "choices": [
        "failed",
        "timeout"
      ]
    },
    {
      "name": "usage",
      "kind": "json",
      "help": "Resource usage as reported by the worker, for example tokens, requests, tool calls and milliseconds"
    },
    {
      "name": "execution_metadata",
      "kind": "json",
      "help": "Free-form metadata; replaces the stored value"
    }
  ]
};

export const sessionsUpdate: Form<Schemas['UpdateSessionRequest']> = {
  "scope": "tasks:execute",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "New name",
      "maxLength": 255
    }
  ]
};

export const jobsCreate: Form<Schemas['CreateJobRequest']> = {
  "scope": "tasks:execute",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name",
      "isRequired": true,
      "example": "Nightly report",
      "minLength": 1
    },
    {
      "name": "trigger_type",
      "kind": "choice",
      "help": "Trigger of the job: `manual` (on request), `webhook` (signed HTTP call to `webhook_url`) or `cron` (schedule)",
      "isRequired": true,
      "choices": [
        "cron",
        "webhook",
        "manual"
      ]
    },
    {
      "name": "prompt_template",
      "kind": "text",
      "help": "Prompt with placeholders: `{{ name }}` is replaced by the parameter of that name, `{{ a.b }}` by a nested value. A placeholder without a value stays unchanged",
      "isRequired": true,
      "example": "Summarize what {{ customer.name }} wrote",
      "minLength": 1
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether triggers start executions. Default true on creation",
      "initial": true
    },
    {
      "name": "cron_schedule",
      "kind": "line",
      "help": "Cron expression of five fields, of six with seconds first, or a shorthand such as `@daily`, matched against the local time of `cron_timezone`. Required if `trigger_type` is `cron`",
      "example": "0 9 * * MON-FRI"
    },
    {
      "name": "cron_timezone",
      "kind": "line",
      "help": "IANA time zone of `cron_schedule`. Default `UTC` on creation",
      "initial": "UTC",
      "example": "Europe/Berlin"
    },
    {
      "name": "planning_mode",
      "kind": "choice",
      "help": "Choice of what runs: `predefined_agent`, `predefined_team` and `predefined_workflow` run the entity named by `entity_id`, whose kind `entity_type` can override; `on_the_fly` runs the entity given by `entity_type` and `entity_id`, or without an `entity_id` the agent or team that the worker chooses",
      "choices": [
        "on_the_fly",
        "predefined_agent",
        "predefined_team",
        "predefined_workflow"
      ],
      "initial": "predefined_agent"
    },
    {
      "name": "entity_type",
      "kind": "line",
      "help": "Kind of the entity: `agent`, `team` or `workflow`. Overrides the kind that `planning_mode` names; the header `X-Notice` of the response states a contradiction"
    },
    {
      "name": "entity_id",
      "kind": "line",
      "help": "Id of the agent, team or workflow, looked up at each trigger. Required unless `planning_mode` is `on_the_fly`",
      "maxLength": 255
    },
    {
      "name": "system_prompt",
      "kind": "text",
      "help": "System prompt that replaces that of the agent"
    },
    {
      "name": "executor_type",
      "kind": "choice",
      "help": "Choice of the worker queue. `auto`: a queue of one of the environments of the agent, team or workflow; `specific_queue`: the queue `worker_queue_name`; `environment`: a queue of `environment_name`",
      "choices": [
        "auto",
        "specific_queue",
        "environment"
      ],
      "initial": "auto"
    },
    {
      "name": "worker_queue_name",
      "kind": "line",
      "help": "Worker queue id or name, looked up at each trigger. Required if `executor_type` is `specific_queue`",
      "maxLength": 255
    },
    {
      "name": "environment_name",
      "kind": "line",
      "help": "Environment id or name, looked up at each trigger. Required if `executor_type` is `environment`",
      "maxLength": 255
    },
    {
      "name": "config",
      "kind": "json",
      "help": "Free-form configuration. `timeout_seconds`: longest time of an attempt (default: that of the agent or team, else 3600). `retry_policy`: `max_attempts` (1 to 100, default 3), `retry_on` (some of `failed`, `timeout` and `lost`, default `[\"lost\"]`) and `backoff` with `type` (`fixed` or `exponential`, default `exponential`) and `delay_seconds` (0 to 86400, default 5). `session_id`: the session that the runs continue, `multitask` (`enqueue`, `reject` or `parallel`, default `enqueue`): what happens while another one of its executions has not ended. For a schedule: `overlap` (`allow`, `skip` or `queue`, default `allow`) and `catchup_window_seconds` (0 to 604800, default 60)"
    },
    {
      "name": "execution_environment",
      "kind": "json",
      "help": "Variables, secrets, integrations and MCP servers of the executions of the job. Commands in it require the scope `agents:write`"
    },
    {
      "name": "webhook_signature",
      "kind": "choice",
      "help": "How calls of `webhook_url` are authenticated: `standard` (`X-Webhook-Signature`, Standard Webhooks, or the `X-Hub-Signature-256` of GitHub), `github`, `stripe` or `slack` (only by the signature of this sender), or `none_with_secret_in_url` (by the query parameter `secret`, for senders that cannot sign). Default `standard` on creation",
      "choices": [
        "standard",
        "github",
        "stripe",
        "slack",
        "none_with_secret_in_url"
      ],
      "initial": "standard"
    },
    {
      "name": "webhook_secret",
      "kind": "line",
      "help": "Secret with which calls of `webhook_url` are signed, for senders that choose it themselves. Without one, the job keeps its secret, or gets a random one when it becomes a webhook job",
      "minLength": 16,
      "maxLength": 255
    }
  ]
};

export const jobsUpdate: Form<Schemas['UpdateJobRequest']> = {
  "scope": "tasks:execute",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name",
      "example": "Nightly report"
    },
    {
      "name": "trigger_type",
      "kind": "choice",
      "help": "Trigger of the job: `manual`, `webhook` or `cron`. A job that changes to `webhook` gets a new `webhook_url`",
      "choices": [
        "cron",
        "webhook",
        "manual"
      ]
    },
    {
      "name": "prompt_template",
      "kind": "text",
      "help": "Prompt with placeholders: `{{ name }}` is replaced by the parameter of that name, `{{ a.b }}` by a nested value. A placeholder without a value stays unchanged",
      "example": "Summarize what {{ customer.name }} wrote"
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether triggers start executions. Default true on creation"
    },
    {
      "name": "cron_schedule",
      "kind": "line",
      "help": "Cron expression of five fields, of six with seconds first, or a shorthand such as `@daily`, matched against the local time of `cron_timezone`. Required if `trigger_type` is `cron`",
      "example": "0 9 * * MON-FRI"
    },
    {
      "name": "cron_timezone",
      "kind": "line",
      "help": "IANA time zone of `cron_schedule`. Default `UTC` on creation",
      "example": "Europe/Berlin"
    },
    {
      "name": "planning_mode",
      "kind": "choice",
      "help": "Choice of what runs: `predefined_agent`, `predefined_team` and `predefined_workflow` run the entity named by `entity_id`, whose kind `entity_type` can override; `on_the_fly` runs the entity given by `entity_type` and `entity_id`, or without an `entity_id` the agent or team that the worker chooses",
      "choices": [
        "on_the_fly",
        "predefined_agent",
        "predefined_team",
        "predefined_workflow"
      ]
    },
    {
      "name": "entity_type",
      "kind": "line",
      "help": "Kind of the entity: `agent`, `team` or `workflow`. Overrides the kind that `planning_mode` names; the header `X-Notice` of the response states a contradiction"
    },
    {
      "name": "entity_id",
      "kind": "line",
      "help": "Id of the agent, team or workflow, looked up at each trigger. Required unless `planning_mode` is `on_the_fly`",
      "maxLength": 255
    },
    {
      "name": "system_prompt",
      "kind": "text",
      "help": "System prompt that replaces that of the agent"
    },
    {
      "name": "executor_type",
      "kind": "choice",
      "help": "Choice of the worker queue. `auto`: a queue of one of the environments of the agent, team or workflow; `specific_queue`: the queue `worker_queue_name`; `environment`: a queue of `environment_name`",
      "choices": [
        "auto",
        "specific_queue",
        "environment"
      ]
    },
    {
      "name": "worker_queue_name",
      "kind": "line",
      "help": "Worker queue id or name, looked up at each trigger. Required if `executor_type` is `specific_queue`",
      "maxLength": 255
    },
    {
      "name": "environment_name",
      "kind": "line",
      "help": "Environment id or name, looked up at each trigger. Required if `executor_type` is `environment`",
      "maxLength": 255
    },
    {
      "name": "config",
      "kind": "json",
      "help": "Free-form configuration. `timeout_seconds`: longest time of an attempt (default: that of the agent or team, else 3600). `retry_policy`: `max_attempts` (1 to 100, default 3), `retry_on` (some of `failed`, `timeout` and `lost`, default `[\"lost\"]`) and `backoff` with `type` (`fixed` or `exponential`, default `exponential`) and `delay_seconds` (0 to 86400, default 5). `session_id`: the session that the runs continue, `multitask` (`enqueue`, `reject` or `parallel`, default `enqueue`): what happens while another one of its executions has not ended. For a schedule: `overlap` (`allow`, `skip` or `queue`, default `allow`) and `catchup_window_seconds` (0 to 604800, default 60)"
    },
    {
      "name": "execution_environment",
      "kind": "json",
      "help": "Variables, secrets, integrations and MCP servers of the executions of the job. Commands in it require the scope `agents:write`"
    },
    {
      "name": "webhook_signature",
      "kind": "choice",
      "help": "How calls of `webhook_url` are authenticated: `standard` (`X-Webhook-Signature`, Standard Webhooks, or the `X-Hub-Signature-256` of GitHub), `github`, `stripe` or `slack` (only by the signature of this sender), or `none_with_secret_in_url` (by the query parameter `secret`, for senders that cannot sign). Default `standard` on creation",
      "choices": [
        "standard",
        "github",
        "stripe",
        "slack",
        "none_with_secret_in_url"
      ]
    },
    {
      "name": "webhook_secret",
      "kind": "line",
      "help": "Secret with which calls of `webhook_url` are signed, for senders that choose it themselves. Without one, the job keeps its secret, or gets a random one when it becomes a webhook job",
      "minLength": 16,
      "maxLength": 255
    }
  ]
};

export const projectsCreate: Form<Schemas['CreateProjectRequest']> = {
  "scope": "agents:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name; need not be unique",
      "isRequired": true,
      "example": "Mobile app",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "key",
      "kind": "line",
      "help": "Short key, unique in the organization",
      "isRequired": true,
      "example": "MOBILE",
      "minLength": 2,
      "maxLength": 50
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "goals",
      "kind": "text",
      "help": "Goals, as free text"
    },
    {
      "name": "visibility",
      "kind": "choice",
      "help": "Intended audience, `private` or `org`. Default `private` on creation",
      "choices": [
        "private",
        "org"
      ],
      "initial": "private"
    },
    {
      "name": "default_model",
      "kind": "line",
      "help": "Id or value of the model for agents and teams of the project that name no model. Default: the default model",
      "maxLength": 255
    },
    {
      "name": "settings",
      "kind": "json",
      "help": "Settings, stored unchanged"
    },
    {
      "name": "restrict_to_environment",
      "kind": "flag",
      "help": "Whether its agents and teams run only in the environments of `settings.environment_ids`. Default false on creation",
      "initial": false
    },
    {
      "name": "policy_ids",
      "kind": "lines",
      "help": "Ids of policies, at most 100. A change requires the scope `admin`"
    }
  ]
};

export const projectsUpdate: Form<Schemas['UpdateProjectRequest']> = {
  "scope": "agents:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name; need not be unique",
      "example": "Mobile app",
      "maxLength": 255
    },
    {
      "name": "key",
      "kind": "line",
      "help": "Short key, unique in the organization",
      "example": "MOBILE",
      "minLength": 2,
      "maxLength": 50
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "goals",
      "kind": "text",
      "help": "Goals, as free text"
    },
    {
      "name": "visibility",
      "kind": "choice",
      "help": "Intended audience, `private` or `org`. Default `private` on creation",
      "choices": [
        "private",
        "org"
      ]
    },
    {
      "name": "default_model",
      "kind": "line",
      "help": "Id or value of the model for agents and teams of the project that name no model. Default: the default model",
      "maxLength": 255
    },
    {
      "name": "settings",
      "kind": "json",
      "help": "Settings. Replaces the stored ones as a whole"
    },
    {
      "name": "restrict_to_environment",
      "kind": "flag",
      "help": "Whether its agents and teams run only in the environments of `settings.environment_ids`. Default false on creation"
    },
    {
      "name": "policy_ids",
      "kind": "lines",
      "help": "Ids of policies, at most 100. A change requires the scope `admin`"
    },
    {
      "name": "status",
      "kind": "choice",
      "help": "Status, set by clients: `active` (default), `inactive`, `paused` or `archived`",
      "choices": [
        "active",
        "inactive",
        "paused",
        "archived"
      ]
    }
  ]
};

export const skillsCreate: Form<Schemas['CreateSkillRequest']> = {
  "scope": "agents:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name; need not be unique",
      "isRequired": true,
      "example": "Issue tracker",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "type",
      "kind": "line",
      "help": "Type, see `/skills/definitions`; other types are allowed. Default `custom` on creation",
      "initial": "custom",
      "example": "mcp",
      "maxLength": 50
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text, at most 1000 characters",
      "maxLength": 1000
    },
    {
      "name": "icon",
      "kind": "line",
      "help": "Name or URL of an icon",
      "maxLength": 255
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether runs receive the skill. Default true on creation",
      "initial": true
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Configuration, stored unchanged, at most 64 KiB. `/skills/definitions` has its schema for each type. `***` in `headers` or `env` keeps the stored value of the same name"
    }
  ]
};

export const skillsReplace: Form<Schemas['UpdateSkillRequest']> = {
  "scope": "agents:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name; need not be unique",
      "example": "Issue tracker",
      "maxLength": 255
    },
    {
      "name": "type",
      "kind": "line",
      "help": "Type, see `/skills/definitions`; other types are allowed. Default `custom` on creation",
      "example": "mcp",
      "maxLength": 50
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text, at most 1000 characters",
      "maxLength": 1000
    },
    {
      "name": "icon",
      "kind": "line",
      "help": "Name or URL of an icon",
      "maxLength": 255
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether runs receive the skill. Default true on creation"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Configuration, stored unchanged, at most 64 KiB. `/skills/definitions` has its schema for each type. `***` in `headers` or `env` keeps the stored value of the same name"
    }
  ]
};

export const skillsUpdate: Form<Schemas['UpdateSkillRequest']> = {
  "scope": "agents:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name; need not be unique",
      "example": "Issue tracker",
      "maxLength": 255
    },
    {
      "name": "type",
      "kind": "line",
      "help": "Type, see `/skills/definitions`; other types are allowed. Default `custom` on creation",
      "example": "mcp",
      "maxLength": 50
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text, at most 1000 characters",
      "maxLength": 1000
    },
    {
      "name": "icon",
      "kind": "line",
      "help": "Name or URL of an icon",
      "maxLength": 255
    },
    {
      "name": "enabled",
      "kind": "flag",
      "help": "Whether runs receive the skill. Default true on creation"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Configuration, stored unchanged, at most 64 KiB. `/skills/definitions` has its schema for each type. `***` in `headers` or `env` keeps the stored value of the same name"
    }
  ]
};

export const knowledgeCreate: Form<Schemas['CreateKnowledgeRequest']> = {
  "scope": "knowledge:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name; need not be unique",
      "isRequired": true,
      "example": "Refund policy",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text, at most 32 KiB"
    },
    {
      "name": "content",
      "kind": "text",
      "help": "Text of the entry, at most 1 MiB in UTF-8. Default: none",
      "example": "Refunds are paid within 14 days.",
      "maxLength": 1048576
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags, together at most 32 KiB as JSON"
    },
    {
      "name": "metadata",
      "kind": "json",
      "help": "Free-form JSON object, stored unchanged, at most 32 KiB"
    }
  ]
};

export const knowledgeUpdate: Form<Schemas['UpdateKnowledgeRequest']> = {
  "scope": "knowledge:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name; need not be unique",
      "example": "Refund policy",
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text, at most 32 KiB"
    },
    {
      "name": "content",
      "kind": "text",
      "help": "Text of the entry, at most 1 MiB in UTF-8. Default: none",
      "example": "Refunds are paid within 14 days.",
      "maxLength": 1048576
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags, together at most 32 KiB as JSON"
    },
    {
      "name": "metadata",
      "kind": "json",
      "help": "Free-form JSON object, stored unchanged, at most 32 KiB"
    }
  ]
};

export const integrationsCreate: Form<Schemas['CreateIntegrationRequest']> = {
  "scope": "integrations:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the organization",
      "isRequired": true,
      "example": "mail",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "type",
      "kind": "line",
      "help": "Kind of the connected system",
      "isRequired": true,
      "example": "smtp",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Free-form configuration, at most 64 KiB. Runs that name the integration get its variables and MCP servers. A secret that it refers to by `secret:NAME` must exist. `***` keeps the stored value in the same place"
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags"
    },
    {
      "name": "metadata",
      "kind": "json",
      "help": "Free-form JSON object, stored unchanged"
    }
  ]
};

export const integrationsUpdate: Form<Schemas['UpdateIntegrationRequest']> = {
  "scope": "integrations:write",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the organization",
      "example": "mail",
      "maxLength": 255
    },
    {
      "name": "type",
      "kind": "line",
      "help": "Kind of the connected system",
      "example": "smtp",
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Free-form configuration, at most 64 KiB. Runs that name the integration get its variables and MCP servers. A secret that it refers to by `secret:NAME` must exist. `***` keeps the stored value in the same place"
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags"
    },
    {
      "name": "metadata",
      "kind": "json",
      "help": "Free-form JSON object, stored unchanged"
    }
  ]
};

export const secretsCreate: Form<Schemas['CreateSecretRequest']> = {
  "scope": "integrations:write",
  "fields": [
    {
      "name": "value",
      "kind": "text",
      "help": "Value, 1 to 65,536 characters. No response contains it",
      "isRequired": true,
      "minLength": 1,
      "maxLength": 65536
    },
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the organization; `secret:NAME` refers to the secret",
      "isRequired": true,
      "example": "MAIL_PASSWORD",
      "minLength": 1,
      "maxLength": 128
    }
  ]
};

export const secretsReplace: Form<Schemas['ReplaceSecretRequest']> = {
  "scope": "integrations:write",
  "fields": [
    {
      "name": "value",
      "kind": "text",
      "help": "Value, 1 to 65,536 characters. No response contains it",
      "isRequired": true,
      "minLength": 1,
      "maxLength": 65536
    }
  ]
};

export const runnersCreate: Form<Schemas['CreateRunnerRequest']> = {
  "scope": "runners:manage",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the organization. Workers that send it as `runner_name` belong to the runner",
      "isRequired": true,
      "example": "gpu-7",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "labels",
      "kind": "json",
      "help": "Labels: values by name"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Free-form configuration"
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags"
    },
    {
      "name": "metadata",
      "kind": "json",
      "help": "Free-form JSON object, stored unchanged"
    }
  ]
};

export const runnersUpdate: Form<Schemas['UpdateRunnerRequest']> = {
  "scope": "runners:manage",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the organization. Workers that send it as `runner_name` belong to the runner",
      "example": "gpu-7",
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "labels",
      "kind": "json",
      "help": "Labels: values by name"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Free-form configuration"
    },
    {
      "name": "tags",
      "kind": "lines",
      "help": "Tags"
    },
    {
      "name": "metadata",
      "kind": "json",
      "help": "Free-form JSON object, stored unchanged"
    }
  ]
};

export const workflowsCreate: Form<Schemas['CreateWorkflowRequest']> = {
  "scope": "workflows:manage",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the organization",
      "isRequired": true,
      "example": "Release notes",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "steps",
      "kind": "json",
      "help": "Steps, at most 500, whose dependencies form no cycle; stored unchanged"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Free-form configuration of the runs"
    },
    {
      "name": "team_id",
      "kind": "line",
      "help": "Id of the team that the workflow belongs to",
      "maxLength": 255
    }
  ]
};

export const workflowsUpdate: Form<Schemas['UpdateWorkflowRequest']> = {
  "scope": "workflows:manage",
  "fields": [
    {
      "name": "name",
      "kind": "line",
      "help": "Name, unique in the organization",
      "example": "Release notes",
      "maxLength": 255
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text"
    },
    {
      "name": "steps",
      "kind": "json",
      "help": "Steps, at most 500, whose dependencies form no cycle; stored unchanged"
    },
    {
      "name": "configuration",
      "kind": "json",
      "help": "Free-form configuration of the runs"
    },
    {
      "name": "team_id",
      "kind": "line",
      "help": "Id of the team that the workflow belongs to",
      "maxLength": 255
    },
    {
      "name": "status",
      "kind": "choice",
      "help": "Status, set by clients: `active` (default), `inactive` or `archived`",
      "choices": [
        "active",
        "inactive",
        "archived"
      ]
    }
  ]
};

export const webhooksCreate: Form<Schemas['CreateWebhookRequest']> = {
  "scope": "webhooks:manage",
  "fields": [
    {
      "name": "url",
      "kind": "line",
      "help": "URL to which events are delivered: http or https, without credentials, with a host that resolves to public addresses (or that WEBHOOK_ALLOWED_HOSTS names)",
      "isRequired": true,
      "example": "https://hooks.example.com/agents",
      "minLength": 1,
      "maxLength": 2048
    },
    {
      "name": "events",
      "kind": "lines",
      "help": "Event types to deliver, of at most 100 characters; any values. Empty or with `*`: all types. Default `[]`"
    },
    {
      "name": "job_ids",
      "kind": "lines",
      "help": "Ids of jobs: only events of their executions are delivered. Default `[]`: of all executions"
    },
    {
      "name": "agent_ids",
      "kind": "lines",
      "help": "Ids of agents: only events of their executions are delivered. Default `[]`: of all executions"
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text",
      "maxLength": 2000
    },
    {
      "name": "status",
      "kind": "choice",
      "help": "State. Events that are published while it is `disabled` are never delivered. Default `active`",
      "choices": [
        "active",
        "disabled"
      ],
      "initial": "active"
    }
  ]
};

export const webhooksUpdate: Form<Schemas['UpdateWebhookRequest']> = {
  "scope": "webhooks:manage",
  "fields": [
    {
      "name": "url",
      "kind": "line",
      "help": "URL to which events are delivered: http or https, without credentials, with a host that resolves to public addresses (or that WEBHOOK_ALLOWED_HOSTS names)",
      "example": "https://hooks.example.com/agents",
      "maxLength": 2048
    },
    {
      "name": "events",
      "kind": "lines",
      "help": "Event types to deliver, of at most 100 characters; any values. Empty or with `*`: all types. Default `[]`"
    },
    {
      "name": "job_ids",
      "kind": "lines",
      "help": "Ids of jobs: only events of their executions are delivered. Default `[]`: of all executions"
    },
    {
      "name": "agent_ids",
      "kind": "lines",
      "help": "Ids of agents: only events of their executions are delivered. Default `[]`: of all executions"
    },
    {
      "name": "description",
      "kind": "text",
      "help": "Description, as free text",
      "maxLength": 2000
    },
    {
      "name": "status",
      "kind": "choice",
      "help": "State. Events that are published while it is `disabled` are never delivered. Default `active`",
      "choices": [
        "active",
        "disabled"
      ]
    }
  ]
};

export const usersCreate: Form<PlatformSchemas['CreateUserRequest']> = {
  "scope": "admin",
  "fields": [
    {
      "name": "email",
      "kind": "line",
      "help": "E-mail address, unique in the organization; case is ignored. Null for a service account",
      "example": "ada@example.com",
      "maxLength": 320
    },
    {
      "name": "name",
      "kind": "line",
      "help": "Display name",
      "isRequired": true,
      "example": "Ada Lovelace",
      "minLength": 1,
      "maxLength": 255
    },
    {
      "name": "avatar_url",
      "kind": "line",
      "help": "URL of a picture",
      "maxLength": 2000
    },
    {
      "name": "groups",
      "kind": "lines",
      "help": "Names of groups"
    }
  ]
};

export const usersUpdate: Form<PlatformSchemas['UpdateUserRequest']> = {
  "scope": "admin",
  "fields": [
    {
      "name": "email",
      "kind": "line",
      "help": "E-mail address, unique in the organization; case is ignored. Null for a service account",
      "example": "ada@example.com",
      "maxLength": 320
    },
    {
      "name": "name",
      "kind": "line",
      "help": "Display name",
      "example": "Ada Lovelace",
      "maxLength": 255
    },
    {
      "name": "avatar_url",
      "kind": "line",
      "help": "URL of a picture",
      "maxLength": 2000
    },
    {
      "name": "groups",
      "kind": "lines",
      "help": "Names of groups"
    },
    {
      "name": "status",
      "kind": "choice",
      "help": "Status of the user. The API keys of a suspended user are rejected",
      "choices": [
        "active",
        "suspended"
      ]
    }
  ]
};
