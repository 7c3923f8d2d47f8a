/** A format of a structural tag, as XGrammar 0.2 knows them. */
type TagFormat = Readonly<{ type: string; [field: string]: unknown }>;

type Tag = TagFormat & Readonly<{ begin: string; content: TagFormat; end: string | readonly string[] }>;

const EMPTY: TagFormat = { type: 'grammar', grammar: 'root ::= ""' };
/** Any text as a format that ends, which the library wants where something may follow. */
const ANY_TEXT: TagFormat = { type: 'grammar', grammar: 'root ::= [^\\0]*' };
const ANY_OBJECT = { type: 'object', additionalProperties: true };

/** A structural tag in words of the library here; those of the older form are left as they are. */
export function libraryTag<Spec extends object>(spec: Spec): Spec {
  const { format } = spec as { format?: TagFormat };
  return format === undefined ? spec : { ...spec, format: libraryFormat(format) };
}

/**
 * A format in words of the library here, which is older: what it has no word for becomes the nearest that it can
 * say. Texts that may not come (`excludes`) are not kept out; what may be repeated in any order comes once, in the order
 * in which it is named; between calls, other text may come.
 */
function libraryFormat(format: TagFormat): TagFormat {
  switch (format.type) {
    case 'const_string':
      return format.value === '' ? EMPTY : format;
    case 'any_text':
      return { type: 'any_text' };
    case 'regex':
      return { type: 'regex', pattern: format.pattern };
    case 'json_schema':
      return schemaFormat(format);
    case 'optional':
      return maybe(format.content as TagFormat);
    case 'star':
    case 'plus':
      return { type: 'sequence', elements: choicesOf(format.content as TagFormat).map(maybe) };
    case 'sequence':
      return sequenceOf(format.elements as TagFormat[]);
    case 'or':
      return { type: 'or', elements: (format.elements as TagFormat[]).map(bounded) };
    case 'tag':
      return tagOf(format as Tag);
    case 'triggered_tags':
      return { ...format, tags: (format.tags as Tag[]).map(tagOf) };
    case 'tags_with_separator':
      return separated(format);
    default:
      return format;
  }
}

function maybe(format: TagFormat): TagFormat {
  return { type: 'or', elements: [bounded(format), EMPTY] };
}

function choicesOf(format: TagFormat): readonly TagFormat[] {
  return format.type === 'or' ? (format.elements as TagFormat[]) : [format];
}

function bounded(format: TagFormat): TagFormat {
  return format.type === 'any_text' ? ANY_TEXT : libraryFormat(format);
}

function sequenceOf(elements: readonly TagFormat[]): TagFormat {
  const tag = asTag(elements);
  return tag ? tagOf(tag) : { type: 'sequence', elements: elements.map(libraryFormat) };
}

/** Something between two texts, which is a tag by another name. */
function asTag(elements: readonly TagFormat[]): Tag | null {
  const [begin, content, end] = elements;
  const isTag = elements.length === 3 && begin!.type === 'const_string' && end!.type === 'const_string';
  return isTag
    ? { type: 'tag', begin: begin!.value as string, content: content!, end: end!.value as string }
    : null;
}

function tagOf({ begin, content, end }: Tag): TagFormat {
  if (typeof end === 'string') return { type: 'tag', begin, content: libraryFormat(content), end };
  const ends = end.map((value) => libraryFormat({ type: 'const_string', value }));
  return {
    type: 'sequence',
    elements: [{ type: 'const_string', value: begin }, bounded(content), { type: 'or', elements: ends }],
  };
}

/** Tags that follow each other; the library takes them only with a text between. */
function separated(format: TagFormat): TagFormat {
  const tags = format.tags as Tag[];
  if (format.separator !== '') return { ...format, tags: tags.map(tagOf) };
  const { at_least_one: isNeeded, stop_after_first: isSingle } = format;
  if (isNeeded && isSingle) return { type: 'or', elements: tags.map(tagOf) };
  return repeated(tags, isNeeded === true, isSingle === true);
}

/** Between the tags, other text may come. */
function repeated(tags: readonly Tag[], isNeeded: boolean, isSingle: boolean): TagFormat {
  const begins = tags.map(({ begin }) => begin);
  const triggers = begins.filter(
    (begin, at) =>
      begins.indexOf(begin) === at && !begins.some((other) => other !== begin && begin.startsWith(other)),
  );
  return {
    type: 'triggered_tags',
    triggers,
    tags: tags.map(tagOf),
    at_least_one: isNeeded,
    stop_after_first: isSingle,
  };
}

type Properties = Readonly<{ properties?: Record<string, unknown>; required?: readonly string[] }>;

function schemaFormat({ json_schema: schema, style = 'json' }: TagFormat): TagFormat {
  switch (style) {
    case 'qwen_xml':
      return { type: 'qwen_xml_parameter', json_schema: schema === true ? ANY_OBJECT : schema };
    case 'glm_xml':
      return argumentTags(schema, (key) => `<arg_key>${key}</arg_key><arg_value>`, '</arg_value>');
    case 'minimax_xml':
      return argumentTags(schema, (key) => `<parameter name="${key}">`, '</parameter>\n');
    default:
      return { type: 'json_schema', json_schema: schema };
  }
}

/** A tag for each argument, in the schema's order; those that are not required may be missing. */
function argumentTags(schema: unknown, begin: (key: string) => string, end: string): TagFormat {
  const { properties = {}, required = [] } = (schema === true ? {} : schema) as Properties;
  const tags = Object.entries(properties).map(([key, property]) => {
    const tag: Tag = { type: 'tag', begin: begin(key), content: valueFormat(property), end };
    return required.includes(key) ? tagOf(tag) : maybe(tag);
  });
  return tags.length === 0 ? { type: 'any_text' } : { type: 'sequence', elements: tags };
}

function valueFormat(property: unknown): TagFormat {
  const { type } = property as { type?: unknown };
  const isText = type === undefined || [type].flat().includes('string');
  return isText ? { type: 'any_text' } : { type: 'json_schema', json_schema: property };
}
