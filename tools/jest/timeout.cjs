// Set here because Jest ignores `testTimeout` of a project. Long, because tests and hooks start and stop servers, which
// can take more than 30 s on a slow machine.
jest.setTimeout(120_000);
