import './theme/theme.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { reportFailures } from './errors/report-failures.ts'
import { loadTexts } from './messages/load-texts.ts'
import { resumeSession } from './session/session-store.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
void resumeSession()
void start(root)

async function start(page: HTMLElement): Promise<void> {
  await loadTexts()
  createRoot(page, reportFailures).render(
    <StrictMode>
      <App />
    </StrictMode>,
  )
}
