import { Command } from 'commander';
import { type Config, ENGINE_ONLY, resolveConfig } from '../config.js';
import { readConfigFile } from './config-file.js';
import { examples } from './examples.js';
import { addOptions, givenOptions } from './option-flags.js';

const MODEL =
  'a path, or a name on the Hugging Face hub: ORG/NAME, ORG/NAME:FILE.gguf or ORG/NAME:Q4_K_M; ' +
  'default: SmolLM2-135M-Instruct, fetched when it is not cached';

/** `tito serve`: everything. */
export function serveCommand(): Command {
  const command = withConfig(new Command('serve').description('Serve a model over HTTP.'), false);
  addOptions(command);
  return examples(command, [
    ['The default model, with the token paths', 'tito serve --enable-scale-out'],
    [
      'A model of the Hugging Face hub',
      'tito serve HuggingFaceTB/SmolLM2-360M-Instruct-GGUF --enable-scale-out',
    ],
    ['A model of your own, on every interface', 'tito serve model.gguf --host 0.0.0.0 --api-key secret'],
    ['For a trainer: new weights while requests run', 'tito serve --enable-scale-out --enable-rl-control'],
    ['Options from a file, one of them overridden', 'tito serve --config tito.yaml --port 9000'],
  ]);
}

/** `tito render-server`: text only. */
export function renderServerCommand(): Command {
  const command = withConfig(
    new Command('render-server').description(
      'Serve render, derender and the tokenizer alone: no weights, no engine.',
    ),
    true,
  );
  addOptions(command, ENGINE_ONLY);
  return examples(command, [['Beside a server of tokens', 'tito render-server model.gguf --port 8001']]);
}

function withConfig(command: Command, renderOnly: boolean): Command {
  return command
    .argument('[model]', MODEL)
    .option('--config <file>', 'YAML of options; flags and the environment win over it. (env: TITO_CONFIG)')
    .action(async (model: string | undefined, given: Record<string, unknown>) => {
      const config = configOf(command, model, given, renderOnly);
      const { serve } = await import('../server/listen.js');
      await serve(config);
    });
}

function configOf(
  command: Command,
  model: string | undefined,
  given: Record<string, unknown>,
  renderOnly: boolean,
): Config {
  const path = (given.config as string | undefined) ?? (process.env.TITO_CONFIG || undefined);
  const file = readConfigFile(path);
  const options = givenOptions(command, given);
  return resolveConfig(model ?? file.model, options, process.env, renderOnly, file.given);
}
