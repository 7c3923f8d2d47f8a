import tab from '@bomb.sh/tab/commander';
import { Command } from 'commander';
import { version } from '../package-info.js';
import { conformCommand } from './conform-command.js';
import { examples } from './examples.js';
import { generateCommand } from './generate-command.js';
import { inspectCommand } from './inspect-command.js';
import { mockCommand } from './mock-command.js';
import { pullCommand } from './pull-command.js';
import { renderServerCommand, serveCommand } from './serve-command.js';

/** The command line. Commands load what they need when they run, so that help and completion come at once. */
export function createProgram(): Command {
  const program = new Command('tito')
    .description('Tokens in, tokens out: an inference server that speaks the scale-out API of vLLM.')
    .version(version)
    .showHelpAfterError('(--help says what there is)');
  examples(program, [
    ['Serve the default model', 'tito serve --enable-scale-out'],
    ['Then, in another terminal', 'tito generate "The capital of France is"'],
    ['Try any server against the contract', 'tito conform http://localhost:8000'],
    ['Completion for this shell (bash, zsh, fish)', 'source <(tito complete bash)'],
  ]);
  const commands = [
    serveCommand(),
    renderServerCommand(),
    pullCommand(),
    generateCommand(),
    conformCommand(),
    inspectCommand(),
    mockCommand(),
  ];
  for (const command of commands) {
    command.showHelpAfterError(`(tito ${command.name()} --help says what there is)`);
    program.addCommand(command);
  }
  tab(program);
  return program;
}
