import { mkdirSync } from 'node:fs'
import { kubo as binary, isInstalled } from '../tests/interop/binaries.ts'
import { startKubo } from '../tests/interop/kubo.ts'
import { createKuboRepo } from '../tests/interop/kubo-repo.ts'

export type BenchKubo = {
  /** `ipfs add` (`-r`) of a file or folder with cid-version 1 into a new repository with the default store. */
  add(path: string): Promise<{ wallMs: number; cid: string }>
  /** Starts a daemon with an empty repository. */
  startDaemon(): Promise<BenchDaemon & AsyncDisposable>
  /** Starts a daemon with a gateway that serves these files. */
  startGateway(files: string[]): Promise<{ urls: string[] } & AsyncDisposable>
}

export type BenchDaemon = {
  apiUrl: string
  /** Runs `ipfs add` through the daemon and returns the time in ms. */
  add(path: string): Promise<number>
  /** The same, and returns the CID. */
  addFile(path: string): Promise<string>
  /** Runs `ipfs get` through the daemon. */
  get(cid: string, target: string): Promise<unknown>
}

/** Returns Kubo as built by `npm run interop:install`; undefined, with a message, if it was not built. */
export async function kuboIfBuilt(scratch: string): Promise<BenchKubo | undefined> {
  if (!isInstalled(binary)) {
    console.log('Kubo is not built: no comparison with it (npm run interop:install)')
    return undefined
  }
  mkdirSync(scratch, { recursive: true })
  const add = ['add', '--recursive', '--quieter', '--cid-version=1', '--pin=true']
  return {
    add: async (path) => {
      await using repo = await createKuboRepo({ parentFolder: scratch })
      const started = performance.now()
      const cid = (await repo.run([...add, path])).toString().trim()
      return { wallMs: performance.now() - started, cid }
    },
    startDaemon: async () => {
      const daemon = await startKubo({ parentFolder: scratch })
      const addFile = async (path: string) => (await daemon.run([...add, path])).toString().trim()
      return {
        apiUrl: daemon.apiUrl,
        addFile,
        add: async (path) => {
          const started = performance.now()
          await addFile(path)
          return performance.now() - started
        },
        get: (cid, target) => daemon.run(['get', '--output', target, cid]),
        [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
      }
    },
    startGateway: async (files) => {
      const daemon = await startKubo({ parentFolder: scratch })
      const urls: string[] = []
      for (const file of files)
        urls.push(`${daemon.gatewayUrl}/ipfs/${(await daemon.run([...add, file])).toString().trim()}`)
      return { urls, [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose]() }
    },
  }
}
