// transformers.js behind the line protocol of library-contender.ts: transformers-batch.mjs PACKAGE_FOLDER MODEL_FOLDER DTYPE
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const [packageFolder, modelFolder, dtype] = process.argv.slice(2);
const entry = createRequire(join(resolve(packageFolder), 'package.json')).resolve(
  '@huggingface/transformers',
);
const { AutoModelForCausalLM, Tensor, env } = await import(pathToFileURL(entry).href);
env.allowRemoteModels = false;
env.localModelPath = '';
const model = await AutoModelForCausalLM.from_pretrained(resolve(modelFolder), { dtype, device: 'cpu' });

const int64 = (rows) =>
  new Tensor('int64', BigInt64Array.from(rows.flat(), BigInt), [rows.length, rows[0].length]);
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { prompts, outputTokens } = JSON.parse(line);
  const started = performance.now();
  const tokenTimes = [];
  let isPrompt = true;
  const streamer = {
    put() {
      if (!isPrompt) tokenTimes.push(performance.now() - started);
      isPrompt = false;
    },
    end() {},
  };
  await model.generate({
    inputs: int64(prompts),
    attention_mask: int64(prompts.map((prompt) => prompt.map(() => 1))),
    max_new_tokens: outputTokens,
    min_new_tokens: outputTokens,
    do_sample: true,
    temperature: 1,
    top_k: 0,
    streamer,
  });
  process.stdout.write(`${JSON.stringify({ tokenTimes })}\n`);
}
