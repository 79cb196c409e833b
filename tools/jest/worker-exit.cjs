// Ends a worker of Jest when Jest asks for it. Without this, connections that outlive the test files, such as those of the
// shared platform, would keep the worker alive until Jest kills it and prints "failed to exit gracefully".

/** The message of jest-worker that ends a worker, `CHILD_MESSAGE_END`. */
const END = 2;

if (process.send !== undefined) process.on('message', ([type]) => type === END && process.exit(0));
