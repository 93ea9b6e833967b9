// `npm run keynode-admin -- <command>`, and `cairn-keynode-admin` of a bundle: what the operator of a key node does, with the
// settings of the node, while it runs or not. docs/operate/administer.md tells more.
import { runToolAsProcess } from '@cairn/service/admin'
import { keyNodeAdminTool } from './admin/commands.ts'

await runToolAsProcess(keyNodeAdminTool)
