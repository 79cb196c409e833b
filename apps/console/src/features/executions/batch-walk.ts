import { ApiError, type ControlPlaneComponents } from '@app/api-client';

export type BulkResult = ControlPlaneComponents['schemas']['BulkResultResponse'];

export interface BatchPort {
  readonly readPage: (cursor: string | undefined) => Promise<{ readonly ids: string[]; readonly next: string | null }>;
  /** Applies the action; once for one key, however often it is called. */
  readonly apply: (ids: string[], key: string) => Promise<readonly BulkResult[]>;
}

interface Batch {
  readonly ids: string[];
  readonly key: string;
}

/** Takes an action to all pages of a list, to each row once, also if answers are lost on the way. */
export class BatchWalk {
  /** Where the next page begins; null: there is none. */
  private cursor: string | null | undefined;
  /** What was sent and has no answer yet, or has to be done again. */
  private open: Batch | undefined;

  constructor(private readonly port: BatchPort) {}

  get isDone(): boolean {
    return this.cursor === null && this.open === undefined;
  }

  /**
   * Takes the action to one page, or to what is left of the one before. Calls back with the results that are final.
   * Rejects if there was no answer, or if the server failed on some of the ids: the next step repeats these only.
   */
  async step(onResults: (results: readonly BulkResult[]) => void): Promise<void> {
    const batch = (this.open ??= await this.nextBatch());
    const results = batch.ids.length === 0 ? [] : await this.port.apply(batch.ids, batch.key);
    const failed = results.filter(({ ok, status }) => !ok && status >= 500);
    // Another key: under the one before, the server knows the failures.
    this.open = failed.length === 0 ? undefined : newBatch(failed.map(({ execution_id }) => execution_id));
    onResults(results.filter((result) => !failed.includes(result)));
    const [first] = failed;
    if (first !== undefined) throw new ApiError(first.status, null, { detail: first.detail }, null);
  }

  private async nextBatch(): Promise<Batch> {
    const { ids, next } = await this.port.readPage(this.cursor ?? undefined);
    this.cursor = next;
    return newBatch(ids);
  }
}

function newBatch(ids: string[]): Batch {
  return { ids, key: crypto.randomUUID() };
}
