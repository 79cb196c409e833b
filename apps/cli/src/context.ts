import { EXIT_CODES, type ExitCode } from './errors.js';
import { ProfileStore } from './profiles.js';
import type { Terminal } from './terminal.js';

/** The dependencies that the commands of one run share. */
export class CommandContext {
  readonly profiles: ProfileStore;
  exitCode: ExitCode = EXIT_CODES.done;
  /** The value of --profile. */
  profileName: string | undefined;

  constructor(readonly terminal: Terminal) {
    this.profiles = new ProfileStore(terminal.env);
  }
}
