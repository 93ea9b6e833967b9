import { keyShardCount } from '@cairn/protocol'
import { databaseEntries, fileSchema, manifestHead, manifestsOf } from '@cairn/service/backup'
import * as v from 'valibot'

const name = 'cairn-keynode-backup'
const version = 1

const schema = v.object({
  format: v.literal(name),
  version: v.literal(version),
  ...manifestHead,
  /** Number of the node, and the did:key that it signs with. */
  node: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(keyShardCount)),
  publicKey: v.string(),
  database: v.object(databaseEntries),
  files: v.object({ database: fileSchema, secrets: fileSchema }),
})

/** A backup of a key node. It is whole once its manifest exists. */
export type Manifest = v.InferOutput<typeof schema>

export const manifests = manifestsOf({ name, version, schema })
