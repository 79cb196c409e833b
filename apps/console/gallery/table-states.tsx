import { keysetQuery } from '../src/api/keyset';
import { useList } from '../src/api/list';
import { PagedTable } from '../src/ui/paged-table';
import { Row } from '../src/ui/row';
import { Table } from '../src/ui/table';
import { WindowRows } from '../src/ui/window-rows';
import type { Entry } from './entry';

const COLUMNS = ['Name', 'Runs'];

interface Agent {
  readonly name: string;
}

/** A list that ends like the given response. */
function List({ name, answer }: { readonly name: string; readonly answer: () => Promise<Agent[]> }) {
  const list = useList(
    keysetQuery<Agent>(['gallery', name], async () => {
      const data = await answer();
      return { data, response: new Response(null, { headers: { 'X-Next-Cursor': 'next' } }) };
    }),
  );
  return (
    <PagedTable list={list} many="agents" columns={COLUMNS} empty="There is no agent yet.">
      {(agent, place) => <Row key={agent.name} place={place} head={agent.name} cells={[0]} />}
    </PagedTable>
  );
}

export const TABLE_STATES: readonly Entry[] = [
  {
    part: 'table',
    states: [
      () => (
        <Table columns={COLUMNS} numbers={['Runs']}>
          <Row head="greeter" cells={[12]} />
        </Table>
      ),
    ],
  },
  {
    part: 'row',
    states: [
      () => (
        <Table columns={COLUMNS}>
          <Row head={'long '.repeat(40)} cells={['x'.repeat(200)]} />
        </Table>
      ),
    ],
  },
  {
    part: 'window-rows',
    states: [
      () => (
        <Table columns={['Name']}>
          <WindowRows items={['greeter', 'reviewer']}>
            {(name, place) => <Row key={name} head={name} cells={[]} place={place} />}
          </WindowRows>
        </Table>
      ),
    ],
  },
  {
    part: 'paged-table',
    inside: 'list-ends',
    states: [
      () => <List name="loading" answer={() => new Promise(() => undefined)} />,
      () => <List name="empty" answer={async () => []} />,
      () => <List name="filled" answer={async () => [{ name: 'greeter' }]} />,
      () => <List name="failed" answer={() => Promise.reject(new TypeError('Failed to fetch'))} />,
    ],
  },
];
