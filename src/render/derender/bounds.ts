import type { DerenderableChoice, DerenderableResponse } from '../../../generated/types.js';
import { valueFault } from '../../errors.js';
import type { RenderSettings } from '../settings.js';

/** Sequences that one derender may take. */
const MAX_SEQUENCES = 16_384;

/** Throws a 400 for more than any request of this model could give, before anything is decoded. */
export function checkBounds(responses: readonly DerenderableResponse[], settings: RenderSettings): void {
  const { maxModelLen } = settings;
  atMost('generate_responses', responses.length, MAX_SEQUENCES);
  for (const { choices, prompt_logprobs: scores } of responses) {
    atMost('choices', choices.length, MAX_SEQUENCES);
    for (const choice of choices) checkChoice(choice, settings);
    atMost('prompt_logprobs', scores?.length ?? 0, maxModelLen);
  }
}

function checkChoice(
  { index, token_ids: ids, logprobs }: DerenderableChoice,
  { maxModelLen, maxLogprobs }: RenderSettings,
): void {
  atMost(`token_ids of choice ${index}`, ids?.length ?? 0, maxModelLen);
  atMost(`logprobs of choice ${index}`, logprobs?.content?.length ?? 0, maxModelLen);
  if (maxLogprobs < 0) return;
  for (const { token_id: sampled, top_logprobs: top = [] } of logprobs?.content ?? []) {
    // The sampled token may come beside as many candidates as may be asked for.
    const candidates = top.filter(({ token_id: id }) => id !== sampled).length;
    atMost(`top_logprobs of choice ${index}`, candidates, maxLogprobs);
  }
}

/** Throws a 400 for a prompt that is longer than the model's length. */
export function checkPromptLength(ids: readonly number[] | null | undefined, longest: number): void {
  atMost('prompt_token_ids', ids?.length ?? 0, longest);
}

function atMost(what: string, count: number, most: number): void {
  if (count > most)
    throw valueFault(null, `${what} has ${count} entries; at most ${most} are possible here.`);
}
