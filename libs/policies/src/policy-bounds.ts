/**
 * The most that may be evaluated together. The programs of all of it are kept at once, at up to 300 bytes for each byte
 * here, so the second bound is one on memory, too.
 */
export const BOUNDS = { policies: 500, bytes: 1024 * 1024 } as const;

/** Nothing is cut off: a policy that was left out might be the one that denies. */
export const TOO_MANY = `More policies apply than can be evaluated together: at most ${BOUNDS.policies}, of ${BOUNDS.bytes} bytes in all`;
