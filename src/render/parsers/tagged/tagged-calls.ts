import type { Tool } from '../../../../generated/types.js';
import type { OwnCallSyntax, ToolParser } from '../parser.js';
import { type CallGrammar, CallMachine, MACHINE_START, type MachineState } from './call-machine.js';
import { GatheredCalls } from './gathered-calls.js';
import { STREAMED_START, StreamedCalls, type StreamedState } from './streamed-calls.js';

/** A family whose calls have a tag for each argument. */
export interface TaggedFamily {
  grammar: CallGrammar;
  /** Calls of functions that the request does not know are left out. */
  knownNamesOnly: boolean;
  callSyntax: OwnCallSyntax | null;
}

type State = Readonly<{ machine: MachineState; streamed: StreamedState }>;

/**
 * Calls whose arguments are text between tags, which becomes JSON of the types that the tool's schema gives. Where an
 * output ends within an argument, the stream stops there, and the whole form leaves the argument out.
 */
export function taggedCalls({ grammar, knownNamesOnly, callSyntax }: TaggedFamily): ToolParser<State> {
  const machine = new CallMachine(grammar);

  function callable(tools: readonly Tool[]): (name: string) => boolean {
    const isOpen = !knownNamesOnly || tools.length === 0;
    return (name) => name !== '' && (isOpen || tools.some((tool) => tool.function.name === name));
  }

  return {
    needsSpecialTokens: true,
    alwaysReads: true,
    callSyntax,
    start: () => ({ machine: MACHINE_START, streamed: STREAMED_START }),
    push(state, text, tools) {
      const sink = new StreamedCalls(state.streamed, tools, callable(tools));
      const next = machine.push(state.machine, text, false, sink);
      return { piece: sink.piece, state: { machine: next, streamed: sink.state } };
    },
    end(state, tools) {
      const sink = new StreamedCalls(state.streamed, tools, callable(tools));
      machine.push(state.machine, '', true, sink);
      sink.finish();
      return sink.piece;
    },
    whole(text, tools) {
      const sink = new GatheredCalls(tools, callable(tools));
      machine.push(MACHINE_START, text, true, sink);
      return sink.found;
    },
  };
}
