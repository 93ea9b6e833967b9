import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { publishedFolders } from '../../scripts/published-packages.ts'

const root = resolve(import.meta.dirname, '../..')

/** CID of the text that the example of ten lines uploads. */
export const helloCid = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

/** Lists every entry of every published package. */
async function listEntries(): Promise<string[]> {
  const entries = await Promise.all(
    publishedFolders().map(async (folder) => {
      const { name, exports } = JSON.parse(await readFile(join(root, 'packages', folder, 'package.json'), 'utf8'))
      return Object.keys(exports).map((entry) => join(name, entry))
    }),
  )
  return entries.flat()
}

/** Writes programs that print the exports of every entry of every published package. */
export async function writeAllProgram(): Promise<{ esm: string; cjs: string }> {
  const entries = await listEntries()
  const print = `console.log(JSON.stringify(all.map((one) => Object.keys(one).filter((name) => !['__esModule', 'module.exports'].includes(name)).sort())))`
  const imports = entries.map((entry, i) => `import * as m${i} from '${entry}'`).join('\n')
  return {
    esm: `${imports}\nconst all = [${entries.map((_, i) => `m${i}`)}]\n${print}`,
    cjs: `const all = [${entries.map((entry) => `require('${entry}')`)}]\n${print}`,
  }
}

/** Saves, reads, refuses and lists a key; prints {@link keysAnswer}. */
export const keysProgram = `
import { createApiKey, createClient, createWallet, decryptBytes, getKeyStatus, listKeyFiles, loadNetwork, openKeySession, uploadEncryptedText } from '@cairn/sdk'
async function main() {
  const network = await loadNetwork('http://127.0.0.1:8080')
  const open = async (wallet) => createClient({ network, apiKey: await createApiKey(createClient({ network }), wallet), keySession: await openKeySession(createClient({ network }), wallet) })
  const owner = await open(createWallet())
  const { cid } = await uploadEncryptedText(owner, 'dear diary', { name: 'diary.txt' })
  const plain = new TextDecoder().decode(await decryptBytes(owner, cid))
  const denied = await decryptBytes(await open(createWallet()), cid).catch((error) => error.code)
  const listed = []
  for await (const file of listKeyFiles(owner, 'owner')) listed.push(file.cid === cid)
  const { nodes } = await getKeyStatus(owner, cid)
  console.log(JSON.stringify({ plain, denied, listed, nodes: nodes.length }))
}
main()
`
/** The output of {@link keysProgram}. */
export const keysAnswer = { plain: 'dear diary', denied: 'ACCESS_DENIED', listed: [true], nodes: 5 }
