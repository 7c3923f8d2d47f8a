import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';

/** A file in a model repository of the Hugging Face hub. */
export interface HubFile {
  repository: string;
  revision: string;
  path: string;
}

/**
 * Download a file of a public repository (from `HF_ENDPOINT`, else huggingface.co) into `folder`. `onSize` is told how
 * many bytes have arrived. Returns the file's path; rejects with the reason in words.
 */
export async function fetchFromHub(
  { repository, revision, path }: HubFile,
  folder: string,
  onSize: (bytes: number) => void,
): Promise<string> {
  const { downloadFile } = await import('@huggingface/hub');
  const { HF_ENDPOINT } = process.env;
  const blob = await downloadFile({
    repo: { type: 'model', name: repository },
    path,
    revision,
    ...(HF_ENDPOINT && { hubUrl: HF_ENDPOINT.replace(/\/+$/, '') }),
  }).catch((error: unknown) => {
    throw new Error(`the Hugging Face hub did not give ${repository}/${path}: ${reason(error)}`);
  });
  if (!blob) throw new Error(`the Hugging Face hub has no file ${repository}/${path}`);
  const target = join(folder, 'download');
  let size = 0;
  const count = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length;
      onSize(size);
      done(null, chunk);
    },
  });
  await pipeline(Readable.fromWeb(blob.stream() as ReadableStream), count, createWriteStream(target));
  return target;
}

/** What went wrong beneath "fetch failed". */
function reason(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
