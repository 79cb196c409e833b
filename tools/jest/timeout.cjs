// Servers start and stop inside tests, and a busy machine takes its time. (A project's own `testTimeout` is not honoured.)
jest.setTimeout(30_000);
