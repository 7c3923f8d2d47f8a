import pino, { type Logger } from 'pino';

/** JSON lines on standard error; standard output stays for answers of commands. */
export function createLog(level: string): Logger {
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2));
}
