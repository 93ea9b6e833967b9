import './theme/theme.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './App.tsx'
import { resumeSession } from './session/session-store.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no #root')
void resumeSession()
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
