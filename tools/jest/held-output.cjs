// Holds what a test file writes to the standard streams, mostly log lines of expected errors, and prints it only if a test
// fails. Only in a worker of Jest: its own process also prints the results.

/** Returns the function that ends it. Its parameter: whether to print what was written. */
exports.holdOutput = () => {
  if (process.send === undefined) return () => undefined;
  const held = [];
  const releases = [process.stdout, process.stderr].map((stream) => {
    const original = Object.getOwnPropertyDescriptor(stream, 'write');
    stream.write = (chunk, ...others) => {
      held.push(Buffer.from(chunk));
      const callback = others.find((other) => typeof other === 'function');
      if (callback !== undefined) process.nextTick(callback);
      return true;
    };
    return () => {
      if (original === undefined) delete stream.write;
      else Object.defineProperty(stream, 'write', original);
    };
  });
  return (hasFailed) => {
    for (const release of releases) release();
    if (hasFailed) process.stderr.write(Buffer.concat(held));
  };
};
