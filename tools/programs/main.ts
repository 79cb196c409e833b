// `npm run programs`: finds the programs that only some tests need, and downloads those that are missing.
import { NPM_PROGRAMS, provideNpmProgram } from '../provision/npm-programs.js';
import { PROGRAMS_OF_TESTS, provideProgram } from '../provision/programs.js';
import { describeFailure } from '../provision/provision-error.js';

try {
  for (const name of PROGRAMS_OF_TESTS) console.log(`${name}: ${(await provideProgram(name)).path}`);
  for (const name of NPM_PROGRAMS) console.log(`${name}: ${(await provideNpmProgram(name)).path}`);
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
