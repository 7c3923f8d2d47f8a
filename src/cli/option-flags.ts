import { type Command, Option as Flag } from 'commander';
import { environmentNames, type GivenOptions, OPTIONS, type Option, type OptionName } from '../config.js';

/** Give a command the flags of the option table, without those of `left`. */
export function addOptions(command: Command, left: ReadonlySet<OptionName> = new Set()): void {
  for (const [name, option] of Object.entries<Option>(OPTIONS)) {
    if (!left.has(name as OptionName)) for (const flag of flagsOf(option)) command.addOption(flag);
  }
}

/** Commander's names are made from flags; the option table has names of its own. Flags not given are left out. */
export function givenOptions(command: Command, given: Record<string, unknown>): GivenOptions {
  const entries = Object.entries<Option>(OPTIONS).flatMap(([name, { flag }]) => {
    const key = flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return command.getOptionValueSource(key) === 'cli' ? [[name, given[key]]] : [];
  });
  return Object.fromEntries(entries) as GivenOptions;
}

function flagsOf(option: Option): Flag[] {
  const help = helpOf(option);
  switch (option.kind) {
    case 'switch': {
      const on = new Flag(`--${option.flag}`, help);
      return option.default ? [on, new Flag(`--no-${option.flag}`, 'The opposite.')] : [on];
    }
    case 'list':
      return [new Flag(`--${option.flag} <value...>`, help)];
    default:
      return [new Flag(`--${option.flag} <value>`, help)];
  }
}

function helpOf(option: Option): string {
  const choices = option.kind === 'text' && option.choices ? ` One of ${option.choices.join(', ')}.` : '';
  const notes = [
    ...(option.kind !== 'list' && option.default !== null ? [`default: ${option.default}`] : []),
    `env: ${environmentNames(option).join(', ')}`,
  ];
  return `${option.help}${choices} (${notes.join('; ')})`;
}
