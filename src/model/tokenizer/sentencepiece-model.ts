import protobuf from 'protobufjs/minimal.js';
import { StartupError } from '../../errors.js';
import { PIECE, type Piece } from './sentencepiece-spec.js';

/** What tito reads of a tokenizer.model (sentencepiece_model.proto, ModelProto). */
export interface SentencePieceModel {
  pieces: Piece[];
  algorithm: 'bpe' | 'unigram';
  byteFallback: boolean;
  unknownId: number;
  bosId: number;
  eosId: number;
  padId: number;
  addDummyPrefix: boolean;
  removeExtraWhitespaces: boolean;
  /** Empty = none. */
  characterMap: Uint8Array;
}

/** More pieces than any vocabulary has. */
const MOST_PIECES = 1 << 22;
const ALGORITHMS = ['', 'unigram', 'bpe', 'word', 'char'];

/** Reads one field; returns false for one that it doesn't know. */
type FieldReader = (field: number, reader: protobuf.Reader) => boolean;

/** Parse a tokenizer.model. Throws a StartupError that names the file when it is broken or of a kind that is not supported. */
export function parseSentencePieceModel(bytes: Uint8Array, path: string): SentencePieceModel {
  const model: SentencePieceModel = {
    pieces: [],
    algorithm: 'unigram',
    byteFallback: false,
    unknownId: 0,
    bosId: 1,
    eosId: 2,
    padId: -1,
    addDummyPrefix: true,
    removeExtraWhitespaces: true,
    characterMap: new Uint8Array(0),
  };
  try {
    readMessage(protobuf.Reader.create(bytes), bytes.length, modelFields(model));
  } catch (error) {
    if (error instanceof StartupError) throw new StartupError(`${path}: ${error.message}`);
    throw new StartupError(
      `${path} is not a SentencePiece model, or a broken one: ${(error as Error).message}`,
    );
  }
  if (model.pieces.length === 0)
    throw new StartupError(`${path} is not a SentencePiece model: it has no pieces.`);
  return model;
}

function modelFields(model: SentencePieceModel): FieldReader {
  return (field, reader) => {
    if (field === 1) {
      model.pieces.push(piece(reader));
      if (model.pieces.length > MOST_PIECES)
        throw new StartupError('it has more pieces than any vocabulary.');
    } else if (field === 2) nested(reader, trainerFields(model));
    else if (field === 3) nested(reader, normalizerFields(model));
    else return false;
    return true;
  };
}

function piece(reader: protobuf.Reader): Piece {
  const read: Piece = { text: '', score: 0, type: PIECE.normal };
  nested(reader, (field) => {
    if (field === 1) read.text = reader.string();
    else if (field === 2) read.score = reader.float();
    else if (field === 3) read.type = reader.int32();
    else return false;
    return true;
  });
  if (!Number.isFinite(read.score))
    throw new StartupError(`the score of ${JSON.stringify(read.text)} is no number.`);
  return read;
}

function trainerFields(model: SentencePieceModel): FieldReader {
  return (field, reader) => {
    if (field === 3) model.algorithm = algorithm(reader.int32());
    else if (field === 24) refuseSuffixes(reader.bool());
    else if (field === 35) model.byteFallback = reader.bool();
    else if (field === 40) model.unknownId = reader.int32();
    else if (field === 41) model.bosId = reader.int32();
    else if (field === 42) model.eosId = reader.int32();
    else if (field === 43) model.padId = reader.int32();
    else return false;
    return true;
  };
}

function algorithm(type: number): 'bpe' | 'unigram' {
  const name = ALGORITHMS[type];
  if (name === 'bpe' || name === 'unigram') return name;
  throw new StartupError(`the algorithm ${name || type} is not supported. Supported: bpe, unigram.`);
}

function refuseSuffixes(suffixes: boolean): void {
  if (suffixes) throw new StartupError('spaces as suffixes (treat_whitespace_as_suffix) are not supported.');
}

function normalizerFields(model: SentencePieceModel): FieldReader {
  return (field, reader) => {
    if (field === 2) model.characterMap = reader.bytes();
    else if (field === 3) model.addDummyPrefix = reader.bool();
    else if (field === 4) model.removeExtraWhitespaces = reader.bool();
    else if (field === 5) refuseBareSpaces(reader.bool());
    else return false;
    return true;
  };
}

function refuseBareSpaces(escaped: boolean): void {
  if (!escaped)
    throw new StartupError('spaces that stay as they are (escape_whitespaces) are not supported.');
}

function nested(reader: protobuf.Reader, fields: FieldReader): void {
  const length = reader.uint32();
  if (reader.pos + length > reader.len) throw new Error('it is cut short');
  readMessage(reader, reader.pos + length, fields);
}

function readMessage(reader: protobuf.Reader, end: number, fields: FieldReader): void {
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (!fields(tag >>> 3, reader)) reader.skipType(tag & 7);
  }
  if (reader.pos !== end) throw new Error('a field reaches beyond its message');
}
