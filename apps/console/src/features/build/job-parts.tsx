import { Link } from '@tanstack/react-router';
import { placeholdersIn } from '../../api/templates';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { Time } from '../../ui/time';
import { useJobSwitch, usePreviewJob, useTriggerJob, type Job } from './build.queries';
import { JobRuns } from './job-runs';
import { JobSchedule } from './job-schedule';
import { JobWebhook } from './job-webhook';
import { RunForm } from './run-form';
import { ValueFields, valuesOf } from './value-fields';

/** Switches and triggers a job, and shows when and how it starts. */
export function JobParts({ row: job }: { readonly row: Job }) {
  const names = placeholdersIn(job.prompt_template);
  return (
    <>
      <State job={job} />
      {job.cron_schedule !== null && <JobSchedule schedule={job.cron_schedule} timezone={job.cron_timezone} />}
      {job.webhook_url !== null && <JobWebhook job={job} url={job.webhook_url} />}
      <RunForm
        run={useTriggerJob(job.id)}
        preview={usePreviewJob(job.id)}
        inputOf={(data) => valuesOf(names, data)}
        action="Trigger now"
        others={{ job: job.id }}
      >
        <ValueFields names={names} />
      </RunForm>
      <JobRuns jobId={job.id} />
    </>
  );
}

function State({ job }: { readonly job: Job }) {
  const change = useJobSwitch(job.id);
  const session = useSession();
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <span>
          Runs <WhatRuns job={job} />. {job.enabled ? 'Enabled' : 'Disabled: nothing triggers it'}
          {job.next_execution_at !== null && (
            <>
              , next <Time at={job.next_execution_at} none="" />
            </>
          )}
        </span>
        <Button
          isBusy={change.isPending}
          disabledReason={missingScope(session, 'tasks:execute')}
          onClick={() => change.mutate(!job.enabled)}
        >
          {job.enabled ? 'Disable' : 'Enable'}
        </Button>
        {job.last_execution_id !== null && (
          <Link to="/executions/$id" params={{ id: job.last_execution_id }} className="text-accent underline">
            Last execution
          </Link>
        )}
      </div>
      {change.error !== null && <FailurePanel error={change.error} />}
    </>
  );
}

function WhatRuns({ job: { entity_type: kind, entity_id: id, entity_name: name } }: { readonly job: Job }) {
  if (id === null || !isKind(kind)) return 'what the model chooses';
  return (
    <Link to={`/${kind}s/$id`} params={{ id }} className="text-accent underline">
      {name ?? id}
    </Link>
  );
}

function isKind(kind: string | null): kind is 'agent' | 'team' | 'workflow' {
  return kind === 'agent' || kind === 'team' || kind === 'workflow';
}
