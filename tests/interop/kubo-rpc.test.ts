import { startKubo } from './kubo.ts'
import { describeKuboRpc } from './kubo-rpc.suite.ts'

// What is asked of our service is first shown to hold for Kubo itself.
describeKuboRpc('Kubo', async () => ({ ...(await startKubo()), headers: {} }))
