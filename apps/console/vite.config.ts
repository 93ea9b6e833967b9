import { fileURLToPath } from 'node:url'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressAssets } from './compress-assets.ts'
import { languagesPart } from './languages-part.ts'
import { pagesPart } from './pages-part.ts'
import { pdfDataPart } from './pdf-data-part.ts'
import { walletConnectPart } from './wallet-connect-part.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** The console is bundled from the sources of the packages it uses, so they need no build first. */
export default defineConfig({
  root: here('.'),
  plugins: [walletConnectPart(), pagesPart(), pdfDataPart(), languagesPart(), react(), tailwindcss(), compressAssets()],
  resolve: {
    conditions: ['@cairn/source', 'browser', 'module', 'import', 'default'],
    alias: {
      // The published one writes a style element, which the policy of the page rejects.
      'react-remove-scroll': here('src/ui/dialogs/RemoveScroll.tsx'),
    },
  },
  build: {
    target: 'es2023',
    // The storage service loads a folder once; inlined files would require `data:` in more policies.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        // Code that every visitor loads is in one file: fewer requests before the first paint, and fewer bytes.
        codeSplitting: { groups: [{ name: 'first', tags: ['$initial'] }] },
      },
    },
  },
  worker: { format: 'es' },
  server: { port: 8079, proxy: { '/.well-known': 'http://127.0.0.1:8080' } },
})
