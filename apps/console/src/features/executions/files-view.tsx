import { useList } from '../../api/list';
import { useSession } from '../../session/session-context';
import { Button } from '../../ui/button';
import { FailurePanel } from '../../ui/failure-panel';
import { PagedTable } from '../../ui/paged-table';
import { Row } from '../../ui/row';
import { Time } from '../../ui/time';
import { filesQuery, useFileContent, type Recorded } from './record.queries';

const COLUMNS = ['File', 'Type', 'Bytes', 'Saved', 'Actions'];

/** The files that a run left, to keep on the own machine. They are never shown: they can be anything. */
export function FilesView({ execution }: { readonly execution: Recorded }) {
  const list = useList(filesQuery(useSession(), execution));
  const content = useFileContent(execution.id);
  const save = (name: string): void =>
    content.mutate(name, { onSuccess: (blob) => saveAs(blob, name.split('/').at(-1) ?? name) });
  return (
    <>
      <PagedTable list={list} many="files" columns={COLUMNS} empty="It left no files.">
        {({ name, content_type, size, created_at }, place) => (
          <Row
            key={name}
            place={place}
            head={name}
            cells={[
              content_type,
              size.toLocaleString('en'),
              <Time key="saved" at={created_at} none="" />,
              <Button key="save" aria-label={`Download ${name}`} isBusy={content.isPending} onClick={() => save(name)}>
                Download
              </Button>,
            ]}
          />
        )}
      </PagedTable>
      {content.error !== null && <FailurePanel error={content.error} />}
    </>
  );
}

function saveAs(blob: Blob, name: string): void {
  const url = URL.createObjectURL(new Blob([blob], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
