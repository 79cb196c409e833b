import { useState } from 'react';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { CodeBlock } from '../../ui/code-block';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { CopyButton } from '../../ui/copy-button';
import { Section } from '../../ui/section';
import { useRotateJobWebhook, type Job } from './build.queries';

interface JobWebhookProps {
  readonly job: Job;
  readonly url: string;
}

const URL_FIELD = 'webhook-url';
const SECRET_FIELD = 'webhook-secret';
const FIELD = 'h-8 min-w-0 flex-1 rounded-sm border border-edge bg-sunken px-2 font-mono';

/** Where another system calls, with which secret, and a call to try it. */
export function JobWebhook({ job, url }: JobWebhookProps) {
  const session = useSession();
  const rotate = useRotateJobWebhook(job.id);
  const [isShown, setShown] = useState(false);
  const [isAsking, setAsking] = useState(false);
  return (
    <Section
      title="Webhook"
      actions={
        <Button disabledReason={missingScope(session, 'tasks:execute')} onClick={() => setAsking(true)}>
          Replace the secret
        </Button>
      }
    >
      <div className="flex gap-2">
        <input id={URL_FIELD} aria-label="Webhook address" readOnly value={url} className={FIELD} />
        <CopyButton text={url} fieldId={URL_FIELD} />
      </div>
      {job.webhook_secret === null ? (
        <p className="text-quiet">Only the user for whom the job runs, and administrators, see its secret.</p>
      ) : (
        <div className="flex gap-2">
          <input
            id={SECRET_FIELD}
            aria-label="Webhook secret"
            readOnly
            type={isShown ? 'text' : 'password'}
            value={job.webhook_secret}
            className={FIELD}
          />
          <Button onClick={() => setShown(!isShown)}>{isShown ? 'Hide' : 'Show'}</Button>
          <CopyButton text={job.webhook_secret} fieldId={SECRET_FIELD} />
        </div>
      )}
      <details>
        <summary>Call it from a shell</summary>
        <CodeBlock label="A call" text={callOf(url, job.webhook_signature)} />
      </details>
      {isAsking && (
        <ConfirmDialog
          title="Replace the secret of the webhook?"
          action="Replace it"
          isBusy={rotate.isPending}
          error={rotate.error}
          onConfirm={() => rotate.mutate(undefined, { onSuccess: () => setAsking(false) })}
          onClose={() => setAsking(false)}
        >
          <p>Calls that are signed with the present secret are refused from now on.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}

/** What a sender signs, and the headers it sends. */
const SIGNED: Readonly<Record<string, { readonly text: string; readonly headers: string }>> = {
  standard: { text: '$BODY', headers: '-H "X-Webhook-Signature: sha256=$SIGNATURE"' },
  github: { text: '$BODY', headers: '-H "X-Hub-Signature-256: sha256=$SIGNATURE"' },
  stripe: { text: '$NOW.$BODY', headers: '-H "Stripe-Signature: t=$NOW,v1=$SIGNATURE"' },
  slack: {
    text: 'v0:$NOW:$BODY',
    headers: '-H "X-Slack-Request-Timestamp: $NOW" -H "X-Slack-Signature: v0=$SIGNATURE"',
  },
};

function callOf(url: string, sender: string): string {
  const start = ["WEBHOOK_SECRET='…'", `BODY='{"text": "hello"}'`];
  const post = `-H 'Content-Type: application/json' -d "$BODY"`;
  const signed = SIGNED[sender];
  if (signed === undefined)
    return [...start, `curl -sS --fail-with-body "${url}?secret=$WEBHOOK_SECRET" ${post}`].join('\n');
  return [
    ...start,
    ...(signed.text.includes('$NOW') ? ['NOW=$(date +%s)'] : []),
    `SIGNATURE=$(printf '%s' "${signed.text}" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" | sed 's/^.* //')`,
    `curl -sS --fail-with-body '${url}' ${signed.headers} \\`,
    `  ${post}`,
  ].join('\n');
}
