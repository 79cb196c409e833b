/**
 * The most that may be evaluated together. The programs of all of it are kept at once, at up to 300 bytes for each byte
 * here, so the second bound is one on memory, too.
 */
export const BOUNDS = { policies: 500, bytes: 1024 * 1024 } as const;
