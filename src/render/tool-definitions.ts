import type { Tool } from '../../generated/types.js';

/**
 * Tools as templates print them: the fields that the reference knows, in its order, absent ones as null but for
 * `strict` and `defer_loading`.
 */
export function toolDefinitions(tools: readonly Tool[] | null): readonly object[] | null {
  return tools?.map(definition) ?? null;
}

function definition({ function: called }: Tool): object {
  const {
    name,
    description = null,
    parameters = null,
    strict,
    defer_loading,
  } = called as Tool['function'] & {
    defer_loading?: boolean | null;
  };
  return {
    type: 'function',
    function: {
      name,
      description,
      parameters,
      ...(strict != null && { strict }),
      ...(defer_loading != null && { defer_loading }),
    },
  };
}
