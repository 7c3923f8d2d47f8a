import { StartupError } from '../../errors.js';

/** A file of a repository, at one commit. */
export interface RemoteFile {
  path: string;
  /** Size in bytes. */
  size: number;
  /** What the hub calls its content: SHA-256 of large files, the git blob's SHA-1 of others. */
  oid: string;
}

/** One revision of a repository. */
export interface RemoteCommit {
  repository: string;
  /** 40 hexadecimal digits. */
  commit: string;
}

/** The hub did not answer, or said that it can't now: what is cached may serve instead. */
export class HubUnreachable extends Error {}

const PUBLIC_HUB = 'https://huggingface.co';
const SHA1 = /^[0-9a-f]{40}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/**
 * What tito asks of the Hugging Face hub, at `HF_ENDPOINT` with the token of `HF_TOKEN` or `HUGGING_FACE_HUB_TOKEN`.
 * Throws a StartupError that says what to do, or HubUnreachable. No message holds the token.
 */
export class HubClient {
  readonly #url: string;
  readonly #token: string | undefined;
  /** `X-Error-Code` of the last refusal; the library doesn't keep it. */
  #refusal: string | null = null;

  constructor(env: NodeJS.ProcessEnv = process.env) {
    this.#url = (env.HF_ENDPOINT || PUBLIC_HUB).replace(/\/+$/, '');
    this.#token = env.HF_TOKEN?.trim() || env.HUGGING_FACE_HUB_TOKEN?.trim() || undefined;
    if (this.#token !== undefined && !this.#token.startsWith('hf_')) {
      throw new StartupError('HF_TOKEN is not a token of the Hugging Face hub: those begin with hf_.');
    }
  }

  /** The commit that a branch, tag or commit stands for. */
  async commit(repository: string, revision: string): Promise<RemoteCommit> {
    const { modelInfo } = await import('@huggingface/hub');
    const ask = modelInfo({ ...this.#access(), name: repository, revision, additionalFields: ['sha'] });
    const { sha } = await this.#answer(repository, revision, ask);
    if (!SHA1.test(sha)) throw new StartupError(`${this.#url} gave no commit for ${repository}.`);
    return { repository, commit: sha };
  }

  /** Every file of a commit. */
  async files({ repository, commit }: RemoteCommit): Promise<RemoteFile[]> {
    const { listFiles } = await import('@huggingface/hub');
    const list = async (): Promise<RemoteFile[]> => {
      const found: RemoteFile[] = [];
      const asked = { ...this.#access(), repo: this.#repo(repository), revision: commit, recursive: true };
      for await (const { type, path, size, oid, lfs } of listFiles(asked)) {
        if (type === 'file') found.push(checked({ path, size, oid: lfs?.oid ?? oid ?? '' }));
      }
      return found;
    };
    return this.#answer(repository, commit, list());
  }

  /** The file's bytes, readable from any place on. */
  async open({ repository, commit }: RemoteCommit, path: string): Promise<Blob> {
    const { downloadFile } = await import('@huggingface/hub');
    const ask = downloadFile({ ...this.#access(), repo: this.#repo(repository), path, revision: commit });
    const blob = await this.#answer(repository, commit, ask);
    if (!blob) throw new StartupError(`${this.#url} has no file ${path} in ${repository}.`);
    return blob;
  }

  /** Turn what went wrong while a file was read into one of the errors above. */
  explain(repository: string, revision: string, error: unknown): unknown {
    const status = (error as { statusCode?: number }).statusCode;
    if (error instanceof StartupError || error instanceof HubUnreachable) return error;
    if (status === undefined) return new HubUnreachable(`${this.#url} can't be reached: ${reason(error)}`);
    if (status === 429 || status >= 500) {
      return new HubUnreachable(`${this.#url} answers ${status}: ${(error as Error).message}`);
    }
    return new StartupError(this.#refused(repository, revision, status, error as Error));
  }

  #access(): { hubUrl: string; fetch: typeof fetch; accessToken?: string } {
    const access = { hubUrl: this.#url, fetch: this.#fetch };
    return this.#token === undefined ? access : { ...access, accessToken: this.#token };
  }

  #repo(name: string): { type: 'model'; name: string } {
    return { type: 'model', name };
  }

  readonly #fetch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    if (!response.ok) this.#refusal = response.headers.get('x-error-code');
    return response;
  };

  async #answer<T>(repository: string, revision: string, asked: Promise<T>): Promise<T> {
    try {
      return await asked;
    } catch (error) {
      throw this.explain(repository, revision, error);
    }
  }

  #refused(repository: string, revision: string, status: number, error: Error): string {
    const withToken = this.#token !== undefined;
    if (this.#refusal === 'RevisionNotFound')
      return `${repository} has no revision "${revision}" on ${this.#url}.`;
    if (this.#refusal === 'GatedRepo' || (status === 403 && /gated|restricted|access/i.test(error.message))) {
      return `${repository} is gated. Accept its terms at ${this.#url}/${repository}${
        withToken
          ? ' with the account whose token HF_TOKEN is.'
          : ', then set HF_TOKEN to a token of that account.'
      }`;
    }
    if (status === 401 && withToken && this.#refusal !== 'RepoNotFound') {
      return `${this.#url} does not accept the token in HF_TOKEN. Set one that is valid, or none for public models.`;
    }
    if (status === 401 || status === 404) {
      return `${this.#url} has no model ${repository} that can be seen ${withToken ? 'with this token' : 'without a token'}. ${
        withToken ? 'Check the name.' : 'Check the name; if it is private, set HF_TOKEN.'
      }`;
    }
    return `${this.#url} refuses ${repository} with status ${status}: ${error.message}`;
  }
}

/** A listing is the hub's word; what it calls a file must not lead out of the folder that it is put in. */
function checked(file: RemoteFile): RemoteFile {
  const parts = file.path.split(/[\\/]/);
  const isPlain = parts.every((part) => part !== '' && part !== '.' && part !== '..' && !/[\0:]/.test(part));
  if (!isPlain)
    throw new StartupError(`The hub lists a file ${JSON.stringify(file.path)}, which is no name of a file.`);
  if (!(SHA1.test(file.oid) || SHA256.test(file.oid)) || !Number.isSafeInteger(file.size) || file.size < 0) {
    throw new StartupError(`The hub lists ${file.path} without its hash or its size.`);
  }
  return file;
}

/** What went wrong beneath "fetch failed". */
export function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
