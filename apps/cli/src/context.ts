import { Connection } from './connection.js';
import { EXIT_CODES, type ExitCode } from './errors.js';
import { ProfileStore } from './profiles.js';
import type { Terminal } from './terminal.js';

/** What the commands of one run of the program share. */
export class Context {
  readonly profiles: ProfileStore;
  exitCode: ExitCode = EXIT_CODES.done;
  /** The value of --profile. */
  profileName: string | undefined;

  constructor(readonly terminal: Terminal) {
    this.profiles = new ProfileStore(terminal.env);
  }

  /** Returns the clients of the selected profile. Throws a CommandError if there is none. */
  connect(): Connection {
    const profile = this.profiles.select(this.profileName, this.terminal.env);
    return new Connection(profile, (message) => this.terminal.note(message));
  }
}
