import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
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

/** What a policy was before, with its source on request. */
export function PolicyVersions({ policy }: { readonly policy: Policy }) {
  const query = useInfiniteQuery(versionsQuery(useSession(), policy.id));
  const [shown, setShown] = useState<number | null>(null);
  return (
    <Section title="Versions">
      <PagedTable
        query={query}
        many="versions"
        columns={['Version', 'Name', 'Enabled', 'Made', 'Actions']}
        empty="None."
      >
        {({ version, name, enabled, created_at }) => (
          <Row
            key={version}
            head={version}
            cells={[
              name,
              enabled ? 'yes' : 'no',
              <Time key="made" at={created_at} none="" />,
              <Button key="show" onClick={() => setShown(shown === version ? null : version)}>
                {shown === version ? 'Hide the source' : 'Show the source'}
              </Button>,
            ]}
          />
        )}
      </PagedTable>
      {shown !== null && <VersionSource policyId={policy.id} version={shown} />}
    </Section>
  );
}

function VersionSource({ policyId, version }: { readonly policyId: string; readonly version: number }) {
  const { data, error, isPending, refetch } = useQuery(versionQuery(useSession(), policyId, version));
  if (isPending) return <Skeleton rows={4} label="Loading the source" />;
  if (data === undefined) return <FailurePanel error={error} onRetry={() => void refetch()} />;
  return <CodeBlock label={`Source of version ${version}`} text={data.policy_content} />;
}
