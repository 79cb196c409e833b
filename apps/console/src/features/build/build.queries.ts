import { unwrap, type ControlPlaneComponents } from '@app/api-client';
import { queryOptions, useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../api/change';
import { keysetQuery } from '../../api/keyset';
import type { Session } from '../../session/session';
import { useSession } from '../../session/session-context';

type Schemas = ControlPlaneComponents['schemas'];
export type Agent = Schemas['AgentResponse'];
export type Team = Schemas['TeamResponse'];
export type Workflow = Schemas['WorkflowResponse'];
export type Job = Schemas['JobResponse'];
export type JobRun = Schemas['JobRunResponse'];
export type RunPreview = Schemas['RunPreviewResponse'];

/** Resolves to the id of the execution. */
export function useRunAgent(id: string): UseMutationResult<string, Error, string> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: async (prompt: string) => {
      const params = { path: { agent_id: id } };
      const started = await unwrap(
        controlPlane.POST('/api/v1/agents/{agent_id}/execute', { params, body: { prompt } }),
      );
      return started.execution_id;
    },
  });
}

/** Resolves to the id of the execution. */
export function useRunTeam(id: string): UseMutationResult<string, Error, string> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: async (prompt: string) => {
      const params = { path: { team_id: id } };
      const started = await unwrap(controlPlane.POST('/api/v1/teams/{team_id}/execute', { params, body: { prompt } }));
      return started.execution_id;
    },
  });
}

/** Runs a workflow with values for its parameters. Resolves to the id of the execution. */
export function useRunWorkflow(id: string): UseMutationResult<string, Error, Record<string, unknown>> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: async (values: Record<string, unknown>) => {
      const params = { path: { workflow_id: id } };
      const body = { params: values };
      const started = await unwrap(controlPlane.POST('/api/v1/workflows/{workflow_id}/execute', { params, body }));
      return started.execution_id;
    },
  });
}

/** Triggers a job with values for its placeholders. Resolves to the id of the execution. */
export function useTriggerJob(id: string): UseMutationResult<string, Error, Record<string, unknown>> {
  const { controlPlane } = useSession();
  return useChange(['/jobs'], async (parameters: Record<string, unknown>) => {
    const params = { path: { job_id: id } };
    const started = await unwrap(controlPlane.POST('/api/v1/jobs/{job_id}/trigger', { params, body: { parameters } }));
    return started.execution_id;
  });
}

export function useTeamMembers(teamId: string): {
  readonly add: UseMutationResult<Team, Error, string>;
  readonly remove: UseMutationResult<Team, Error, string>;
} {
  const { controlPlane } = useSession();
  const paramsOf = (agentId: string) => ({ path: { team_id: teamId, agent_id: agentId } });
  const add = useChange(['/teams'], (agentId: string) =>
    unwrap(controlPlane.POST('/api/v1/teams/{team_id}/agents/{agent_id}', { params: paramsOf(agentId) })),
  );
  const remove = useChange(['/teams'], (agentId: string) =>
    unwrap(controlPlane.DELETE('/api/v1/teams/{team_id}/agents/{agent_id}', { params: paramsOf(agentId) })),
  );
  return { add, remove };
}

export function useJobSwitch(id: string): UseMutationResult<Job, Error, boolean> {
  const { controlPlane } = useSession();
  return useChange(['/jobs'], (isEnabled: boolean) => {
    const params = { path: { job_id: id } };
    return unwrap(
      isEnabled
        ? controlPlane.POST('/api/v1/jobs/{job_id}/enable', { params })
        : controlPlane.POST('/api/v1/jobs/{job_id}/disable', { params }),
    );
  });
}

export function useRotateJobWebhook(id: string): UseMutationResult<Job, Error, void> {
  const { controlPlane } = useSession();
  return useChange(['/jobs'], () =>
    unwrap(controlPlane.POST('/api/v1/jobs/{job_id}/webhook/rotate', { params: { path: { job_id: id } } })),
  );
}

export function jobRunsQuery({ controlPlane }: Session, id: string) {
  return keysetQuery<JobRun>(['/jobs', 'runs', id], async (query, signal) => {
    const params = { path: { job_id: id }, query };
    const answer = await controlPlane.GET('/api/v1/jobs/{job_id}/executions', { params, signal });
    return answer.data === undefined ? answer : { ...answer, data: answer.data.executions };
  });
}

/** The next instants of a schedule. */
export function scheduleQuery({ controlPlane }: Session, cron_schedule: string, cron_timezone: string) {
  return queryOptions({
    queryKey: ['schedule', cron_schedule, cron_timezone],
    queryFn: ({ signal }) =>
      unwrap(controlPlane.POST('/api/v1/jobs/preview-schedule', { body: { cron_schedule, cron_timezone }, signal })),
  });
}

type Values = Record<string, unknown>;

/** Tells what a run of an agent would do. Starts nothing. */
export function usePreviewAgent(id: string): UseMutationResult<RunPreview, Error, string> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: (prompt: string) => {
      const params = { path: { agent_id: id } };
      return unwrap(controlPlane.POST('/api/v1/agents/{agent_id}/preview', { params, body: { prompt } }));
    },
  });
}

/** Tells what a run of a team would do. Starts nothing. */
export function usePreviewTeam(id: string): UseMutationResult<RunPreview, Error, string> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: (prompt: string) => {
      const params = { path: { team_id: id } };
      return unwrap(controlPlane.POST('/api/v1/teams/{team_id}/preview', { params, body: { prompt } }));
    },
  });
}

/** Tells what a run of a workflow would do. Starts nothing. */
export function usePreviewWorkflow(id: string): UseMutationResult<RunPreview, Error, Values> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: (values: Values) => {
      const params = { path: { workflow_id: id } };
      return unwrap(controlPlane.POST('/api/v1/workflows/{workflow_id}/preview', { params, body: { params: values } }));
    },
  });
}

/** Tells what a trigger of a job would do. Starts nothing. */
export function usePreviewJob(id: string): UseMutationResult<RunPreview, Error, Values> {
  const { controlPlane } = useSession();
  return useMutation({
    mutationFn: (parameters: Values) => {
      const params = { path: { job_id: id } };
      return unwrap(controlPlane.POST('/api/v1/jobs/{job_id}/preview', { params, body: { parameters } }));
    },
  });
}
