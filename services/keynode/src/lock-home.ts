import { lockFolder } from '@cairn/service'
import type { KeyNodeConfig } from './config.ts'

/**
 * Locks the home of a key node for this process. Only with SQLite, whose database belongs to one process.
 * @throws CairnError CONFLICT naming the running process
 */
export async function lockHome({ home, database }: Pick<KeyNodeConfig, 'home' | 'database'>): Promise<AsyncDisposable> {
  await using stack = new AsyncDisposableStack()
  if (database.kind === 'sqlite') {
    stack.use(
      await lockFolder(home, {
        name: 'keynode',
        holder: 'A key node',
        hint: 'Use or stop the running one, or choose another folder with CAIRN_KEYNODE_HOME.',
      }),
    )
  }
  return stack.move()
}
