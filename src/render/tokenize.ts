import type {
  ChatCompletionRequest,
  DetokenizeRequest,
  DetokenizeResponse,
  TokenizeRequest,
  TokenizeResponse,
} from '../../generated/types.js';
import { schemaFault } from '../errors.js';
import { planChat } from './chat-request.js';
import { chatText } from './chat-text.js';
import { textTools } from './prompt.js';
import { checkServed } from './request-fields.js';
import type { RenderSettings } from './settings.js';

/** A text or a chat to ids, however long (`tokenize`). Throws a 400 or 404. */
export async function tokenize(body: TokenizeRequest, settings: RenderSettings): Promise<TokenizeResponse> {
  if (body.prompt === undefined && body.messages === undefined) {
    throw schemaFault('body.prompt', 'The body needs a prompt, or messages.');
  }
  checkServed(body.model, settings);
  const { tokenizer, encoder, templates } = textTools(settings);
  const isChat = body.prompt === undefined;
  const text = isChat
    ? chatText(planChat(body as ChatCompletionRequest, settings).chat, templates)
    : body.prompt!;
  const addSpecialTokens = body.add_special_tokens ?? !isChat;
  const { ids } = await encoder.encode(text, { addSpecialTokens, withOffsets: false });
  return {
    count: ids.length,
    max_model_len: settings.maxModelLen,
    tokens: ids,
    token_strs: body.return_token_strs ? ids.map((id) => tokenizer.idToToken(id) ?? '') : null,
  };
}

/** Ids to their text, special tokens included; unknown ids give nothing (`detokenize`). Throws a 400 or 404. */
export function detokenize(
  { model, tokens }: DetokenizeRequest,
  settings: RenderSettings,
): DetokenizeResponse {
  checkServed(model, settings);
  return { prompt: textTools(settings).tokenizer.decode(tokens, false) };
}
