// A child process that recovers packs and lists them, for a test that kills it.
// node recover-program.ts <home> <address>    prints "done" on success
import { readConfig } from '../../services/storage/src/config.ts'
import { recoverStore } from '../../services/storage/src/maintenance/maintain.ts'

const [, , home = '', owner = ''] = process.argv
const { isWell } = await recoverStore(readConfig({ CAIRN_HOME: home }), { takeOver: true, owner }, () => undefined)
process.stdout.write(isWell ? 'done\n' : 'not well\n')
