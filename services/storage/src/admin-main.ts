// `npm run admin -- <command>`, and `cairn-admin` of a bundle: what an operator does, with the service's own settings, while it
// runs or not. See docs/operate/administer.md.
import { runToolAsProcess } from '@cairn/service/admin'
import { adminTool } from './admin/run-command.ts'

await runToolAsProcess(adminTool)
