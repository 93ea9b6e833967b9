import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as lucide from 'lucide-react'
import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'

const sources = join(import.meta.dirname, 'src')
const notice =
  '// Printed by `npm run generate` from lucide-react (ISC). Change the imports of `#icons`, not this file.'

/**
 * Generates the module `#icons`: the lucide drawings that the console uses, one file each, so that a page loads only
 * its own. The package is 50 MiB for some 100 drawings, so starting a network does not install it.
 * @returns contents by file name
 */
export function printIcons(): Record<string, string> {
  const names = [...usedNames()].sort()
  const index = names.map((name) => `export { ${name} } from './${name}.tsx'`).join('\n')
  return {
    LICENSE: readFileSync(
      join(dirname(fileURLToPath(import.meta.resolve('lucide-react/package.json'))), 'LICENSE'),
      'utf8',
    ),
    'index.ts': `${notice}\nexport type { IconComponent } from '../../ui/create-icon.tsx'\n${index}\n`,
    ...Object.fromEntries(names.map((name) => [`${name}.tsx`, printIcon(name)])),
  }
}

function printIcon(name: string): string {
  const icon: unknown = Reflect.get(lucide, name)
  if (!isComponent(icon)) throw new Error(`lucide-react has no icon ${name}`)
  const drawing = renderToStaticMarkup(createElement(icon)).replaceAll(/^<svg[^>]*>|<\/svg>$/g, '')
  const shapes = drawing.replaceAll(/><\/\w+>/g, ' />')
  return `${notice}
import { createIcon } from '../../ui/create-icon.tsx'

export const ${name} = createIcon(<>${shapes}</>)
`
}

/** Returns the names that the console imports from `#icons`. */
function usedNames(): Set<string> {
  const names = new Set<string>()
  for (const entry of readdirSync(sources, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.tsx?$/.test(entry.name)) continue
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
    for (const [, list = ''] of text.matchAll(/import \{([^}]*)\} from '#icons'/g)) {
      for (const item of list.split(',')) {
        const [name = ''] = item.trim().split(' ')
        if (name !== '' && name !== 'type') names.add(name)
      }
    }
  }
  return names
}

function isComponent(value: unknown): value is lucide.LucideIcon {
  return typeof value === 'object' && value !== null && '$$typeof' in value
}
