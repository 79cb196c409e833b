/** Where the web console is served. The build of the console contains the same path. */
export const CONSOLE_PATH = '/console';
