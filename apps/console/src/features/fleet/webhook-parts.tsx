import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../api/list';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { ConfirmDialog } from '../../ui/confirm-dialog';
import { FailurePanel } from '../../ui/failure-panel';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { SecretDialog } from '../../ui/secret-dialog';
import { Section } from '../../ui/section';
import { Time } from '../../ui/time';
import type { RowPlace } from '../../ui/window-rows';
import { deliveriesQuery, useReplayDelivery, useRotateWebhook, useTestWebhook, type Delivery } from './fleet.queries';

interface WebhookPartsProps {
  readonly webhookId: string;
}

/** Tests a webhook, replaces its secret and shows what was delivered. */
export function WebhookParts({ webhookId }: WebhookPartsProps) {
  const test = useTestWebhook(webhookId);
  const list = useList(deliveriesQuery(useSession(), webhookId));
  return (
    <Section
      title="Deliveries"
      actions={
        <div className="flex gap-2">
          <Button onClick={() => void list.query.refetch()}>Refresh</Button>
          <Button isBusy={test.isPending} onClick={() => test.mutate()}>
            Send a test
          </Button>
          <Rotation webhookId={webhookId} />
        </div>
      }
    >
      {test.error !== null && <FailurePanel error={test.error} />}
      <PagedTable
        list={list}
        many="deliveries"
        columns={['Event', 'Status', 'Answer', 'Attempts', 'Next attempt', 'Execution', 'Created', 'Actions']}
        empty="Nothing was delivered yet."
      >
        {(delivery, place) => <DeliveryRow key={delivery.id} delivery={delivery} place={place} />}
      </PagedTable>
    </Section>
  );
}

function DeliveryRow({ delivery, place }: { readonly delivery: Delivery; readonly place: RowPlace }) {
  const { id, event_type, status, response_status, error, attempts, next_attempt_at, execution_id, created_at } =
    delivery;
  const replay = useReplayDelivery();
  return (
    <Row
      place={place}
      head={event_type}
      cells={[
        status,
        error ?? response_status,
        attempts,
        <Time key="next" at={next_attempt_at} none="" />,
        execution_id !== null && (
          <Link to="/executions/$id" params={{ id: execution_id }} className="text-accent underline">
            show
          </Link>
        ),
        <Time key="created" at={created_at} none="" />,
        <div key="replay">
          <Button isBusy={replay.isPending} disabled={status === 'pending'} onClick={() => replay.mutate(id)}>
            Send again
          </Button>
          {replay.error !== null && <FailurePanel error={replay.error} />}
        </div>,
      ]}
    />
  );
}

function Rotation({ webhookId }: WebhookPartsProps) {
  const rotate = useRotateWebhook(webhookId);
  const [open, setOpen] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const confirm = (): void =>
    rotate.mutate(undefined, {
      onSuccess: (made) => {
        setOpen(false);
        setSecret(made);
      },
    });
  return (
    <>
      <Button onClick={() => setOpen(true)}>Replace the secret</Button>
      {open && (
        <ConfirmDialog
          title="Replace the signing secret?"
          action="Replace it"
          kind="primary"
          isBusy={rotate.isPending}
          error={rotate.error}
          onConfirm={confirm}
          onClose={() => setOpen(false)}
        >
          <p>Deliveries are signed with the old secret as well for a day.</p>
        </ConfirmDialog>
      )}
      {secret !== null && (
        <SecretDialog title="The new secret" label="Signing secret" value={secret} onClose={() => setSecret(null)} />
      )}
    </>
  );
}
