import type { UseMutationResult } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useRef, type FormEvent, type ReactNode } from 'react';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import type { RunPreview as Preview } from './build.queries';
import { RunPreview } from './run-preview';

interface RunFormProps<Input> {
  /** Resolves to the id of the execution. */
  readonly run: UseMutationResult<string, Error, Input>;
  /** Tells what `run` would do. */
  readonly preview: UseMutationResult<Preview, Error, Input>;
  readonly inputOf: (data: FormData) => Input;
  /** What happens, on the button. */
  readonly action: string;
  /** The fields. */
  readonly children: ReactNode;
  /** Which executions are those of the thing. */
  readonly others: { readonly entity: string } | { readonly job: string };
}

/** Starts something and goes to its execution. */
export function RunForm<Input>({ run, preview, inputOf, action, children, others }: RunFormProps<Input>) {
  const session = useSession();
  const navigate = useNavigate();
  const form = useRef<HTMLFormElement>(null);
  const disabledReason = missingScope(session, 'tasks:execute');
  const look = (): void => {
    if (form.current?.reportValidity() === true) preview.mutate(inputOf(new FormData(form.current)));
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    run.mutate(inputOf(new FormData(event.currentTarget)), {
      onSuccess: (id) => void navigate({ to: '/executions/$id', params: { id } }),
    });
  };
  return (
    <form ref={form} onSubmit={submit} className="flex flex-col gap-3 rounded-md border border-hairline bg-surface p-3">
      {children}
      {preview.error !== null && <FailurePanel error={preview.error} />}
      {preview.data !== undefined && <RunPreview preview={preview.data} />}
      {run.error !== null && <FailurePanel error={run.error} />}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <Link to="/executions" search={others} className="text-accent underline">
          Its executions
        </Link>
        <span className="flex flex-wrap gap-2">
          <Button isBusy={preview.isPending} disabledReason={disabledReason} onClick={look}>
            Preview
          </Button>
          <Button type="submit" kind="primary" isBusy={run.isPending} disabledReason={disabledReason}>
            {action}
          </Button>
        </span>
      </div>
    </form>
  );
}
