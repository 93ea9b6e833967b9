import type { StorageConfig } from './config.ts'
import type { Front } from './front.ts'
import { s3Front } from './s3/s3.ts'

/** Every HTTP front except API and gateway. */
export const fronts: readonly Front[] = [s3Front]

/** Returns the fronts that the operator serves, with their ports. */
export function servedFronts(config: StorageConfig): { front: Front; port: number }[] {
  return fronts.flatMap((front) => {
    const port = front.port(config)
    return port === undefined ? [] : [{ front, port }]
  })
}
