import { fileURLToPath } from 'node:url';

/** The file that a thread runs. Jest, which runs the sources, maps this module to tools/jest/policy-thread-file.cjs. */
export const THREAD_FILE = fileURLToPath(new URL('./thread-main.js', import.meta.url));
