import { createApiKey, createClient, createWallet, loadNetwork } from '@cairn/sdk'
import { createRoot } from 'react-dom/client'
import { App } from './App.jsx'

const network = await loadNetwork(import.meta.env.VITE_CAIRN_NETWORK ?? 'http://127.0.0.1:8080')
// A new account for each visit. Apps for users sign in with the wallet of the user instead: see `signIn`.
const apiKey = await createApiKey(createClient({ network }), createWallet())

createRoot(document.querySelector('#app')).render(<App network={network} apiKey={apiKey} />)
