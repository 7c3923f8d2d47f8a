import type { AskedCalls, OwnCallSyntax } from '../parser.js';
import { argumentsSchema, schemaFormat, tagFormat, triggeredCalls } from '../tag-formats.js';

/** How calls in a section are written, for a grammar. */
export interface Section {
  begin: string;
  end: string;
  /** What stands between two calls. */
  separator: string;
  /** What begins a call of this function, and the format of what is in it, given that of its arguments. */
  call(name: string): { begin: string; content(argumentsFormat: object): object };
  callEnd: string;
  /** What text around the section must not hold. */
  excludes: readonly string[];
}

/** The grammar of calls in a section, as the reference asks for it. */
export function sectionSyntax(section: Section): OwnCallSyntax {
  return {
    format(asked) {
      const tags = asked.tools.map((tool) => {
        const { begin, content } = section.call(tool.function.name);
        return { begin, content: content(schemaFormat(argumentsSchema(tool))) };
      });
      if (asked.choice === 'named') {
        const { begin, content } = tags[0]!;
        return tagFormat(section.begin + begin, content, section.callEnd + section.end);
      }
      const calls = separatedCalls(
        tags.map(({ begin, content }) => tagFormat(begin, content, section.callEnd)),
        section.separator,
        asked,
      );
      const whole = tagFormat(section.begin, calls, section.end);
      return asked.choice === 'required'
        ? whole
        : triggeredCalls(section.begin, [whole], asked, section.excludes);
    },
  };
}

/** At least one call, and a text between any two. */
export function separatedCalls(tags: readonly object[], separator: string, { isSingle }: AskedCalls): object {
  return { type: 'tags_with_separator', tags, separator, at_least_one: true, stop_after_first: isSingle };
}
