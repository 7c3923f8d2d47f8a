/** Takes what is found in an output with tagged calls, in order. Texts come in pieces. */
export interface CallSink {
  content(text: string): void;
  /** What comes is no content, and may be a call. */
  leaveContent(): void;
  beginCall(): void;
  name(text: string): void;
  /** The name is whole. */
  beginArguments(): void;
  beginValue(argument: string): void;
  value(text: string): void;
  /** `isClosed`: by a tag, and not by the end of the call. */
  endValue(isClosed: boolean): void;
  /** `isClosed`: by a marker, and not by the end of the output. */
  endCall(isClosed: boolean): void;
}
