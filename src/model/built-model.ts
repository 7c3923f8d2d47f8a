import type { ModelArtifact } from './index.js';

/** Raised whenever the same source would give another graph or description: what is cached of other versions is not used. */
export const BUILDER_VERSION = 6;

/** File names inside the folder of a built model. */
export const GRAPH_FILE = 'model.onnx';
export const DATA_FILE = 'model.onnx.data';

/** A model without the places where it lies: what the cache's manifest holds. */
export type BuiltModel = Omit<ModelArtifact, 'source' | 'name' | 'graphPath'>;
