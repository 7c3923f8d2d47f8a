/** What programs may use of the server package. */
export type { Config } from './config.js';
export { resolveConfig } from './config.js';
export { ApiError, StartupError } from './errors.js';
export { serve } from './server/listen.js';
