/** A sliding window of time, and the number of requests that it admits. */
export interface Window {
  readonly lengthMs: number;
  readonly limit: number;
}

/** A window after a request was counted or denied. */
export interface WindowState extends Window {
  readonly remaining: number;
  /** Time at which the oldest counted request leaves the window, in milliseconds since the epoch. */
  readonly freesAt: number;
}

/** Whether a request is admitted. A denied request counts in no window. */
export interface WindowVerdict {
  readonly admitted: boolean;
  /** Milliseconds until the same request would be admitted if no other request arrives before; 0 if it is admitted. */
  readonly waitMs: number;
  /** States in the order of the windows. */
  readonly windows: readonly WindowState[];
}

/** The requests that count in a window, including an admitted one, and the time of the oldest of them. */
export interface Usage {
  readonly used: number;
  readonly oldestAt: number;
}

/** Builds the verdict from the usage of each window. */
export function verdictOf(windows: readonly Window[], waitMs: number, usages: readonly Usage[]): WindowVerdict {
  const states = windows.map((window, index): WindowState => {
    const { used, oldestAt } = usages[index] ?? { used: 0, oldestAt: 0 };
    return { ...window, remaining: Math.max(0, window.limit - used), freesAt: oldestAt + window.lengthMs };
  });
  return { admitted: waitMs === 0, waitMs, windows: states };
}
