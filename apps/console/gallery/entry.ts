import type { ComponentType } from 'react';

export interface Entry {
  /** Name of the file in `ui/`, without its ending. */
  readonly part: string;
  /** The part that it loads when it is shown. */
  readonly inside?: string;
  readonly states: readonly ComponentType[];
}
