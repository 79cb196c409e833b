/** What a start does while another execution of its session has not ended: wait, be refused, or run beside it. */
export const MULTITASK = ['enqueue', 'reject', 'parallel'] as const;
export type Multitask = (typeof MULTITASK)[number];

/** The session of a user. The same id names another session for each user. */
export interface SessionKey {
  readonly organizationId: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** The session that the runs of a runnable continue if their starts name none. */
export interface RunnableSession {
  readonly sessionId: string;
  /** The only user whose runs continue it; null: all users. */
  readonly userId: string | null;
  readonly multitask: Multitask | null;
}

/** A turn that a start asks for. */
export interface RequestedTurn {
  readonly sessionId: string;
  readonly userId: string;
  readonly multitask: Multitask;
}
