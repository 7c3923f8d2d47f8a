import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contender } from './contender.js';
import { libraryContender } from './library-contender.js';
import { serverContender } from './server-contender.js';
import { openAiCompletions, tokensInTokensOut } from './wire.js';

/** Where each peer is installed; those without a place don't take part. */
export interface PeerPlaces {
  /** Path of the default model's .gguf file: llama.cpp serves the same file. */
  gguf?: string | undefined;
  /** A folder with vLLM's virtual environment as `env` and the checkpoint as `smollm2`. */
  vllm?: string | undefined;
  /** Path of llama.cpp's llama-server. */
  llama?: string | undefined;
  /** A Python that has onnxruntime-genai. */
  genai?: string | undefined;
  /** A folder whose node_modules has @huggingface/transformers. */
  transformers?: string | undefined;
  /** A model folder of onnxruntime-genai's builder, with the weights as onnx/model_q4.onnx for transformers.js too. */
  onnxModel?: string | undefined;
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Programs that aren't compiled lie beside the sources. */
const source = (path: string): string => here(`../../../bench/serve/${path}`);

/** tito in one precision. */
export function tito(dtype: string, slots: number): Contender {
  return serverContender({
    name: 'tito',
    precision: dtype,
    command: process.execPath,
    args: (port) => [
      ...[here('../../src/cli.js'), 'serve', '--enable-scale-out', '--port', String(port)],
      ...['--dtype', dtype, '--max-num-seqs', String(slots), '--log-level', 'error'],
    ],
    wire: tokensInTokensOut,
  });
}

/** Each installed peer, in the configuration that was found to be its best on a small CPU machine. */
export function peers(places: PeerPlaces, slots: number): Contender[] {
  const { vllm, llama, genai, transformers, onnxModel, gguf } = places;
  const found: Contender[] = [];
  if (vllm) found.push(vllmServer(vllm, 'bfloat16', slots), vllmServer(vllm, 'float32', slots));
  if (llama && gguf) found.push(llamaServer(llama, gguf, slots));
  if (genai && onnxModel) {
    const args = [source('libraries/genai_batch.py'), onnxModel];
    found.push(libraryContender({ name: 'onnxruntime-genai', precision: 'int4', command: genai, args }));
  }
  if (transformers && onnxModel) {
    const args = [source('libraries/transformers-batch.mjs'), transformers, onnxModel, 'q4'];
    const command = process.execPath;
    found.push(libraryContender({ name: 'transformers.js', precision: 'int4', command, args }));
  }
  return found;
}

function vllmServer(folder: string, dtype: string, slots: number): Contender {
  const bin = join(folder, 'env', 'bin');
  if (!existsSync(join(bin, 'vllm'))) throw new Error(`${bin} has no vllm`);
  return serverContender({
    name: 'vLLM',
    precision: dtype,
    command: join(bin, 'vllm'),
    args: (port) => [
      ...['serve', 'smollm2', '--dtype', dtype, '--max-model-len', '4096', '--max-num-seqs', String(slots)],
      ...['--host', '127.0.0.1', '--port', String(port), '--enable-scale-out'],
    ],
    environment: {
      VLLM_CPU_KVCACHE_SPACE: '2',
      HF_HUB_OFFLINE: '1',
      // All cores compute; by default one is kept for the server.
      VLLM_CPU_OMP_THREADS_BIND: 'nobind',
      OMP_NUM_THREADS: String(availableParallelism()),
      PATH: `${bin}:${process.env.PATH}`,
    },
    workingDirectory: folder,
    wire: tokensInTokensOut,
  });
}

function llamaServer(command: string, gguf: string, slots: number): Contender {
  return serverContender({
    name: 'llama.cpp',
    precision: 'Q4_1',
    command,
    args: (port) => [
      ...['-m', gguf, '--host', '127.0.0.1', '--port', String(port)],
      ...[
        '-np',
        String(slots),
        '-c',
        String(slots * 2304),
        '-t',
        String(availableParallelism()),
        '--no-webui',
      ],
    ],
    wire: openAiCompletions('default'),
  });
}
