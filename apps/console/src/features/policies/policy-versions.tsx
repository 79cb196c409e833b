import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useList } from '../../api/list';
import type { Tagged } from '../../api/entity-tag';
import { missingScope } from '../../resource/missing-scope';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { CodeBlock } from '../../ui/code-block';
import { FailurePanel } from '../../ui/failure-panel';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { Section } from '../../ui/section';
import { Skeleton } from '../../ui/skeleton';
import { Time } from '../../ui/time';
import { versionQuery, versionsQuery, type Policy } from './policies.queries';
import { comparedVersions, comparing } from './policies.search';
import { StoreDialog } from './store-dialog';
import { usePolicySearch } from './use-policy-search';
import { VersionComparison } from './version-comparison';

interface PolicyProps {
  readonly policy: Tagged<Policy>;
}

/** What a policy was before: each version with its source, compared with another one, and restored. */
export function PolicyVersions({ policy }: PolicyProps) {
  const session = useSession();
  const list = useList(versionsQuery(session, policy.id));
  const [shown, setShown] = useState<number | null>(null);
  const [restored, setRestored] = useState<Restored | null>(null);
  const [search, show] = usePolicySearch(policy.id);
  const pair = comparedVersions(search);
  const actionsOf = (version: number) => (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => setShown(shown === version ? null : version)}>
        {shown === version ? 'Hide the source' : 'Show the source'}
      </Button>
      {version !== policy.version && (
        <>
          <Button onClick={() => show(comparing(search, { from: version, to: policy.version }))}>Compare</Button>
          <Button
            disabledReason={missingScope(session, 'admin')}
            onClick={() => setRestored({ version, over: policy })}
          >
            Restore
          </Button>
        </>
      )}
    </div>
  );
  return (
    <Section title="Versions">
      <PagedTable list={list} many="versions" columns={['Version', 'Name', 'Enabled', 'Made', 'Actions']} empty="None.">
        {({ version, name, enabled, created_at }, place) => (
          <Row
            key={version}
            place={place}
            head={version}
            cells={[name, enabled ? 'yes' : 'no', <Time key="made" at={created_at} none="" />, actionsOf(version)]}
          />
        )}
      </PagedTable>
      {shown !== null && <VersionSource policyId={policy.id} version={shown} />}
      {pair !== null && (
        <VersionComparison
          policyId={policy.id}
          pair={pair}
          versions={list.items.map(({ version }) => version)}
          onChange={(next) => show(comparing(search, next))}
        />
      )}
      {restored !== null && <RestoreDialog {...restored} onClose={() => setRestored(null)} />}
    </Section>
  );
}

function VersionSource({ policyId, version }: { readonly policyId: string; readonly version: number }) {
  const { data, error, isPending, refetch } = useQuery(versionQuery(useSession(), policyId, version));
  if (isPending) return <Skeleton rows={4} label="Loading the source" />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  return <CodeBlock label={`Source of version ${version}`} text={data.policy_content} />;
}

interface Restored {
  readonly version: number;
  /** What its source replaces, as the person saw it. */
  readonly over: Tagged<Policy>;
}

function RestoreDialog({ version, over, onClose }: Restored & { readonly onClose: () => void }) {
  const { data } = useQuery(versionQuery(useSession(), over.id, version));
  if (data === undefined) return null;
  return (
    <StoreDialog
      title={`Restore the source of version ${version}?`}
      over={over}
      content={data.policy_content}
      onClose={onClose}
      onStored={() => undefined}
    />
  );
}
