/** What went wrong in a template, and where. */
export class TemplateFault extends Error {
  constructor(
    message: string,
    /** Counted from 1; null when it is not known. */
    readonly line: number | null,
  ) {
    super(message);
  }
}

/** Anything thrown as a fault of this line, unless its line is known already. */
export function faultAt(error: unknown, line: number | null): TemplateFault {
  if (error instanceof TemplateFault) return error;
  return new TemplateFault(error instanceof Error ? error.message || error.name : String(error), line);
}
