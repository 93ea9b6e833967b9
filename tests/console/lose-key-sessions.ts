import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { TestNetwork } from '../fixtures.ts'

/** Removes the sessions of an address from the databases of key nodes, as a restore from an older backup does. */
export function loseKeySessions({ home }: Pick<TestNetwork, 'home'>, address: string, ...nodes: number[]): void {
  for (const node of nodes) {
    const database = new DatabaseSync(join(home, `keynode-${node}`, 'keynode.sqlite'), { timeout: 5000 })
    database.prepare('delete from session where lower(address) = lower(?)').run(address)
    database.close()
  }
}
