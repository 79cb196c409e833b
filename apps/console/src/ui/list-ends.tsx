import type { List } from '../api/list';
import { Button } from './button';

interface ListEndsProps {
  readonly list: List<unknown>;
  /** What the rows are, in the plural. */
  readonly many: string;
}

/** Leads to the rows after those of a list that were read, and says when those before them are being read. */
export function ListEnds({ list: { query, readAfter }, many }: ListEndsProps) {
  return (
    <>
      {query.isFetchingPreviousPage && (
        <output className="fixed right-4 bottom-4 rounded-md border border-hairline bg-surface px-3 py-2">
          Loading newer {many}
        </output>
      )}
      {readAfter !== undefined && (
        <Button isBusy={query.isFetchingNextPage} onClick={() => void readAfter()}>
          Older {many}
        </Button>
      )}
    </>
  );
}
