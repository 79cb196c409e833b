// `npm run programs`: finds the programs that only some tests need, and downloads those that are missing.
import { PROGRAMS_OF_TESTS, provideProgram } from '../provision/programs.js';
import { describeFailure } from '../provision/provision-error.js';

try {
  for (const name of PROGRAMS_OF_TESTS) console.log(`${name}: ${(await provideProgram(name)).path}`);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
