/**
 * Rollouts in groups, over a change of weights in mid-generation: node examples/rollout-worker.mjs [URL]
 * The server needs --enable-rl-control. Writes a line of JSON a sample.
 */
import { Tito } from '@titokens/client';

const GROUP = 4;
const MAX_TOKENS = 400;
// While the server is paused it answers 503, and the client waits.
const client = new Tito({ baseUrl: process.argv[2] ?? 'http://localhost:8000', retries: 60 });

/** Yours goes here. */
const rewardOf = (ids) => new Set(ids).size / ids.length;

/** Continue a sample from its own ids for as long as pauses cut it short. */
async function finished(prompt, sample) {
  let { ids, logprobs, versions, reason } = sample;
  while (reason === 'abort') {
    const sampling_params = { temperature: 1, max_tokens: MAX_TOKENS - ids.length, logprobs: 0 };
    const answer = await client.generate({ token_ids: [...prompt, ...ids], sampling_params });
    const more = sampleOf(answer.choices[0], ids.length);
    ids = [...ids, ...more.ids];
    logprobs = [...logprobs, ...more.logprobs];
    versions = [...versions, ...more.versions];
    reason = more.reason;
  }
  return { ids, logprobs, versions, reason };
}

/** What a choice brings, its weight versions moved behind `offset` earlier tokens. */
const sampleOf = ({ token_ids, logprobs, weight_versions, finish_reason }, offset) => ({
  ids: token_ids,
  logprobs: logprobs?.content.map(({ logprob }) => logprob) ?? [],
  versions: (weight_versions ?? []).map(({ version, start, end }) => ({
    version,
    start: start + offset,
    end: end + offset,
  })),
  reason: finish_reason,
});

/** The trainer's part: running requests end with what they have, then go on under the new weights. */
async function changeWeights(new_version) {
  await client.http.POST('/pause', { params: { query: { mode: 'abort' } }, parseAs: 'text' });
  await client.http.POST('/update_weight_version', { body: { new_version } });
  await client.http.POST('/resume', { parseAs: 'text' });
}

const { token_ids: prompt } = await client.renderChat({
  messages: [{ role: 'user', content: 'Tell a story.' }],
  max_tokens: MAX_TOKENS,
});
const sampling_params = { n: GROUP, temperature: 1, max_tokens: MAX_TOKENS, logprobs: 0, ignore_eos: true };
const stream = client.stream({ token_ids: prompt, sampling_params });
let training = null;
for await (const _ of stream) training ??= changeWeights('step-1');
await training;

const samples = await Promise.all(stream.choices.map((choice) => finished(prompt, sampleOf(choice, 0))));
const rewards = samples.map(({ ids }) => rewardOf(ids));
const mean = rewards.reduce((sum, reward) => sum + reward, 0) / GROUP;
samples.forEach(({ ids, logprobs, versions }, at) => {
  const record = { prompt, ids, logprobs, weight_versions: versions, advantage: rewards[at] - mean };
  process.stdout.write(`${JSON.stringify(record)}\n`);
});
