import type { GenerateRequest, MultiModalFeatures } from '../../generated/types.js';
import { modelNotFound, schemaFault, valueFault } from '../errors.js';
import { holdsHugeInteger } from './sampling-rules.js';
import type { GenerateSettings } from './settings.js';

const MULTIMODAL_PARTS = ['image_url', 'audio_url', 'video_url'];
const MAX_SALT = 128;

/** Rules on everything but sampling: model, prompt, output mode, salt, multimodal items. Throws a 400 or 404. */
export function checkRequest(request: GenerateRequest, settings: GenerateSettings): void {
  checkModel(request.model, settings);
  checkOutputMode(request, settings);
  checkFeatures(request);
  checkPrompt(request.token_ids, settings);
  checkSalt(request.cache_salt);
  checkParts(request);
  for (const field of ['kv_transfer_params', 'ec_transfer_params'] as const) {
    if (holdsHugeInteger(request[field])) {
      throw valueFault(null, `${field} holds an integer that does not fit 64 bits.`);
    }
  }
}

/** A 404 unless the name is absent or served. */
export function checkModel(name: string | null | undefined, { servedModelNames }: GenerateSettings): void {
  if (name != null && name !== '' && !servedModelNames.includes(name)) {
    throw modelNotFound(name, servedModelNames);
  }
}

function checkOutputMode(request: GenerateRequest, { tokenizer }: GenerateSettings): void {
  if (request.output_mode !== 'text') return;
  if (request.sampling_params.detokenize === false) {
    throw schemaFault(
      'body',
      "output_mode 'text' needs detokenize: leave detokenize out, or use output_mode 'tokens'.",
    );
  }
  if (!tokenizer) {
    throw valueFault(
      null,
      "output_mode 'text' needs a tokenizer, and this server loads none. Use output_mode 'tokens'.",
    );
  }
}

function checkPrompt(tokenIds: readonly number[], { engine }: GenerateSettings): void {
  const { vocabSize, maxModelLen } = engine;
  const wrong = tokenIds.find((id) => id >= vocabSize);
  if (wrong !== undefined) {
    throw valueFault(null, `Token id ${wrong} is out of vocabulary: token_ids must be below ${vocabSize}.`);
  }
  if (tokenIds.length >= maxModelLen) {
    throw valueFault(
      null,
      `The prompt has ${tokenIds.length} tokens; the model's length is ${maxModelLen}, and at least one token of it ` +
        'is needed for the output. Shorten the prompt.',
    );
  }
}

function checkSalt(salt: unknown): void {
  if (salt === undefined || salt === null) return;
  if (typeof salt !== 'string' || salt === '') {
    throw valueFault('cache_salt', 'cache_salt must be a string that is not empty.');
  }
  if (salt.length > MAX_SALT || /[@/\\\0]/.test(salt)) {
    throw valueFault(
      'cache_salt',
      `cache_salt must have at most ${MAX_SALT} characters, none of @, /, \\ or NUL.`,
    );
  }
}

function checkParts({ content_parts, features }: GenerateRequest): void {
  if (content_parts?.some(({ type }) => MULTIMODAL_PARTS.includes(type ?? ''))) {
    throw valueFault(null, 'This model reads text only: content_parts may hold no image, audio or video.');
  }
  if (content_parts?.length && features) {
    throw schemaFault('body', 'features and content_parts exclude each other.');
  }
}

function checkFeatures({ features, token_ids }: GenerateRequest): void {
  if (!features) return;
  checkSameItems(features);
  const ranges = Object.values(features.mm_placeholders).flat();
  const sorted = ranges.toSorted((a, b) => a.offset - b.offset);
  const overlaps = sorted.some(
    ({ offset }, i) => i > 0 && offset < sorted[i - 1]!.offset + sorted[i - 1]!.length,
  );
  const isOrdered = Object.values(features.mm_placeholders).every((list) =>
    list.every(({ offset }, i) => i === 0 || offset >= list[i - 1]!.offset),
  );
  if (overlaps || !isOrdered) {
    throw schemaFault('body.features', 'mm_placeholders must be in order and must not overlap.');
  }
  if (ranges.some(({ offset, length }) => offset + length > token_ids.length)) {
    throw schemaFault('body', 'mm_placeholders must lie inside token_ids.');
  }
  if (ranges.length > 0) throw valueFault(null, 'This model reads text only: features may hold no items.');
}

function checkSameItems({ mm_hashes, mm_placeholders }: MultiModalFeatures): void {
  const modalities = (map: object): string => Object.keys(map).sort().join();
  if (modalities(mm_hashes) !== modalities(mm_placeholders)) {
    throw schemaFault('body.features', 'mm_hashes and mm_placeholders must name the same modalities.');
  }
  for (const [modality, hashes] of Object.entries(mm_hashes)) {
    if (hashes.length !== mm_placeholders[modality]?.length) {
      throw schemaFault(
        'body.features',
        `mm_hashes and mm_placeholders of ${modality} must be equally long.`,
      );
    }
  }
}
