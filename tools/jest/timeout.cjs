// Set here because Jest ignores `testTimeout` of a project. Long, because tests and hooks start and stop servers, some of
// them one after the other, each of which can take more than 30 s on a slow machine.
jest.setTimeout(300_000);
