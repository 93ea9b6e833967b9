import { computeCid, computeFolderCid } from '@cairn/sdk'
import { cidOptions, isFolder, readCidOptions } from '../arguments/cid-options.ts'
import type { Command } from '../command.ts'
import { gatherLeftOut } from '../uploads/left-out.ts'

/** Needs no network, no wallet and no set-up. */
export const cid: Command = {
  name: 'cid',
  summary: 'Compute the CID of files and folders on this machine, without an upload',
  usage: '<path…|->',
  arity: [1, Number.POSITIVE_INFINITY],
  options: cidOptions,
  examples: ['cairn cid photo.jpg', 'cairn cid site/', 'tar c src | cairn cid -'],
  async run({ args, values, output, signal, stdin }) {
    const { profile, ...rest } = readCidOptions(values)
    for (const path of args) {
      const { paths, facts, onLeftOut } = gatherLeftOut()
      const options = {
        ...rest,
        ...(profile === undefined ? {} : { profile }),
        // The name of standard input in the folder that `--wrap` puts it into, as of an upload.
        ...(path === '-' ? { name: 'stdin' } : {}),
        signal,
      }
      const result = await output.withProgress(path, async (progress) =>
        path !== '-' && (await isFolder(path))
          ? computeFolderCid(path, { ...options, ...progress, onLeftOut })
          : computeCid(path === '-' ? stdin : path, { ...options, ...progress }),
      )
      for (const entry of paths) output.note(`Left out ${entry}: not a file, a folder or a symbolic link`)
      output.result({ path, ...result, ...facts() }, `${result.cid}  ${path}`, result.cid)
    }
  },
}
