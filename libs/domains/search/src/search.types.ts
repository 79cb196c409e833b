/** The kind of executions, which are found by id. `Searchable` entities declare the other kinds. */
export const EXECUTION = 'execution';

export interface FoundItem {
  readonly kind: string;
  readonly id: string;
  readonly name: string;
  readonly detail: string | null;
  readonly status: string | null;
}

export interface SearchRequest {
  readonly text: string;
  /** Absent: every kind. */
  readonly kinds?: readonly string[];
  readonly limit: number;
}
