/** A model of the Hugging Face hub as the command line names it. */
export interface HubName {
  /** `ORG/NAME`. */
  repository: string;
  /** What follows the colon: a file's path in the repository, or a quantisation such as `Q4_K_M`; null = nothing. */
  variant: string | null;
}

const NAME = /^([A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*)(?::(.+))?$/;

/** Read `ORG/NAME[:FILE or quantisation]`; null for what can't be a name on the hub, such as `./folder` or `a/b/c`. */
export function parseHubName(text: string): HubName | null {
  const [, repository, variant] = NAME.exec(text) ?? [];
  if (repository === undefined || /\.gguf$/i.test(repository)) return null;
  return { repository, variant: variant ?? null };
}
