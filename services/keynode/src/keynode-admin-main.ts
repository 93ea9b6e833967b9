// `npm run keynode-admin -- <command>`, and `cairn-keynode-admin` of a bundle: what the operator of a key node does, with the
// settings of the node, while it runs or not. See docs/operate/administer.md.
import { runToolAsProcess } from '@cairn/service/admin'
import { keyNodeAdminTool } from './admin/commands.ts'

await runToolAsProcess(keyNodeAdminTool)
