import type { ReceivedResponse, ReceiveRequest } from '../local-source.ts'

/** Browsers have fetch alone. */
export const receiveBody: ((request: ReceiveRequest) => Promise<ReceivedResponse>) | undefined = undefined
