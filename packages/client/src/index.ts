export type * from '../../../generated/types.js';
export { type ChatAnswer, type ChatStreamed, chat, chatStream, type Servers } from './chat.js';
export { Tito } from './client.js';
export { Conversation, type ConversationOptions, type ReplyOptions, type Turn } from './conversation.js';
export type { Divergence } from './divergence.js';
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  NotFoundError,
  PermissionDeniedError,
  ServerError,
  TimeoutError,
  TitoError,
  UnavailableError,
  UsageError,
} from './errors.js';
export type { GenerateStream } from './generate-stream.js';
export type { CallOptions, ClientOptions } from './options.js';
export type { RolloutRecord } from './transcript.js';
